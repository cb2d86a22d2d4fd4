"""Finds the files of a Hugging Face model, and what identifies them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from probsense.errors import InputError, ModelError
from probsense.files import open_bytes
from probsense.models.fingerprint import SUFFIXES, folder_hash
from probsense.records import Json

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
GGUF, GGUF_MAGIC = ".gguf", b"GGUF"
NO_GGUF = "a folder with safetensors, or openai:NAME with --base-url for llama.cpp's server, which loads it"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


def locate(argument: str, revision: str | None) -> tuple[Path, Mapping[str, Json]]:
    """Find the folder of a model, and its identity.

    Parameters
    ----------
    argument : str
        A folder, or a name on the hub.
    revision : str or None
        Branch, tag or commit on the hub.

    Returns
    -------
    (Path, Mapping)
        The folder, and either ``{"weights": SHA-256 of its files}``, which does not depend on where they
        lie, or ``{"repository", "revision", "commit"}``.

    Raises
    ------
    InputError
        For an empty argument, a folder that does not exist or lacks its files, or a revision of a folder.
    ModelError
        If the hub cannot be reached or has no such model, or the weights are no safetensors.
    """
    if not argument:
        raise InputError("hf: names no model", expected="hf:FOLDER or hf:OWNER/NAME")
    folder = Path(argument).expanduser()
    if folder.exists():
        if revision is not None:
            raise InputError("a revision is for models on the hub, not for folders", path=folder)
        check_folder(folder)
        return folder, {"weights": folder_hash(folder)}
    if folder.suffix == GGUF:
        raise InputError("no such file", path=folder)
    if not HUB_NAME.fullmatch(argument):
        raise InputError("no such folder", path=argument, expected="a folder, or OWNER/NAME on the hub")
    folder = _download(argument, revision)
    check_folder(folder)
    return folder, {"repository": argument, "revision": revision or "main", "commit": folder.name}


def check_folder(folder: Path) -> None:
    """Refuse a folder that is no loadable model, with one line that says why.

    Raises
    ------
    InputError
        If it is a file, lacks ``config.json`` or weights, or names weights that are not there.
    ModelError
        If its weights are pickles.
    """
    if not folder.is_dir():
        if _is_gguf(folder):
            raise InputError("a GGUF file, which hf: does not load", path=folder, expected=NO_GGUF)
        raise InputError("not a folder", path=folder, expected="a folder as save_pretrained writes it")
    if not (folder / "config.json").is_file():
        if any(path.suffix == GGUF for path in folder.iterdir()):
            raise InputError("has GGUF files only, which hf: does not load", path=folder, expected=NO_GGUF)
        raise InputError("has no config.json", path=folder, expected="a folder as save_pretrained writes it")
    single, index = (folder / name for name in WEIGHTS)
    if single.is_file():
        return
    if index.is_file():
        missing = sorted(name for name in _shards(index) if not (folder / name).is_file())
        if missing:
            raise InputError(f"names weights that are not there: {', '.join(missing)}", path=index)
        return
    if any(path.suffix in (".bin", ".pt", ".pth") for path in folder.iterdir()):
        raise ModelError(
            f"{folder}: has pickled weights only, which are never loaded; convert to safetensors"
        )
    raise InputError("has no weights", path=folder, expected=WEIGHTS[0])


def _is_gguf(path: Path) -> bool:
    """Tell by its first bytes whether a file is a GGUF file, whatever its name."""
    with open_bytes(path) as stream:
        return stream.read(len(GGUF_MAGIC)) == GGUF_MAGIC


def _shards(index: Path) -> set[str]:
    try:
        return set(json.loads(index.read_text("utf-8"))["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("no index of weights", path=index, expected='JSON with "weight_map"') from None


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
        reason = " ".join(str(error).split("\n\n")[0].split())
        raise ModelError(
            f"{name}: no such folder, and the Hugging Face hub did not give it: {reason}"
        ) from None
