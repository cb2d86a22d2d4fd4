"""The similarity by WordNet: stop words, and parts that match."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from probsense.analysis.open_answers import wordnet as module
from probsense.analysis.open_answers.wordnet import STOP_WORDS, PhraseMatch, partition_score, wordnet, wup

ENTRIES = {
    "boat": {"vessel"},
    "ship": {"vessel", "send"},
    "post": {"send", "mail", "pole"},
    "mail": {"mail"},
    "sail boat": {"yacht"},
    "yacht": {"yacht"},
    "post ship mail": {"yacht", "liner"},
    "liner": {"liner"},
}


class Small:
    """Synsets of a few phrases; how close two synsets are is how many letters they share."""

    longest = 3

    def words(self, text):
        return text.replace(".", " . ").split()

    def synsets(self, phrase):
        return frozenset(ENTRIES.get(phrase.lower(), ()))

    def wup(self, a, b):
        pairs = product(self.synsets(a), self.synsets(b))
        return max((len({*x} & {*y}) / len({*x} | {*y}) for x, y in pairs), default=0.0)


LEXICON = Small()
TEXTS = st.lists(
    st.sampled_from(["boat", "ship", "post", "mail", "sail", "yacht", "liner", "the", "Boat", "on"]),
    max_size=5,
).map(" ".join)


def partitions(words):
    """Every way to cut words into phrases; no words are one empty phrase."""
    for cuts in product([False, True], repeat=max(len(words) - 1, 0)):
        phrases = [words[:1]]
        for cut, word in zip(cuts, words[1:], strict=True):
            phrases = [*phrases, [word]] if cut else [*phrases[:-1], [*phrases[-1], word]]
        yield [" ".join(phrase) for phrase in phrases]


def enumerated(a, b, match):
    """The published definition, word for word."""
    cut_a, cut_b = (
        list(partitions([word for word in LEXICON.words(text) if word not in STOP_WORDS])) for text in (a, b)
    )
    best = 0.0
    for parts_a, parts_b in product(cut_a, cut_b):
        scores = np.array([[1.0 if x == y else match(x, y) for y in parts_b] for x in parts_a])
        best = max(best, scores[linear_sum_assignment(-scores)].sum() / max(scores.shape))
    return best


@given(TEXTS, TEXTS)
@example("sail boat on", "yacht")
@example("yacht", "sail boat")
def test_wordnet_is_the_best_pair_of_partitions(a, b):
    expected = enumerated(a, b, lambda x, y: float(bool(LEXICON.synsets(x) & LEXICON.synsets(y))))
    assert wordnet(LEXICON)([a], [b])[0, 0] == pytest.approx(expected, abs=1e-12)


@given(TEXTS, TEXTS)
def test_wup_is_the_best_pair_of_partitions(a, b):
    assert wup(LEXICON)([a], [b])[0, 0] == pytest.approx(enumerated(a, b, LEXICON.wup), abs=1e-12)


@pytest.mark.parametrize("similarity", [wordnet(LEXICON), wup(LEXICON)])
def test_a_table_is_its_cells(similarity):
    a = ["ship", "the boat", "", "on the", "post ship mail", "sail boat. liner"]
    b = ["boat", "yacht", "of", "mail ship", "ship"]
    cells = [[similarity([x], [y])[0, 0] for y in b] for x in a]
    np.testing.assert_array_equal(similarity(a, b), cells)
    assert similarity([], b).shape == (0, 5)
    assert similarity(a, []).shape == (6, 0)


def test_stop_words_are_compared_before_lower_casing():
    np.testing.assert_array_equal(wordnet(LEXICON)(["The boat"], ["boat", "The"]), [[0.5, 0.5]])


def test_very_long_answers_are_cut():
    long = "mail " * 5000
    scores = wordnet(LEXICON)([long, "x " * 5000], [long, "post", "quay " * module.WORDS + "mail"])
    np.testing.assert_array_equal(scores, [[1, 0.5, 0], [0, 0, 0]])


def test_where_too_many_partitions_compete_the_score_is_a_lower_bound(monkeypatch):
    matches = tuple(PhraseMatch(i, i + 1, j, j + 1, (i * j % 5 + 1) / 5) for i in range(6) for j in range(6))
    best = partition_score.__wrapped__(6, 6, matches)
    monkeypatch.setattr(module, "STATES", 2)
    assert 0 < partition_score.__wrapped__(6, 6, matches) <= best <= 1
