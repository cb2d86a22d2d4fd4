"""The folder for what can be computed again; if it cannot be read or written, that costs time, never the result."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from probsense.core.errors import InputError
from probsense.core.files.write import writing
from probsense.core.records import Json, canonical_json, digest

if TYPE_CHECKING:
    import polars as pl


def cache_folder() -> Path:
    """Return the folder for caches: the one that PROBSENSE_CACHE names, or the platform's own."""
    chosen = os.environ.get("PROBSENSE_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("probsense")


def kept_json(name: str) -> Any:
    """Return a JSON value that :func:`keep_json` kept in the cache; None if there is none that can be read."""
    try:
        return json.loads((cache_folder() / name).read_bytes())
    except (OSError, ValueError):
        return None


def keep_json(name: str, value: Json) -> None:
    """Keep a JSON value in the cache; a folder that cannot be written costs time later, and nothing else."""
    with suppress(OSError, InputError), writing(cache_folder() / name) as file:
        file.write(canonical_json(value).encode())


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


def cached_frame(source: Path, what: str, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return the frame computed from a file, out of the cache if the file is still the same.

    Parameters
    ----------
    source : Path
        The file that the frame is computed from; same path, size and time of change count as the same file.
    what : str
        Names the computation, with a version that rises when the computation changes: "worldsense-trials-1".
    compute : callable
        Computes the frame. The cache keeps no error.

    Returns
    -------
    DataFrame
    """
    import polars as pl

    state = source.stat()
    key = digest([str(source.resolve()), state.st_size, state.st_mtime_ns])
    kept = cache_folder() / f"{what}-{key}.parquet"
    try:
        return pl.read_parquet(kept.read_bytes())
    except (OSError, pl.exceptions.PolarsError):
        frame = compute()
    with suppress(OSError, InputError), writing(kept) as stream:
        frame.write_parquet(stream)
    return frame
