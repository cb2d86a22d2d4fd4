"""A study in numbers: what it asks of how many people, its progress, and how long it still takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from probsense.studies.collect.answers import Gathered
from probsense.studies.collect.participants import Person, people_needed
from probsense.studies.collect.study import Block, Study
from probsense.tasks.people_forms import PeopleQuestion

State: TypeAlias = Literal["finished", "in_progress", "dropped_out", "screened_out", "timed_out"]
STATES: Final[tuple[State, ...]] = ("finished", "in_progress", "dropped_out", "screened_out", "timed_out")
"""What can become of a person."""

RECENT: Final = 20
"""How many of the last finishers tell the pace of a study."""


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """How many people finished with an item, and how many are at it."""

    question: PeopleQuestion
    finished: int
    in_progress: int


@dataclass(frozen=True, slots=True)
class BlockProgress:
    """A block with its items."""

    block: Block
    items: tuple[ItemProgress, ...]

    @property
    def done(self) -> int:
        """The number of answers by finishers, none beyond ``per_item``."""
        return sum(min(item.finished, self.block.per_item) for item in self.items)

    @property
    def needed(self) -> int:
        """How many people must still finish, at least."""
        lacks = [max(0, self.block.per_item - item.finished) for item in self.items]
        return people_needed(lacks, self.block.per_person)


@dataclass(frozen=True, slots=True)
class Overview:
    """How far a study is.

    Attributes
    ----------
    blocks : tuple of BlockProgress
    people : dict of State to int
    needed : int
        How many people must still finish, at least.
    minutes_left : float, optional
        How long that takes at the recent pace; None where the pace is unknown.
    flagged : tuple of Gathered
        Whose answers deserve a look, in the order of arrival.
    """

    blocks: tuple[BlockProgress, ...]
    people: dict[State, int]
    needed: int
    minutes_left: float | None
    flagged: tuple[Gathered, ...]


def overview(study: Study, people: Sequence[Gathered], now: int) -> Overview:
    """Count how far a study is.

    Parameters
    ----------
    study : Study
    people : sequence of Gathered
    now : int
        Milliseconds since 1970.
    """
    came: dict[State, list[Person]] = {state: [] for state in STATES}
    for one in people:
        came[state_of(one.person, study.abandon_after, now)].append(one.person)
    finished = Counter(key for person in came["finished"] for key in person.keys)
    in_progress = Counter(key for person in came["in_progress"] for key in person.keys)
    blocks = tuple(
        BlockProgress(
            block,
            tuple(
                ItemProgress(question, finished[key], in_progress[key])
                for question in block.questions
                for key in [f"{number}/{question.id}"]
            ),
        )
        for number, block in enumerate(study.blocks)
    )
    needed = max(one.needed for one in blocks)
    ended = [person.ended_at for person in came["finished"] if person.ended_at is not None]
    return Overview(
        blocks,
        {state: len(persons) for state, persons in came.items()},
        needed,
        minutes_left(ended, needed, now),
        tuple(one for one in people if one.flags),
    )


def state_of(person: Person, abandon_after: float, now: int) -> State:
    """Tell what became of a person; who was not heard of for ``abandon_after`` minutes dropped out."""
    if person.end is None:
        return "dropped_out" if person.seen < now - abandon_after * 60_000 else "in_progress"
    return "finished" if person.end == "completion" else person.end


def minutes_left(ended: Sequence[int], needed: int, now: int) -> float | None:
    """Estimate how long a study still takes.

    Parameters
    ----------
    ended : sequence of int
        When people finished, in milliseconds since 1970.
    needed : int
        How many people must still finish.
    now : int
        Milliseconds since 1970.

    Returns
    -------
    float or None
        Minutes at the pace of the last :data:`RECENT` finishers: the time since the first of them, divided by how many
        finished after them. None before the second one, and where the clock was set back since.
    """
    if not needed:
        return 0.0
    last = sorted(ended)[-RECENT:]
    if len(last) < 2 or now < last[0]:
        return None
    return (now - last[0]) / (len(last) - 1) * needed / 60_000


def outline(study: Study) -> dict[str, Any]:
    """Put a study in numbers, as a JSON document; its notes say what the author may have overlooked."""
    return {
        "title": study.title.strip(),
        "language": study.language,
        "blocks": [
            {
                "kind": one.kind,
                "items": len(one.questions),
                "per_person": min(one.per_person, len(one.questions)),
                "per_item": one.per_item,
                "people": people_needed([one.per_item] * len(one.questions), one.per_person),
            }
            for one in study.blocks
        ],
        "demographics": len(study.about),
        "checks": len(study.checks),
        "notes": [*_notes(study)],
    }


def outline_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Write an outline for a terminal."""
    yield "{title} ({language})".format(**found)
    for block in found["blocks"]:
        yield (
            "{kind}: {items:,} items, {per_person:,} a person, {per_item:,} people an item: {people:,} people at least"
        ).format(**block)
    yield "demographics: {demographics}, attention checks: {checks}".format(**found)
    yield from found["notes"]


def _notes(study: Study) -> Iterator[str]:
    if study.checks and not study.failed_checks:
        yield (
            "people who fail an attention check count in 'per_item', but not in the export: 'failed_checks: 1' screens"
            " them out"
        )
    if study.ids.participant and not (study.completion.code or study.completion.address):
        yield (
            "there are ids of a platform, but 'completion' has neither code nor address: people cannot show there that"
            " they took part"
        )
