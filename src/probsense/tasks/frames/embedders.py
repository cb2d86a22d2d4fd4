"""Embeddings by name: the built-in one, a sentence embedding, those of two libraries, and stored ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from probsense.analysis.open_answers.embedding import char_tfidf, each_once
from probsense.analysis.open_answers.questions import Embed, Floats
from probsense.core.errors import ModelError, brief
from probsense.core.extras import install
from probsense.core.files import Place, read_json
from probsense.tasks.frames.definite import (
    CHARS,
    LIBRARIES,
    MINILM,
    PIN,
    definite,
    minilm_folder,
    weights_sha256,
)

BATCH = 128
"""How many strings a model embeds at a time; they are short."""


def load_embedder(spec: str | Embed, strings: Sequence[str]) -> Embed:
    """Load the embedding of strings that a name stands for.

    Parameters
    ----------
    spec : str or Embed
        ``auto``, what :func:`~probsense.tasks.frames.definite.definite` makes of it; ``minilm``, all-MiniLM-L6-v2 out
        of a package; ``chars``, the built-in character n-grams (see
        `probsense.analysis.open_answers.embedding.char_tfidf`); ``st:MODEL``, a model of sentence-transformers, or
        ``m2v:MODEL``, one of model2vec, in a folder or on the hub; ``FILE.json``, stored vectors (see `stored`).
        Each may be followed by ``#sha256=`` and the SHA-256 that its weights must have. A callable is returned as it
        is.
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
    if callable(spec):
        return spec
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
