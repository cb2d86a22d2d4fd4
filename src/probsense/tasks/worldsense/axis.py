"""The axis of a story's order: its dimensions, and the direction in which each word of theirs points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from probsense.tasks.worldsense.lexicon import PARALLEL, PERPENDICULAR, Senses, known, relation_senses
from probsense.tasks.worldsense.question import ParseFailure


@dataclass(frozen=True, slots=True)
class StoryAxis:
    """Dimensions with their orientation, +1 or -1; or lines, which have none."""

    orientation: Mapping[str, int]
    lines: bool = False

    def sign(self, senses: Senses) -> int:
        """Tell where a word points: +1 to the first, -1 to the last, 0 when it is about something else."""
        for dimension, direction in senses:
            if dimension in self.orientation:
                return direction * self.orientation[dimension]
        return 0


@cache
def axis_of_facts(relations: frozenset[str]) -> StoryAxis:
    """Find the axis that all relation words of a story share.

    Raises
    ------
    ParseFailure
        When the words have no dimension in common.
    """
    if relations & {*PARALLEL, *PERPENDICULAR}:
        if not relations <= {*PARALLEL, *PERPENDICULAR}:
            raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")
        return StoryAxis({}, lines=True)
    if not relations:
        return StoryAxis({})
    first, *others = (relation_senses(words) for words in sorted(relations))
    shared = [sense for sense in first if all(sense[0] in dict(senses) for senses in others)]
    if shared:
        return _oriented(shared, shared[0][1])
    # Two words that tell one order must be each other's converse, known to the lexicon or not.
    if len(others) == 1 and not (known(first) and known(others[0])):
        return StoryAxis({first[0][0]: 1, others[0][0][0]: -1})
    raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")


def axis_from(start: Senses, end: Senses) -> StoryAxis:
    """Find the axis of a list that goes from one extreme to another."""
    ends = dict(end)
    opposite = [(dimension, sign) for dimension, sign in start if ends.get(dimension) == -sign]
    return _oriented(opposite, 1) if opposite else StoryAxis({start[0][0]: 1, end[0][0]: -1})


def axis_starting(start: Senses) -> StoryAxis:
    """Find the axis of a list whose introduction names only the start."""
    return _oriented(start, 1)


def _oriented(senses: Iterable[tuple[str, int]], way: int) -> StoryAxis:
    """Orient the axis of these dimensions so that a word with these senses points a given way."""
    return StoryAxis({dimension: direction * way for dimension, direction in senses})


def widened(axis: StoryAxis, claims: Sequence[Senses], single: bool) -> StoryAxis:
    """Add to an axis the converse that claims give, where the order is told in one unknown word, or in none.

    "Crispier" is in no lexicon. If the story says nothing else, a single claim about "soggier" must be about the
    same order; of two claims, one has the story's own word if they are about the order at all.

    Parameters
    ----------
    axis : StoryAxis
        The axis of the story.
    claims : sequence of Senses
        The senses of the words in the claims that order entities.
    single : bool
        Whether the question makes one claim.
    """
    if axis.lines or len(axis.orientation) > 1 or any(not d.startswith("?") for d in axis.orientation):
        return axis
    if not axis.orientation:
        return axis_starting(claims[0]) if claims else axis
    (own,) = axis.orientation
    others = {senses[0][0] for senses in claims if not known(senses)} - {own}
    if len(others) == 1 and (single or any(senses[0][0] == own for senses in claims)):
        return StoryAxis({own: axis.orientation[own], others.pop(): -axis.orientation[own]})
    return axis
