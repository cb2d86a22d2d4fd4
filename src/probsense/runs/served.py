"""Reads what a server said about itself with its answers, which may change under an unchanged name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from probsense.core.records import Json, Response

KEYS = ("model", "system_fingerprint")
"""Facts that should be the same in all answers of a run."""


def served(answers: Iterable[Response]) -> dict[str, dict[str, int]]:
    """Count the answers by the names that the server gave its model and its system; leave out what it did not name.

    Parameters
    ----------
    answers : iterable of Response
    """
    found: dict[str, Counter[str]] = {key: Counter() for key in KEYS}
    for answer in answers:
        for key in KEYS:
            if answer.server and (value := answer.server.get(key)) is not None:
                found[key][str(value)] += 1
    return {key: dict(counts.most_common()) for key, counts in found.items() if counts}


def served_facts(found: Mapping[str, Mapping[str, int]]) -> dict[str, Json]:
    """Return the names that the server gave, for the report."""
    return {f"served {key.replace('_', ' ')}": ", ".join(values) for key, values in found.items()}


def served_notes(found: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Note everything that changed between answers."""
    return [
        f"the server's {key} changed in mid-run: "
        + ", ".join(f"{value} ({count:,} answers)" for value, count in values.items())
        for key, values in found.items()
        if len(values) > 1
    ]
