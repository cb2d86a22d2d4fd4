"""The protocol of a model: what it can do, what it used and cost, and what its examination found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from itertools import pairwise
from operator import add, sub
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from probsense.core.errors import ModelError
from probsense.core.names import shared_start
from probsense.core.records import (
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    PromptForm,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    continued,
    opened,
)

if TYPE_CHECKING:
    from probsense.models.prompts.thinking import Manner

R = TypeVar("R")
Batch: TypeAlias = list[tuple[int, R | Failure]]
"""Answers that arrive together: pairs of an index into the requests and a response or a failure."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The verbs that a model has, and how exact they are.

    Attributes
    ----------
    score : bool
        Whether the model gives exact log-probabilities of options.
    labels : {"exact", "topk", None}
        How the model gives label mass: over the whole vocabulary, over the k most probable tokens, or not at all.
    sample : bool
        Whether the model writes texts.
    chat, system_prompt : bool
        Whether prompts go through a chat template, and whether a system prompt can be given.
    by_item : bool
        Whether answers depend on the item that asks, not on the words of the request (recorded answers).
    thought : {"begun", "closed", None}
        Whether the model goes on after a thought that the request gives: also where it has only begun, after a closed
        one alone, or not at all.
    """

    score: bool = False
    labels: Literal["exact", "topk"] | None = None
    sample: bool = False
    chat: bool = False
    system_prompt: bool = False
    by_item: bool = False
    thought: Literal["begun", "closed"] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources that a model has used to answer.

    Attributes
    ----------
    tokens : int
        Tokens that went through the network; behind a server, those of the prompts.
    naive : int
        Tokens that the model would have read if every option, label prompt and sample were fed by itself.
    truncated : int
        Texts whose beginning was dropped because they were longer than the model takes.
    seconds : float
        Wall time.
    requests : int
        Requests to a server, failed tries included.
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
        """Return the usage since an earlier count."""
        return Usage(*map(sub, astuple(self), astuple(earlier)))

    @property
    def saved(self) -> float:
        """The share of the naive tokens that the model did not have to compute."""
        return 1 - self.tokens / self.naive if self.naive else 0.0


@dataclass(slots=True)
class Meter:
    """What the models that share weights or a connection have used together."""

    used: Usage = field(default_factory=Usage)


@runtime_checkable
class Model(Protocol):
    """A source of answers.

    The verbs take any number of requests and yield batches as they are ready, in any order; every index comes once,
    with an answer or a failure. A verb that ``capabilities`` does not name may refuse every request.
    """

    @property
    def name(self) -> str:
        """The name of the model in tables: the specification that the user gave."""

    @property
    def details(self) -> Mapping[str, Json]:
        """Everything that can change a number: hash of the weights, revision, dtype, template, versions, options."""

    @property
    def capabilities(self) -> Capabilities:
        """The verbs that the model offers."""

    @property
    def usage(self) -> Usage:
        """The resources that its answers have used since it was loaded; zero where it computes nothing."""

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the exact token log-probabilities of every option and suffix."""

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Yield the probability mass of every label."""

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield the texts that the model writes."""


@runtime_checkable
class Adapting(Protocol):
    """A model that puts questions in another way than texts to continue, such as through a chat template."""

    def for_form(self, form: PromptForm) -> Model:
        """Return the model as it is asked with prompts of this form.

        All that it returns share the weights or the connection, and their usage. Where numbers can differ, ``details``
        differ, too, so that a store keeps the answers apart.
        """


def in_form(model: Model, form: PromptForm) -> Model:
    """Return the model as it is asked with prompts of this form; the model itself if it asks all prompts alike."""
    return model.for_form(form) if isinstance(model, Adapting) else model


@runtime_checkable
class Formatted(Protocol):
    """A model that can be asked in several prompt formats."""

    @property
    def settled(self) -> bool:
        """Whether somebody said how the model is to be asked, so that no examination chooses its format."""

    @property
    def prompt_format(self) -> str:
        """The name of the model's own format."""

    def prompt_formats(self) -> Sequence[str]:
        """Return the names of the formats to try, the model's own first."""

    def in_prompt_format(self, name: str) -> Model:
        """Return the model as it is asked in a format that it can have."""


@runtime_checkable
class Thinks(Protocol):
    """A model that can think before it answers."""

    @property
    def manner(self) -> Manner | None:
        """How it thinks; None if nothing shows that it can."""

    def in_thinking(self, manner: Manner) -> Model:
        """Return the model as it answers after thoughts, under a name that says so."""


