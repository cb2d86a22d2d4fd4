"""The folder for what can be computed again, and the frames in it.

A kept frame is one file: a line that names its source (for a file, with its size and time of change) and the SHA-256
of what follows, then the frame as Parquet. A frame that does not fit is computed anew; a folder that cannot be written
costs time, never the result.
"""

from __future__ import annotations

import hashlib
import io
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
    _keep(cache_folder() / name, canonical_json(value).encode())


def _keep(path: Path, content: bytes) -> None:
    with suppress(OSError, InputError), writing(path) as stream:
        stream.write(content)


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
    state, path = source.stat(), str(source.resolve())
    stamp = canonical_json([path, state.st_size, state.st_mtime_ns, what])
    kept = cache_folder() / f"{what}-{digest(path)}.frame"
    frame = _load(kept, stamp)
    if frame is None:
        frame = compute()
        _store(kept, stamp, frame)
    return frame


def _header(stamp: str, body: bytes) -> bytes:
    return canonical_json([stamp, hashlib.sha256(body).hexdigest()]).encode()


def _load(path: Path, stamp: str) -> pl.DataFrame | None:
    import polars as pl

    try:
        header, _, body = path.read_bytes().partition(b"\n")
        return pl.read_parquet(io.BytesIO(body)) if header == _header(stamp, body) else None
    except (OSError, pl.exceptions.PolarsError):
        return None


def _store(path: Path, stamp: str, frame: pl.DataFrame) -> None:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    body = buffer.getvalue()
    _keep(path, _header(stamp, body) + b"\n" + body)
