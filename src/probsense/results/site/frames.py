"""Tables of polars as text, for what is kept between builds."""

from __future__ import annotations

import io
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def frame_text(frame: pl.DataFrame) -> str:
    """Write a table as base 64 of Arrow's format of files; :func:`frame_of` is the inverse."""
    stream = io.BytesIO()
    frame.write_ipc(stream, compression="zstd")
    return b64encode(stream.getvalue()).decode()


def frame_of(text: str) -> pl.DataFrame:
    """Read a table that :func:`frame_text` wrote."""
    import polars as pl

    return pl.read_ipc(io.BytesIO(b64decode(text)))
