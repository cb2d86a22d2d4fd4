"""What a reader should know of the people behind the key, before any figure or after all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probsense.analysis.inference.means import FEW_CLUSTERS
from probsense.core.records import Item

FEW: Final = 20
"""With fewer people a question, plug-in distances mislead."""


def people_warnings(items: Sequence[Item]) -> list[str]:
    """Warn where so few people answered that plug-in distances rank wrongly, and where nobody knows how many did."""
    found = []
    known = sorted(item.data["people"] for item in items if item.data["people"] is not None)
    few = [count for count in known if count < FEW]
    if few:
        found.append(
            f"{len(few):,} of {len(items):,} questions have fewer than {FEW} people, as few as {few[0]:g}: all "
            "distances but the corrected squared one are too large, more so where answers are spread, and other "
            "people may come out further away than equal shares; read the corrected squared distance"
        )
    if unknown := len(items) - len(known):
        found.append(
            f"it is not known how many people answered {unknown:,} of {len(items):,} questions: there is no noise "
            "floor and no correction for these; a column people would give both"
        )
    if 1 < (clusters := len({item.cluster for item in items})) < FEW_CLUSTERS:
        found.append(
            f"the questions make {clusters} independent groups: with fewer than {FEW_CLUSTERS}, intervals cover less "
            "than they say"
        )
    return found


def people_notes(
    items: Sequence[Item], *, drop: Sequence[str] = (), columns: Sequence[str] = ()
) -> list[str]:
    """Say how many people answered, which options and columns were left out."""
    counts = sorted(item.data["people"] for item in items if item.data["people"] is not None)
    found = []
    if counts:
        least, middle, most = counts[0], counts[len(counts) // 2], counts[-1]
        many = f"{least:,g}" if least == most else f"{least:,g} to {most:,g} (the middle one {middle:,g})"
        found.append(f"{many} people answered each question")
    if drop:
        found.append(f"left out, with the people who chose it: {', '.join(drop)}")
    return [*found, *(f"left out: {what}" for what in columns)]
