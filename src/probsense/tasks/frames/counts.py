"""Counts of answers, as files have them."""

from __future__ import annotations

from typing import Any, Final

from probsense.core.errors import brief
from probsense.core.files import Place

MOST: Final = 100_000
"""The most answers to a question: each is drawn by itself."""


def counts_of(place: Place, value: Any, name: str) -> dict[str, int]:
    """Read how often each of some answers was given, at least one."""
    found = {
        place.text(answer, f"a key of {name}"): place.count(times, f"{name}[{brief(answer)}]")
        for answer, times in place.mapping(value, name).items()
    }
    if not found:
        raise place.fault(f"{name} is empty", "at least one answer")
    if (total := sum(found.values())) > MOST:
        raise place.fault(f"{name}: {total:,} in all", f"at most {MOST:,}")
    return found
