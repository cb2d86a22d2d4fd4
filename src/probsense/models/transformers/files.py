"""Finds the files of a Hugging Face model, and what identifies them; reads GGUF files as plain weights."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.core.errors import InputError, ModelError
from probsense.core.files import file_hash, open_bytes
from probsense.core.records import Json
from probsense.models.base import one_line

if TYPE_CHECKING:
    from gguf import GGUFReader


HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
GGUF, GGUF_MAGIC = ".gguf", b"GGUF"
TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")
"""Files by which a folder has a tokenizer of its own."""
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a model.

    Attributes
    ----------
    folder : Path
    gguf : str or None
        The file of the folder that holds the weights, to be dequantised; None for safetensors.
    identity : Mapping
        Details that identify the files, wherever they lie.
    """

    folder: Path
    gguf: str | None
    identity: Mapping[str, Json]

    @property
    def has_tokenizer(self) -> bool:
        """Whether a tokenizer lies in the folder, or else in the GGUF file alone."""
        return self.gguf is None or any((self.folder / name).is_file() for name in TOKENIZERS)


def locate(argument: str, revision: str | None, gguf_file: str | None = None) -> Source:
    """Find the files of a model, and what identifies them.

    Parameters
    ----------
    argument : str
        A folder, a GGUF file, or a name on the hub.
    revision : str or None
        Branch, tag or commit on the hub.
    gguf_file : str or None
        The GGUF file of the folder or of the hub's repository to take.

    Returns
    -------
    Source
        Its identity is ``{"weights": SHA-256 of its files}``, which does not depend on where they lie, or
        ``{"repository", "revision", "commit"}``; a GGUF file adds its name on the hub, or the hash of the tokenizer
        beside it.

    Raises
    ------
    InputError
        For an empty argument, a folder or a file that does not exist, a folder that lacks its files, or options that
        do not belong to what is named.
    ModelError
        If the hub cannot be reached or has no such model, or the weights are no safetensors.
    """
    here = find_here(argument, revision, gguf_file)
    if here is not None:
        folder, name = here
        return (
            Source(folder, None, {"weights": folder_hash(folder)})
            if name is None
            else _dequantised(folder, name)
        )
    folder = _download(argument, revision, gguf_file)
    identity = {"repository": argument, "revision": revision or "main", "commit": folder.name}
    if gguf_file is not None:
        check_gguf(folder / gguf_file)
        return Source(folder, gguf_file, {**identity, "gguf_file": gguf_file})
    check_folder(folder)
    return Source(folder, None, identity)


def find_here(argument: str, revision: str | None, gguf_file: str | None) -> tuple[Path, str | None] | None:
    """Find a model on this machine without reading it: its folder, and the name of its GGUF file, if it is one.

    Parameters
    ----------
    argument, revision, gguf_file
        As for :func:`locate`.

    Returns
    -------
    (Path, str or None) or None
        None for a name on the hub.

    Raises
    ------
    InputError
        As :func:`locate`.
    """
    if not argument:
        raise InputError("hf: names no model", expected="hf:FOLDER, hf:FILE.gguf or hf:OWNER/NAME")
    place = Path(argument).expanduser()
    if place.exists():
        if revision is not None:
            raise InputError("a revision is for models on the hub, not for folders", path=place)
        if place.is_file() and is_gguf(place):
            if gguf_file is not None:
                raise InputError("a GGUF file already", path=place, expected=f"no --gguf-file {gguf_file}")
            return place.parent, place.name
        if gguf_file is not None:
            check_gguf(place / gguf_file)
        else:
            check_folder(place)
        return place, gguf_file
    if place.suffix == GGUF:
        raise InputError("no such file", path=place)
    if not HUB_NAME.fullmatch(argument):
        raise InputError("no such folder", path=argument, expected="a folder, or OWNER/NAME on the hub")
    return None


def _dequantised(folder: Path, name: str) -> Source:
    found = Source(folder, name, {"weights": file_hash(folder / name)})
    tokenizer = folder_hash(folder, TOKENIZER_SUFFIXES) if found.has_tokenizer else None
    return replace(found, identity={**found.identity, "tokenizer": tokenizer})


def check_gguf(path: Path) -> None:
    """Refuse what is no GGUF file.

    Raises
    ------
    InputError
        If there is no such file, or another one.
    """
    if path.is_dir():
        raise InputError("a folder", path=path, expected="a GGUF file")
    if not is_gguf(path):
        raise InputError("not a GGUF file", path=path, expected=f"a file that begins with {GGUF_MAGIC!r}")


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
        raise InputError("not a folder", path=folder, expected="a folder as save_pretrained writes it")
    if not (folder / "config.json").is_file():
        names = sorted(path.name for path in folder.iterdir() if path.suffix == GGUF)
        if names:
            raise InputError("has GGUF files only", path=folder, expected=f"--gguf-file {' or '.join(names)}")
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