def size(request: Request) -> tuple[str, int]:
    """Return what a model reads first, which requests may share, and how much it reads or writes after that.

    Returns
    -------
    str
        The beginning that requests may share.
    int
        Characters to read after it. A token that may be written counts as one.
    """
    thought = str(request.thought or "")
    match request:
        case ScoreRequest(prefix, options, suffix):
            after = sum(len(option + suffix) for option in options)
            return opened(request.system, prefix) + thought, after
        case LabelRequest(prompt):
            return opened(request.system, prompt) + thought, 0
        case SampleRequest(prompt, n, max_tokens, turns=turns):
            return opened(request.system, continued(turns, prompt)) + thought, n * max_tokens


def even_cuts(groups: Iterable[Sequence[tuple[str, int]]], parts: int) -> list[tuple[int, int]]:
    """Cut a sequence of groups into parts with about the same number of characters.

    A beginning that a text shares with the one before counts once.

    Parameters
    ----------
    groups : iterable of sequence of (str, int)
        Groups that stay whole, each with what :func:`size` returns, sorted.
    parts : int

    Returns
    -------
    list of (int, int), length parts
        Where each part begins and ends; some are empty if there are fewer groups than parts.
    """
    ends, before = [0], ""
    for texts in groups:
        length = 0
        for text, more in texts:
            length += len(text) - shared_start(before, text) + more
            before = text
        ends.append(ends[-1] + length)
    even = np.arange(1, parts) * ends[-1] / parts
    nearest = np.abs(np.array(ends) - even[:, None]).argmin(1).tolist()
    return [*pairwise([0, *nearest, len(ends) - 1])]


BYTES_A_TOKEN = 4
"""Bytes of English text in a token, by rule of thumb, for models whose tokens cannot be counted beforehand."""


@runtime_checkable
class Forecasting(Protocol):
    """A model that can tell beforehand what answers would cost."""

    @property
    def priced(self) -> bool:
        """Whether prices are known, so that ``cost`` counts."""

    def forecast(self, requests: Sequence[Request]) -> Usage:
        """Return the largest usage that answers to these requests can have, without asking anything."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    name : str
        A few words for the check.
    ok : bool or None
        Whether the model passed; None where the finding is for information only.
    detail : str
        The observation, as a sentence.
    data : Mapping[str, Json]
        The figures behind the sentence.
    """

    name: str
    ok: bool | None
    detail: str
    data: Mapping[str, Json] = field(default_factory=dict)


PROMPTS: Final = "prompts"
"""The name of the finding that says what stands around prompts, where there is a choice."""

BEGINNING: Final = "nothing before"
"""The name of the finding that says after which token a text is scored that has nothing before it."""

FORMAT: Final = "prompt format"
"""The name of the finding that says how a prompt format was chosen; "moved" in its data says that it is unusual."""

REASONING: Final = "reasoning"
"""The name of the finding that a model behind a server thinks first, so that its answers are read as texts."""


def findings_of(model: object) -> Sequence[Finding]:
    """Return the findings of the examination in which a model was loaded; none if it was not examined."""
    found: Sequence[Finding] = getattr(model, "findings", ())
    return found


def as_published() -> Finding:
    """Say that a user wished a model to be asked as most published runs asked."""
    return Finding(FORMAT, None, "asked as most published runs asked, without an examination")


def prompts_notes(findings: Sequence[Finding]) -> list[str]:
    """Note what stood around the prompts, where there was a choice."""
    return [
        found.detail
        for found in findings
        if found.name == PROMPTS or (found.name == FORMAT and found.data.get("moved"))
    ]


def ask(verb: Callable[[Sequence[Any]], Iterator[Batch[R]]], requests: Sequence[Any]) -> list[R]:
    """Answer requests, in their order.

    Raises
    ------
    ModelError
        If one of them gets no answer.
    """
    found: dict[int, R] = {}
    for batch in verb(requests):
        for i, response in batch:
            if isinstance(response, Failure):
                raise ModelError(f"no answer after {response.tries} tries: {response.reason}")
            found[i] = response
    if len(found) < len(requests):
        raise ModelError(f"{len(requests) - len(found)} of {len(requests)} requests got no answer")
    return [found[i] for i in range(len(requests))]
