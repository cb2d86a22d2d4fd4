"""Finds WordNet's dictionary files on this machine and reads them through nltk."""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.core.errors import InputError
from probsense.core.registry import install

if TYPE_CHECKING:
    from nltk.corpus.reader import WordNetCorpusReader
    from nltk.corpus.reader.wordnet import Synset


_HOW = (
    "its dictionary files, from `python -m nltk.downloader wordnet` or Debian's package wordnet-base, "
    "in their usual place or in the folder that PROBSENSE_WORDNET names"
)


ABBREVIATIONS = """
    adm asst aug ave bldg blvd capt cie cmdr co col corp cpl ct dec dept dr etc feb fri ft gen gov hon inc
    jan jr lt ltd maj mar messrs mon mr mrs ms mt no nov oct ph prof rep rev sat sen sept sgt sr st sun
    thu tues vs wed a.m p.m d.c e.g i.e u.k u.n u.s u.s.a
"""
"""Words whose full stop ends no sentence, in place of those that nltk learnt from texts: they matter only in the middle
of an answer."""


class WordNet:
    """Answer what the similarities of `probsense.analysis.open_answers.wordnet` ask of WordNet (their ``Lexicon``).

    It looks up each phrase once.

    Parameters
    ----------
    reader : nltk.corpus.reader.WordNetCorpusReader
    """

    def __init__(self, reader: WordNetCorpusReader) -> None:
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

        known = PunktParameters()
        known.abbrev_types = {*ABBREVIATIONS.split()}
        self._sentences = PunktSentenceTokenizer(known).tokenize
        self.longest = max(name.count("_") for name in reader.all_lemma_names()) + 1
        self._tokenize = NLTKWordTokenizer().tokenize
        self._reader = reader
        # nltk asks for it with every pair of nouns, and reads the files for it each time.
        reader.get_version = lru_cache(reader.get_version)
        self.synsets = lru_cache(maxsize=None)(self._synsets)
        self.wup = lru_cache(maxsize=None)(self._wup)

    def words(self, text: str) -> Sequence[str]:
        """Split a text into sentences (Kiss & Strunk 2006, Computational Linguistics 32(4)), and these into words by
        the conventions of the Penn Treebank, as nltk does.
        """
        return [word for sentence in self._sentences(text) for word in self._tokenize(sentence)]

    def _synsets(self, phrase: str) -> frozenset[str]:
        from nltk.corpus.reader.wordnet import WordNetError

        try:
            return frozenset(synset.name() for synset in self._reader.synsets(phrase.replace(" ", "_")))
        except (AttributeError, WordNetError):
            # nltk gives None for an entry that is not where the index says.
            raise InputError(
                "WordNet's data do not fit its index", path=self._reader.root, expected=_HOW
            ) from None

    def _wup(self, a: str, b: str) -> float:
        left, right = (map(self._reader.synset, self.synsets(phrase)) for phrase in (a, b))
        return max((_closeness(*pair) for pair in product(left, right)), default=0.0)


@lru_cache(maxsize=1_000_000)
def _closeness(x: Synset, y: Synset) -> float:
    """Return Wu and Palmer's similarity of two synsets; 0 where nothing is above both."""
    return x.wup_similarity(y) or 0.0


def find() -> Path:
    """Find the dictionary files of WordNet.

    Returns
    -------
    Path
        The folder that the environment variable PROBSENSE_WORDNET names; without it the first of these places that has
        them: nltk's ``corpora/wordnet`` (a folder or a zip), ``/usr/share/wordnet``.

    Raises
    ------
    InputError
        If nltk is not installed, or no place has them.
    """
    try:
        from nltk.data import path as nltk_data
    except ImportError:
        raise InputError("WordNet needs nltk", expected=install("wordnet")) from None
    named = os.environ.get("PROBSENSE_WORDNET")
    kept = [Path(folder, "corpora", name) for folder in nltk_data for name in ("wordnet", "wordnet.zip")]
    for place in [Path(named)] if named else [*kept, Path("/usr/share/wordnet")]:
        if (place / "index.noun").is_file() or zipfile.is_zipfile(place):
            return place
    found = "PROBSENSE_WORDNET names no WordNet" if named else "WordNet was not found on this machine"
    raise InputError(found, path=named or None, expected=_HOW)


def load() -> WordNet:
    """Load WordNet from where `find` finds it.

    Returns
    -------
    WordNet
        The same one for the same place.

    Raises
    ------
    InputError
        If nltk is not installed, or WordNet's files are absent or broken.
    """
    return _load(find())


@lru_cache(maxsize=1)
def _load(place: Path) -> WordNet:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetError

    is_zip = place.suffix == ".zip"
    # nltk opens files only in folders that it knows.
    nltk.data.path.append(str(place.parent if is_zip else place))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about other languages
            return WordNet(_reader(f"{place}/wordnet/" if is_zip else str(place)))
    except (OSError, ValueError, AssertionError, IndexError, StopIteration, WordNetError) as error:
        raise InputError(f"not WordNet's dictionary files: {error}", path=place, expected=_HOW) from None


def _reader(root: str) -> WordNetCorpusReader:
    from nltk.corpus.reader import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Read WordNet without two files that similarities do not need and Debian does not pack."""

        def open(self, file: str) -> Any:
            if file == "lexnames":
                return io.StringIO("".join(f"{number:02}\tunnamed\t0\n" for number in range(45)))
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the map to other versions, which would need index.sense."""

    return Reader(root, None)
