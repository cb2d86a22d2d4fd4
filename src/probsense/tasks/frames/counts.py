"""How often each answer was given, as files have it."""

from __future__ import annotations

from typing import Any

from probsense.errors import brief
from probsense.files import Place


def counts_of(place: Place, value: Any, name: str) -> dict[str, int]:
    """How often each of some answers was given; at least one."""
    found = {
        place.text(answer, f"a key of {name}"): place.count(times, f"{name}[{brief(answer)}]")
        for answer, times in place.mapping(value, name).items()
    }
    if not found:
        raise place.fault(f"{name} is empty", "at least one answer")
    return found
