"""A question as the parser understands it: entities, facts and claims; and its right answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

from probsense.tasks.worldsense.text.logic import Claim, Verdict, Worlds, verdict, worlds

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


class Reading(NamedTuple):
    """What one source makes of a trial.

    ``source`` names it for users ("the record"), ``answer`` is the answer that the solver gives ("" if none is right).
    """

    source: str
    question: ParsedQuestion
    answer: str


@lru_cache(maxsize=256)
def possible_worlds(n: int, facts: tuple[Claim, ...], lines: bool) -> Worlds:
    """Return the worlds of n entities in which all facts hold (see :func:`logic.worlds`), from memory if known."""
    return worlds(n, facts, lines)


@lru_cache(maxsize=1 << 16)
def decide(n: int, facts: tuple[Claim, ...], claims: tuple[Claim, ...], lines: bool) -> tuple[Verdict, ...]:
    """Tell whether each claim holds, fails or stays open, given the facts."""
    possible = possible_worlds(n, facts, lines)
    return tuple(verdict(possible, claim) for claim in claims)


def answer(question: ParsedQuestion) -> str:
    """Find the right answer, which holds in all worlds that fit (the WorldSense specification, section 5).

    Returns
    -------
    str
        TRUE or FALSE; POSSIBLE or IMPOSSIBLE; 1, 2 or 3; or "" when none of them is right, because the facts
        contradict each other or do not decide the claim of an infer question.
    """
    return _answer(question.kind, len(question.names), question.facts, question.claims, question.lines)


@lru_cache(maxsize=1 << 16)
def _answer(kind: Kind, n: int, facts: tuple[Claim, ...], claims: tuple[Claim, ...], lines: bool) -> str:
    if kind == "consist":
        return "POSSIBLE" if possible_worlds(n, facts, lines) else "IMPOSSIBLE"
    verdicts = decide(n, facts, claims, lines)
    if kind == "infer":
        return {"yes": "TRUE", "no": "FALSE"}.get(verdicts[0], "")
    if "inconsistent" in verdicts:
        return ""
    if "yes" in verdicts:
        return "12"[verdicts.index("yes")]
    return "3"
