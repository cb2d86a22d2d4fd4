"""Finds the files of a Hugging Face model, and what identifies them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from probsense.core.errors import InputError, ModelError, one_line
from probsense.core.files import file_hash
from probsense.core.records import Json

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
GGUF = ".gguf"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


def locate(argument: str, revision: str | None) -> tuple[Path, Mapping[str, Json]]:
    """Find the files of a model, and what identifies them.

    Parameters
    ----------
    argument : str
        A folder, or a name on the hub.
    revision : str or None
        Branch, tag or commit on the hub.

    Returns
    -------
    (Path, Mapping)
        The folder, and what identifies its files, wherever they lie: ``{"weights": their SHA-256}``, or
        ``{"repository", "revision", "commit"}``.

    Raises
    ------
    InputError
        For an empty argument, a folder that does not exist or lacks its files, or the revision of a folder.
    ModelError
        If the hub cannot be reached or has no such model, or the weights are no safetensors.
    """
    here = find_here(argument, revision)
    if here:
        return here, {"weights": folder_hash(here)}
    folder = _download(argument, revision)
    check_folder(folder)
    return folder, {"repository": argument, "revision": revision or "main", "commit": folder.name}


def find_here(argument: str, revision: str | None) -> Path | None:
    """Find the folder of a model on this machine without reading it.

    Parameters
    ----------
    argument, revision
        As for :func:`locate`.

    Returns
    -------
    Path or None
        None for a name on the hub.

    Raises
    ------
    InputError
        As :func:`locate`.
    """
    if not argument:
        raise InputError("hf: names no model", expected="hf:FOLDER or hf:OWNER/NAME")
    place = Path(argument).expanduser()
    if place.suffix == GGUF and not place.is_dir():
        raise InputError("a GGUF file", path=place, expected=f"gguf:{argument}, or a folder of safetensors")
    if place.exists():
        if revision is not None:
            raise InputError("a revision is for models on the hub, not for folders", path=place)
        check_folder(place)
        return place
    if not HUB_NAME.fullmatch(argument):
        raise InputError("no such folder", path=argument, expected="a folder, or OWNER/NAME on the hub")
    return None


def check_folder(folder: Path) -> None:
    """Refuse a folder that is no loadable model, with one line that says why.

    Raises
    ------
    InputError
        If it is a file, or lacks ``config.json`` or weights.
    ModelError
        If its weights are pickles.
    """
    if not folder.is_dir():
        raise InputError("not a folder", path=folder, expected="a folder as save_pretrained writes it")
    if not (folder / "config.json").is_file():
        names = sorted(path.name for path in folder.iterdir() if path.suffix == GGUF)
        if names:
            raise InputError("has GGUF files only", path=folder, expected=f"gguf:{folder / names[0]}")
        raise InputError("has no config.json", path=folder, expected="a folder as save_pretrained writes it")
    if any((folder / name).is_file() for name in WEIGHTS):
        return
    if any(path.suffix in (".bin", ".pt", ".pth") for path in folder.iterdir()):
        raise ModelError(
            f"{folder}: has pickled weights only, which are never loaded; convert to safetensors"
        )
    raise InputError("has no weights", path=folder, expected=WEIGHTS[0])


def _download(name: str, revision: str | None) -> Path:
    """Return the folder of one commit in the hub's cache, after fetching the files that are not there yet."""
    import httpx
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                name,
                revision=revision,
                allow_patterns=[f"*{suffix}" for suffix in SUFFIXES],
                ignore_patterns=["*/*", "consolidated*"],
            )
        )
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise ModelError(
            f"{name}: no such folder, and the Hugging Face hub did not give it: {one_line(error)}"
        ) from None


SUFFIXES = (".safetensors", ".json", ".jinja", ".model", ".txt", ".tiktoken", ".py")
"""Endings of the files that can change a number: weights, configuration, tokenizer, templates and code."""


def folder_hash(folder: Path) -> str:
    """Hash the names and contents of a model's files with SHA-256.

    Parameters
    ----------
    folder : Path
        A folder as ``save_pretrained`` writes it. Files of other kinds (read-me, pickles, optimiser states)
        and sub-folders do not count.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
    with ThreadPoolExecutor(4) as pool:
        lines = [
            f"{path.name} {content}\n"
            for path, content in zip(files, pool.map(file_hash, files), strict=True)
        ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
