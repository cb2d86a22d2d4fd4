"""Keeps the log of an engine off the screen while it starts."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

SETTINGS: Final = {
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}
"""Environment variables of vLLM as they are unless the user has set them.

It logs errors only, prints nothing on the output stream, and sends nothing to its makers. The engine runs in this
process and ends with it. It leaves the threads of the process where they are, and makes the same batches whenever it
is asked the same.
"""


@contextmanager
def quiet(*, processes: bool = False) -> Iterator[None]:
    """Write to a file what the engine and its libraries print; what ProbSense itself says on stderr is shown.

    Parameters
    ----------
    processes : bool
        Whether the block starts other processes. They keep the file as their output. They may alone know why the block
        failed; then what they printed is shown on stderr.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    shown, disabled = sys.stderr, logging.root.manager.disable
    with tempfile.TemporaryFile() as log, warnings.catch_warnings(action="ignore"):
        logging.disable(logging.WARNING)
        try:
            with _streams_into(log):
                yield
        except Exception:
            if processes:
                log.seek(0)
                shown.write(log.read().decode(errors="replace"))
            raise
        finally:
            logging.disable(disabled)


@contextmanager
def _streams_into(log: IO[bytes]) -> Iterator[None]:
    """Let the file descriptors 1 and 2 be a file, and Python's own stderr the one before."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    shown = sys.stderr
    own = os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8")
    sys.stderr = own
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        for place, copy in enumerate(kept, start=1):
            os.dup2(copy, place)
            os.close(copy)
        sys.stderr = shown
        own.close()
