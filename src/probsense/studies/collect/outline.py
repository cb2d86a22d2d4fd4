"""What a study asks, and of how many people at least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from probsense.studies.collect.assignment import people_needed
from probsense.studies.collect.study import Block, Ending, Study


@dataclass(frozen=True, slots=True)
class BlockOutline:
    """A block in numbers; ``people`` is the smallest number of people that completes it."""

    kind: str
    items: int
    per_person: int
    per_item: int
    people: int


@dataclass(frozen=True, slots=True)
class Outline:
    """A study in numbers; ``notes`` say what its author may have overlooked."""

    title: str
    language: str
    blocks: tuple[BlockOutline, ...]
    demographics: int
    checks: int
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the outline as a JSON document."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """Write the outline for a terminal."""
        yield f"{self.title} ({self.language})"
        for block in self.blocks:
            yield (
                f"{block.kind}: {block.items:,} items, {block.per_person:,} a person, {block.per_item:,} people an "
                f"item: {block.people:,} people at least"
            )
        yield f"demographics: {self.demographics}, attention checks: {self.checks}"
        yield from self.notes


def outline(study: Study) -> Outline:
    """Outline a study."""
    return Outline(
        study.title,
        study.language,
        tuple(_outline(block) for block in study.blocks),
        len(study.about),
        len(study.checks),
        tuple(_notes(study)),
    )


def _notes(study: Study) -> Iterator[str]:
    if study.checks and not study.failed_checks:
        yield (
            "who fails an attention check fills a place, and is left out of the export: 'failed_checks: 1' screens out"
            " such people"
        )
    done = study.ends.get("completion", Ending())
    if study.ids.participant and not (done.code or done.address):
        yield (
            "there are ids of a platform, but 'completion' has neither code nor address: people cannot show there that"
            " they took part"
        )


def _outline(block: Block) -> BlockOutline:
    items = len(block.questions)
    people = people_needed([block.per_item] * items, block.per_person)
    return BlockOutline(block.kind, items, min(block.per_person, items), block.per_item, people)
