"""Embeddings by name: the built-in one, those of two libraries, and stored ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from probsense.answers.embedding import char_tfidf
from probsense.answers.questions import Embed, Floats
from probsense.errors import InputError, ModelError, brief
from probsense.files import Place, read_json

NAMES = "chars, st:MODEL, m2v:MODEL (a folder or a name on the hub), or FILE.json"


def load_embedder(spec: str | Embed, strings: Sequence[str]) -> Embed:
    """Load what gives strings their vectors.

    Parameters
    ----------
    spec : str or Embed
        ``chars``, the built-in character n-grams (see `probsense.answers.embedding.char_tfidf`); ``st:MODEL``, a model
        of sentence-transformers, or ``m2v:MODEL``, one of model2vec, in a folder or on the hub; ``FILE.json``, stored
        vectors (see `stored`). A callable is returned as it is.
    strings : sequence of str
        All answers at hand: ``chars`` weights its n-grams by them.

    Returns
    -------
    Embed

    Raises
    ------
    InputError
        For an unknown spec, or a file that is not as it should be.
    ModelError
        If the library is not installed, or the model cannot be loaded.
    """
    if callable(spec):
        return spec
    kind, colon, model = spec.partition(":")
    if spec == "chars":
        return char_tfidf(strings)
    if kind in _LIBRARIES and colon and model:
        library, load = _LIBRARIES[kind]
        try:
            return load(model)
        except ImportError:
            raise ModelError(f"{spec} needs {library}: pip install 'probsense[embed]'") from None
        except (
            Exception
        ) as error:  # whatever a broken folder makes of a library's insides: one line for the user
            why = " ".join(str(error).split())[:300] or type(error).__name__
            raise ModelError(f"{spec}: cannot be loaded: {why}") from None
    if spec.removesuffix(".gz").endswith(".json"):
        return stored(Path(spec))
    raise InputError(f"no such embedding: {spec!r}", expected=NAMES)


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
        It raises an InputError for a string that is not in the file.

    Raises
    ------
    InputError
        For a file that is not so, vectors of several lengths, or a string with two unequal vectors.
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


def _sentence_transformer(model: str) -> Embed:
    import transformers
    from sentence_transformers import SentenceTransformer

    logging: Any = transformers.utils.logging  # untyped
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # stderr belongs to the command's own progress
    try:
        encoder = SentenceTransformer(model)
    finally:
        if shown:
            logging.enable_progress_bar()
    return lambda strings: np.asarray(encoder.encode(list(strings), show_progress_bar=False), np.float64)


def _model2vec(model: str) -> Embed:
    from model2vec import StaticModel

    encoder = StaticModel.from_pretrained(model, force_download=False)
    return lambda strings: np.asarray(encoder.encode(list(strings)), np.float64)


_LIBRARIES = {
    "st": ("sentence-transformers", _sentence_transformer),
    "m2v": ("model2vec", _model2vec),
}
