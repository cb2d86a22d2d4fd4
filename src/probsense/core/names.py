"""Shortens the names of models that are files or folders, for tables and charts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_PATH: Final = re.compile(r"([\w.-]+:)?((?:~|\.{1,2})?/.+|[A-Za-z]:\\.+|(?:[^/\s]+/){2,}[^/\s]+)")
"""A path from the root, from home or from here, or of three parts and more: names on a hub have two."""


def short_names(models: Iterable[str]) -> dict[str, str]:
    """Shorten the names of models that are paths to as many of their last parts as tell them apart.

    Parameters
    ----------
    models : iterable of str
        Names of models as they were given, such as ``hf:/data/models/smollm2``. Names that are not paths stay.

    Returns
    -------
    dict of str to str
        The short name of each, such as ``hf:smollm2``. No two are equal.
    """
    endings = {model: _endings(model) for model in models}
    having = Counter(ending for own in endings.values() for ending in own)
    return {
        model: next((ending for ending in own if having[ending] == 1), model)
        for model, own in endings.items()
    }


def _endings(model: str) -> list[str]:
    """List what a name may be shortened to, from the last part of its path to the whole."""
    found = _PATH.fullmatch(model)
    if found is None:
        return [model]
    backend, path = found.groups("")
    parts = [part for part in re.split(r"[/\\]", path) if part]
    return [*(backend + "/".join(parts[-number:]) for number in range(1, len(parts) + 1)), model]
