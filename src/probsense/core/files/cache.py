"""The folder for what can be computed again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Return the folder for caches: the one that PROBSENSE_CACHE names, or the platform's own."""
    chosen = os.environ.get("PROBSENSE_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("probsense")


def made_once(path: Path, make: Callable[[Path], None]) -> Path:
    """Return a file or a folder; make it first if it is not there, whole or not at all.

    Parameters
    ----------
    path : Path
    make : callable
        Makes it at the path that it is given.
    """
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}-") as scratch:
        made = Path(scratch) / "made"
        make(made)
        try:
            made.rename(path)
        except OSError:
            if not path.exists():  # Another process may have been faster.
                raise
    return path
