"""The folder for what can be computed again."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Return the folder for caches: the one that PROBSENSE_CACHE names, or the platform's own."""
    chosen = os.environ.get("PROBSENSE_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("probsense")