def is_gguf(path: Path) -> bool:
    """Tell by its first bytes whether a file is a GGUF file, whatever its name."""
    with open_bytes(path) as stream:
        return stream.read(len(GGUF_MAGIC)) == GGUF_MAGIC


def _shards(index: Path) -> set[str]:
    try:
        return set(json.loads(index.read_text("utf-8"))["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("no index of weights", path=index, expected='JSON with "weight_map"') from None


def _download(name: str, revision: str | None, gguf_file: str | None) -> Path:
    """Return the folder of one commit in the hub's cache, after fetching the files that are not there yet."""
    import httpx
    from huggingface_hub import snapshot_download

    patterns = [f"*{suffix}" for suffix in (TOKENIZER_SUFFIXES if gguf_file else SUFFIXES)]
    patterns += [gguf_file] if gguf_file else []
    try:
        return Path(
            snapshot_download(
                name,
                revision=revision,
                allow_patterns=patterns,
                ignore_patterns=["*/*", "consolidated*"],
            )
        )
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise ModelError(
            f"{name}: no such folder, and the Hugging Face hub did not give it: {one_line(error)}"
        ) from None


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


PACKAGES = ("torch", "transformers", "gguf", "accelerate")
DIGITS = "smollm"
"""The pre-tokenizer that splits numbers into digits and is GPT-2's otherwise."""
PLAIN = ("", "default", "gpt-2")
"""Pre-tokenizers that the library's byte-level tokenizer follows by itself."""


def check_packages(path: Path) -> None:
    """Refuse to read a GGUF file without the packages that it takes.

    Raises
    ------
    ModelError
        If one of them is missing.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ModelError(
            f"{path}: to dequantise a GGUF file takes {' and '.join(missing)}: pip install {' '.join(missing)}"
        )


def read_file(path: Path) -> GGUFReader:
    """Open a GGUF file, without its numbers in memory."""
    from gguf import GGUFReader

    return GGUFReader(path)


def check_complete(network: Any, file: GGUFReader) -> None:
    """Refuse a network that has fewer numbers than its file: the library drops what its class has no place for.

    Raises
    ------
    ModelError
        If numbers are left out.
    """
    # Factors of rotary embeddings are no parameters; the library takes them, or others, from its configuration.
    stored = sum(int(tensor.n_elements) for tensor in file.tensors if not tensor.name.startswith("rope_"))
    absent = stored - sum(parameter.numel() for parameter in network.parameters())
    if absent > 0:
        raise ModelError(f"transformers leaves out {absent:,} of the file's numbers; gguf: reads them all")


def split_as_named(tokenizer: Any, file: GGUFReader, name: str) -> None:
    """Let a byte-level tokenizer out of a GGUF file split texts as the file says by a name that the library ignores.

    Where that cannot be done, a warning asks for the original tokenizer.

    Parameters
    ----------
    tokenizer : Any
    file : GGUFReader
    name : str
        Names the file in the warning.
    """
    from tokenizers import pre_tokenizers

    kind, split = (
        str(file.fields[key].contents()) if key in file.fields else ""
        for key in ("tokenizer.ggml.model", "tokenizer.ggml.pre")
    )
    if kind != "gpt2" or split in PLAIN or split in _splits():
        return
    if split == DIGITS:
        backend = tokenizer.backend_tokenizer
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), backend.pre_tokenizer]
        )
        return
    logging.getLogger("probsense").warning(
        "%s: transformers does not know the pre-tokenizer %r, so tokens may differ from those of the model; "
        "put its tokenizer.json beside the file",
        name,
        split,
    )


def _splits() -> frozenset[str]:
    """Return the names of pre-tokenizers that the installed library knows; earlier releases know none."""
    try:
        from transformers.integrations.gguf import gguf_tokenizer_mapping as known
    except ImportError:
        return frozenset()
    return frozenset(getattr(known, "GGUF_PRE_TOKENIZER_SPLITS", ()))


def dequantise(file: Path, target: Path) -> None:
    """Dequantise a GGUF file to float32, and save it as safetensors with its tokenizer.

    Parameters
    ----------
    file : Path
    target : Path
        The folder to make.

    Raises
    ------
    ModelError
        If a package is missing.
    """
    check_packages(file)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # The weights are plain numbers now; transformers would still refuse to save a "quantised" model.
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    split_as_named(tokenizer, read_file(file), file.name)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
