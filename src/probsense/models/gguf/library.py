"""The library llama.cpp: finds it, and keeps its log away from the terminal."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from probsense.core.errors import ModelError
from probsense.core.extras import install

ERROR = 4
"""The level of an error in llama.cpp's log."""

errors: list[str] = []
"""The errors that llama.cpp logged since somebody emptied the list."""


@cache
def library() -> Any:
    """Return llama-cpp-python's module of low-level functions, ready for use.

    Raises
    ------
    ModelError
        If the package is missing, or its compiled part does not load.
    """
    try:
        from llama_cpp import llama_cpp
    except ImportError:
        raise ModelError(f"gguf: needs llama-cpp-python: {install('gguf')}") from None
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"llama-cpp-python cannot be loaded: {reason}") from None
    known: Any = llama_cpp
    known.llama_log_set(_listener(), None)
    known.llama_backend_init()
    return known


@cache
def _listener() -> Any:
    """Return the function that llama.cpp calls with each line of its log; the cache keeps it alive."""
    from llama_cpp import llama_log_callback

    def listen(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
        if level == ERROR:
            errors.append(" ".join(text.decode(errors="replace").split()))

    return llama_log_callback(listen)
