"""What a model is to the rest of ProbSense: a fingerprint, capabilities and at most three verbs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add, sub
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from probsense.records import (
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)

R = TypeVar("R")
Batch: TypeAlias = list[tuple[int, R | Failure]]
"""Answers that became known together: pairs of (index into the requests, response, or why there is none)."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which verbs a model has, and how exact they are.

    Attributes
    ----------
    score : bool
        Exact log-probabilities of options.
    labels : {"exact", "topk", None}
        Label mass over the whole vocabulary, over the k most probable tokens, or not at all.
    sample : bool
        Texts.
    chat, system_prompt : bool
        Whether prompts go through a chat template, and whether a system prompt can be given.
    by_item : bool
        Answers hang on the item that asks, not on the words of the request (recorded answers).
    """

    score: bool = False
    labels: Literal["exact", "topk"] | None = None
    sample: bool = False
    chat: bool = False
    system_prompt: bool = False
    by_item: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What answering has cost.

    Attributes
    ----------
    tokens : int
        Tokens that went through the network; behind a server, those of the prompts.
    naive : int
        Tokens that it would have taken to feed every option, label prompt and sample by itself.
    truncated : int
        Texts whose beginning was dropped because they were longer than the model takes.
    seconds : float
        Wall time.
    requests : int
        Requests to a server, the tries that failed included.
    written : int
        Tokens of the texts that a server wrote.
    cost : float
        In the currency of the table of prices; 0 where prices are not known.
    """

    tokens: int = 0
    naive: int = 0
    truncated: int = 0
    seconds: float = 0.0
    requests: int = 0
    written: int = 0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    def since(self, earlier: Usage) -> Usage:
        """What was added to an earlier count."""
        return Usage(*map(sub, astuple(self), astuple(earlier)))

    @property
    def saved(self) -> float:
        """Share of the naive tokens that did not have to be computed."""
        return 1 - self.tokens / self.naive if self.naive else 0.0


@runtime_checkable
class Model(Protocol):
    """A source of answers.

    The verbs take any number of requests and yield batches as they are ready, in any order; every index comes
    once, with an answer or a failure. Only the verbs that ``capabilities`` names need to exist in more than name.
    """

    @property
    def name(self) -> str:
        """How the model is called in tables: the specification the user gave."""

    @property
    def details(self) -> Mapping[str, Json]:
        """Everything that can change a number: weights hash, revision, dtype, template, versions, options."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""

    @property
    def usage(self) -> Usage:
        """What its answers have cost since it was loaded (nothing, where nothing is computed)."""

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Exact token log-probabilities of every option and suffix."""

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Probability mass of every label."""

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Texts."""


BYTES_A_TOKEN = 4
"""Bytes of English text in a token, by rule of thumb, if tokens cannot be counted beforehand."""


@runtime_checkable
class Forecasting(Protocol):
    """A model that can say beforehand what answers would cost."""

    @property
    def priced(self) -> bool:
        """Whether prices are known, so that ``cost`` counts."""

    def forecast(self, requests: Sequence[Request]) -> Usage:
        """The most that answers to these would cost: requests, tokens, tokens written, cost; nothing is asked."""


class BatchLines(Protocol):
    """The lines of batch files that ask a model's requests, and those that come back."""

    def ask(self, key: str, request: Request, before: Failure | None) -> list[dict[str, Json]]:
        """Return the lines that ask a request, one for each request to a server; "url" is the route of a line.

        Parameters
        ----------
        key : str
            Names the request; it comes back with the answers.
        request : Request
        before : Failure or None
            Why an earlier batch failed to answer the request.
        """

    def part_of(self, line: Mapping[str, Any]) -> tuple[str, int] | None:
        """Tell the key of the request and the number of the part that a line answers; None if it is none of ours."""

    def answer(self, line: Mapping[str, Any]) -> tuple[dict[str, Any] | Failure, Usage]:
        """Read the answer in a line that came back, or why there is none, and what it cost."""

    def response(self, request: Request, answers: Mapping[int, dict[str, Any]]) -> Response | Failure | None:
        """Make the response of the answers to the parts of a request; None as long as parts are missing."""


@runtime_checkable
class Batching(Protocol):
    """A model that can be asked by batch files."""

    @property
    def batch_lines(self) -> BatchLines:
        """The format of its files.

        Raises
        ------
        InputError
            If this model, as it was loaded, cannot be asked so.
        """
