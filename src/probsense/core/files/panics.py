"""Keeps the words that polars writes about its own panics from the terminal: the caller's error says it in one line."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Drop what the process writes to its standard error stream before polars panics; pass on everything else.

    The report of a panic goes past Python to the stream of the process, so this is redirected meanwhile.
    """
    try:
        stream = os.dup(2)
    except OSError:  # The process has no such stream.
        yield
        return
    with tempfile.TemporaryFile() as said, os.fdopen(stream, "wb") as out:
        sys.stderr.flush()
        os.dup2(said.fileno(), 2)
        try:
            yield
        except pl.exceptions.PanicException:
            said.truncate(0)
            raise
        finally:
            sys.stderr.flush()
            os.dup2(out.fileno(), 2)
            said.seek(0)
            shutil.copyfileobj(said, out)
