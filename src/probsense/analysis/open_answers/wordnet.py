"""Measures the similarity of two short answers by WordNet: how much of one shares a meaning with parts of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from probsense.analysis.open_answers.questions import Floats, Similarity

_STOP_WORDS = """
    i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
    he him his himself she she's her hers herself it it's its itself they them their theirs themselves
    what which who whom this that that'll these those am is are was were be been being have has had having
    do does did doing a an the and but if or because as until while of at by for with about against between
    into through during before after above below to from up down in out on off over under again further
    then once here there when where why how all any both each few more most other some such no nor not only
    own same so than too very s t can will just don don't should should've now d ll m o re ve y
    ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't
    isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't
    weren weren't won won't wouldn wouldn't
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""NLTK's 179 English stop words (Bird, Loper & Klein 2009), all lower case."""

WORDS = 32
"""Number of words of an answer that count, without stop words; a longer answer is cut."""

STATES = 500
"""Number of partial partitions that compete, word by word."""


class Lexicon(Protocol):
    """Declare what the similarities need of WordNet; `probsense.tasks.frames.measures.wordnet.load` returns one."""

    @property
    def longest(self) -> int:
        """Return the number of words in the longest entry."""

    def words(self, text: str, /) -> Sequence[str]:
        """Split a text into words."""

    def synsets(self, phrase: str, /) -> frozenset[str]:
        """Return the names of the synsets of a phrase or its base form; spaces separate its words."""

    def wup(self, a: str, b: str, /) -> float:
        """Return Wu and Palmer's similarity of the closest synsets of two phrases; 0 where there are none."""


class PhraseMatch(NamedTuple):
    """Match words ``start_a`` to ``end_a`` (exclusive) of one string with words of another, with a weight in (0, 1]."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    weight: float = 1.0


class _Phrase(NamedTuple):
    text: str
    start: int
    end: int
    synsets: frozenset[str]


class _Parsed(NamedTuple):
    length: int
    phrases: tuple[_Phrase, ...]


def wordnet(lexicon: Lexicon) -> Similarity:
    """Return the WordNet similarity of the ProtoQA and PROBEVAL evaluations.

    The similarity drops stop words (compared before lower-casing) and cuts both strings into contiguous parts in the
    best way. Parts match if they are equal or share a synset. The score is the number of matched parts over the
    number of parts of the string that has more. Two strings of stop words alone are equal.

    The published code tries every pair of partitions. This function finds the same maximum from the matching phrases
    alone (see `partition_score`), and looks each phrase up once.

    Parameters
    ----------
    lexicon : Lexicon

    Returns
    -------
    Similarity

    References
    ----------
    Boratko et al. (2020), ProtoQA (EMNLP). Cheng et al. (2024), Every Answer Matters (ACL).
    """
    return _by_parts(lexicon, lambda x, y: float(x.text == y.text or not x.synsets.isdisjoint(y.synsets)))


def wup(lexicon: Lexicon) -> Similarity:
    """Return the WordNet similarity in which unequal parts match by degrees, by Wu and Palmer's similarity.

    It differs from `wordnet` in that parts count by the similarity of their closest synsets, even if they share none;
    equal parts count 1. It is not quite symmetric, because nltk's measure is not.

    Parameters
    ----------
    lexicon : Lexicon

    Returns
    -------
    Similarity

    References
    ----------
    Wu & Palmer (1994), Verb Semantics and Lexical Selection (ACL), as nltk computes it;
    the ProtoQA evaluator's ``wordnet_wup_score``.
    """
    return _by_parts(lexicon, lambda x, y: 1.0 if x.text == y.text else lexicon.wup(x.text, y.text))


def _by_parts(lexicon: Lexicon, alike: Callable[[_Phrase, _Phrase], float]) -> Similarity:
    """Return the similarity of the best partitions, by how alike two phrases are."""
    parse = lru_cache(maxsize=None)(lambda text: _parse(text, lexicon))

    def score(a: _Parsed, b: _Parsed) -> float:
        weights = ((x, y, alike(x, y)) for x in a.phrases for y in b.phrases)
        found = tuple(
            PhraseMatch(x.start, x.end, y.start, y.end, weight) for x, y, weight in weights if weight
        )
        return partition_score(a.length, b.length, found) if found else 0.0

    def similarity(a: Sequence[str], b: Sequence[str]) -> Floats:
        columns = [parse(string) for string in b]
        scores = [score(parse(string), column) for string in a for column in columns]
        return np.array(scores, dtype=np.float64).reshape(len(a), len(b))

    return similarity


def _parse(text: str, lexicon: Lexicon) -> _Parsed:
    """Count the words without stop words, and list the phrases that may match: single words, and entries."""
    words = [word for word in lexicon.words(text) if word not in STOP_WORDS][:WORDS] or [""]
    phrases = []
    for start in range(len(words)):
        for end in range(start + 1, min(start + lexicon.longest, len(words)) + 1):
            phrase = " ".join(words[start:end])
            synsets = lexicon.synsets(phrase)
            if synsets or end == start + 1:
                phrases.append(_Phrase(phrase, start, end, synsets))
    return _Parsed(len(words), tuple(phrases))


_State = tuple[int, int, int, bool]  # words of b taken (bits), parts matched, gaps in a, is the last one open


@lru_cache(maxsize=100_000)
def partition_score(length_a: int, length_b: int, matches: tuple[PhraseMatch, ...]) -> float:
    """Compute the highest share of matched parts, over all ways to cut two strings into contiguous parts.

    A choice consists of matches that share no word, in any order. Each run of words between them is one part, because
    cutting words that match nothing gains nothing. Equal phrases of several words gain nothing over their words one by
    one, so only the words need be given. The score is the sum of the chosen matches' weights over the number of parts
    of the string that has more.

    The result is exact while at most `STATES` partial choices compete at a word, which holds wherever the enumeration
    of all partitions is feasible. Beyond that the search follows the heaviest ones, and the result is a lower bound.

    Parameters
    ----------
    length_a, length_b : int
        Numbers of words of the two strings, at least 1.
    matches : tuple of PhraseMatch
        All matches of the two strings.

    Returns
    -------
    float
        Score from 0 to 1.
    """
    starting: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
    for match in matches:
        words = (1 << match.end_b) - (1 << match.start_b)
        starting[match.start_a].append((match.end_a, words, match.weight))
    # Each layer holds the partial choices that end at a place in a, with their highest sums of weights.
    layers: list[dict[_State, float]] = [{} for _ in range(length_a + 1)]
    layers[0][0, 0, 0, False] = 0.0
    for place in range(length_a):
        for (taken, matched, gaps, is_open), weight in _heaviest(layers[place]):
            skipped = (taken, matched, gaps + (not is_open), True)
            layers[place + 1][skipped] = max(layers[place + 1].get(skipped, 0.0), weight)
            for end, words, gain in starting.get(place, ()):
                if not taken & words:
                    chosen = (taken | words, matched + 1, gaps, False)
                    layers[end][chosen] = max(layers[end].get(chosen, 0.0), weight + gain)
    return max(
        weight / (matched + max(gaps, _gaps(taken, length_b)))
        for (taken, matched, gaps, _), weight in layers[length_a].items()
    )


def _heaviest(layer: dict[_State, float]) -> Iterable[tuple[_State, float]]:
    if len(layer) <= STATES:
        return layer.items()
    return sorted(layer.items(), key=lambda item: (-item[1], item[0]))[:STATES]


def _gaps(taken: int, length: int) -> int:
    """Count the runs of words that are not taken."""
    free = ~taken & ((1 << length) - 1)
    return (free & ~(free << 1)).bit_count()
