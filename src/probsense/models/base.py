"""What a model is to the rest of ProbSense: a fingerprint, capabilities and at most three verbs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from probsense.records import (
    Json,
    LabelRequest,
    LabelResponse,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)

R = TypeVar("R")
Batch: TypeAlias = list[tuple[int, R]]
"""Answers that became known together: pairs of (index into the requests, response)."""


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


@runtime_checkable
class Model(Protocol):
    """A source of answers.

    The verbs take any number of requests and yield batches as they are ready, in any order; every index is
    answered once. Only the verbs that ``capabilities`` names need to exist in more than name.
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

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Exact token log-probabilities of every option and suffix."""

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Probability mass of every label."""

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Texts."""
