"""The manifest beside a generated set: how the set was drawn, and the SHA-256 of its files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Any

from probsense.core.errors import InputError
from probsense.core.files import Place, read_json, writing

MANIFEST_FILE = "manifest.json"
"""The file beside the trials that says how they were drawn."""

HASHED = TRIALS_FILE, TRAINING_FILE, SKINS_FILE = ("trials.jsonl.bz2", "training.jsonl.bz2", "skins.yaml")
"""The files whose hashes it can hold."""


def write_manifest(folder: Path, design: Mapping[str, Any], files: Sequence[str]) -> None:
    """Write the manifest of files that are in the folder already.

    Parameters
    ----------
    folder : Path
    design : mapping
        How the set was drawn.
    files : sequence of str
        Their names, among :data:`HASHED`.
    """
    document = {
        **design,
        "version": version("probsense"),
        "files": {name: _sha256(folder / name) for name in files},
    }
    with writing(folder / MANIFEST_FILE) as stream:
        stream.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")


def changed_files(folder: Path) -> tuple[str, ...]:
    """List the files of a folder that are not those of its manifest: changed since, or gone.

    A folder without a manifest, or with one that holds no hashes, promises nothing.

    Raises
    ------
    InputError
        For a manifest that cannot be read.
    """
    path = folder / MANIFEST_FILE
    if not path.exists():
        return ()
    place = Place(path)
    files = place.mapping(place.mapping(read_json(path)).get("files", {}), "files")
    return tuple(name for name in HASHED if name in files and _sha256_or_none(folder / name) != files[name])


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def _sha256_or_none(path: Path) -> str | None:
    return _sha256(path) if path.is_file() else None
