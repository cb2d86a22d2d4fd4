"""What a task is to the rest of ProbSense: items, the requests they need, and measures of the responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from probsense.records import Item, Json, Request, Response
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

Method: TypeAlias = Literal["options", "labels", "sample"]
"""How an item is asked: by option scores, by label mass, or by sampled text."""

Answers: TypeAlias = "Mapping[Request, Response]"
"""Responses by the request that they answer."""


class Task(Protocol):
    """An instrument with its options fixed: pure data in, pure data out."""

    @property
    def name(self) -> str:
        """The name under which users call it."""

    @property
    def version(self) -> int:
        """Raised whenever questions or measures change."""

    @property
    def options(self) -> Mapping[str, Json]:
        """What was asked for, as the run records it: enough to make the same items again."""

    @property
    def methods(self) -> Sequence[Method]:
        """The ways in which it can ask, best first."""

    def items(self) -> Sequence[Item]:
        """Its questions, in order."""

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """All requests that the item needs, as far as the answers so far allow to say.

        It is called again after each round of answers, and is done when it names no request without an answer.
        """

    def table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        """One row per item."""

    def summary(self, table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
        """The figures, each with ``by`` (the model's name, the prompting) in its own ``by``."""

    def coverage(self, table: pl.DataFrame) -> Mapping[str, Json]:
        """How many items were asked, and how many got an answer that counts."""

    def notes(self, table: pl.DataFrame) -> list[str]:
        """What a reader of the figures should know about these answers."""


@runtime_checkable
class Growing(Protocol):
    """A task that asks on about an item until it knows enough."""

    def suffices(self, item: Item, method: Method, answers: Answers) -> bool:
        """Whether the answers that there are make a row, though more were wanted."""

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Every request about the item that it may come to."""
