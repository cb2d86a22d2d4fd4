"""A question as the parser understands it: entities, facts and claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from probsense.tasks.worldsense.logic import Claim

Kind: TypeAlias = Literal["infer", "consist", "compl"]


class ParseFailure(ValueError):  # noqa: N818 (a text fails to parse; nothing is in error)
    """A text that cannot be understood; the message says which part of it."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """The question that a text asks.

    Attributes
    ----------
    kind : {"infer", "consist", "compl"}
        Is the claim true; can the facts all hold; which of two claims is true, if that can be decided.
    names : tuple of str
        The entities in order of appearance: those of the story, then those that only the claims mention.
    facts : tuple of Claim
        In the order of the text, over indices into ``names``.
    claims : tuple of Claim
        One (infer), none (consist) or two (compl).
    size : int
        How many of the names the story mentions.
    lines : bool
        Whether the entities are lines, which are parallel or perpendicular, and not an order.
    stated : bool
        Whether the story states facts (or else lists its entities in order).
    distractors : tuple of Claim
        What the story says of its entities beside their order: foreign claims.
    """

    kind: Kind
    names: tuple[str, ...]
    facts: tuple[Claim, ...]
    claims: tuple[Claim, ...]
    size: int
    lines: bool = False
    stated: bool = True
    distractors: tuple[Claim, ...] = ()


class Grammar(Protocol):
    """A way to understand texts; ``source`` says in messages which one it is."""

    source: str

    def parse(self, text: str) -> ParsedQuestion | None:
        """Parse the question that the text asks; None when the text is not of this grammar.

        Raises
        ------
        ParseFailure
            When the text is of this grammar, but cannot be understood.
        """
