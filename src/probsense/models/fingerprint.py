"""The identity of a model's files, independent of the folder that holds them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SUFFIXES = (".safetensors", ".json", ".jinja", ".model", ".txt", ".tiktoken", ".py")
"""Endings of the files that can change a number: weights, configuration, tokenizer, templates and code."""
TOKENIZER_SUFFIXES = tuple(suffix for suffix in SUFFIXES if suffix != ".safetensors")


def folder_hash(folder: Path, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Hash the names and contents of a model's files with SHA-256.

    Parameters
    ----------
    folder : Path
        A folder as ``save_pretrained`` writes it. Files of other kinds (read-me, pickles, optimiser states)
        and sub-folders do not count.
    suffixes : sequence of str
        The endings of the files that count.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix in suffixes and path.is_file())
    with ThreadPoolExecutor(4) as pool:
        lines = [
            f"{path.name} {content}\n"
            for path, content in zip(files, pool.map(file_hash, files), strict=True)
        ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """Hash the content of a file with SHA-256, as 64 hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
