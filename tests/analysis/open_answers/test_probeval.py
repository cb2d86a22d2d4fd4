"""ProbEval as published, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.divergence import laplace
from probsense.analysis.open_answers.probeval import (
    by_gaussian,
    by_similarity,
    human_gold,
    published_automatic_gold,
    published_counts,
    published_scores,
)
from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError

WARM = Cluster("q.1", 6, ("tea", "cocoa"))
COLD = Cluster("q.0", 3, ("juice", "cocoa"))
QUESTION = Question("q", "what do you drink?", {"tea": 4, "cocoa": 2, "juice": 1, "sand": 5}, (WARM, COLD))


def equal(a, b) -> np.ndarray:
    return np.array([[float(x == y) for y in b] for x in a]).reshape(len(a), len(b))


def embed(strings) -> np.ndarray:
    return np.array([[len(s), s.count("a")] for s in strings], dtype=float).reshape(len(strings), 2)


def test_people() -> None:
    gold = human_gold(QUESTION)
    assert gold.strings == ("tea", "cocoa", "juice")
    assert gold.counts.tolist() == [4, 2, 1]
    assert gold.groups.tolist() == [[True, False], [True, True], [False, True]]
    assert gold.people.tolist() == [7 / 12, 4 / 12, 1 / 12]


def test_scores_by_hand() -> None:
    samples = [{"Tea ": 3, "cocoa": 1, "wine": 2}, {}]
    found = published_scores(human_gold(QUESTION), samples, by_similarity(equal))
    first = [(3 + 0.5 + 1) / 9, (0.5 + 1) / 9, (2 + 1) / 9]
    for score, model in zip(found, (first, [1 / 3] * 3), strict=True):
        assert score == pytest.approx(
            sum(p * math.log(p / q) for p, q in zip([7 / 12, 4 / 12, 1 / 12], model, strict=True)), abs=1e-12
        )


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["tea", "TEA", "juice", "mud", "x" * 60]), st.integers(1, 5)),
        max_size=5,
    )
)
def test_all_samples_at_once_are_each_alone(samples) -> None:
    gold, match = human_gold(QUESTION), by_similarity(equal)
    together = published_scores(gold, samples, match)
    for sample, score in zip(samples, together, strict=True):
        assert published_scores(gold, [sample], match)[0] == pytest.approx(score, abs=1e-12)


def test_answers_are_cut_and_found_again_by_their_beginning() -> None:
    start = "y" * 40
    strings, counts = published_counts(
        [{start + "a" * 20: 1, start + "b": 2}, {start + "B ": 4, "é🙂": 1}, {f"  {'z' * 60}": 6}]
    )
    # Blanks at the beginning count among the 50 characters.
    assert strings == [start + "a" * 10, start + "b", "é🙂", "z" * 48]
    assert counts.tolist() == [[3, 0, 0, 0], [0, 4, 1, 0], [0, 0, 0, 6]]


def test_automatic_clusters_are_not_smoothed() -> None:
    gold = published_automatic_gold(QUESTION, embed, 1.0)
    # "cocoa" stands in two clusters and counts twice; "sand" in none, and not at all.
    assert gold.strings == ("tea", "cocoa", "juice")
    assert gold.counts.tolist() == [4, 4, 1]
    assert gold.clusters == ("c_1", "c_2")
    assert gold.groups.tolist() == [[True, False], [False, True], [False, True]]
    assert gold.people.tolist() == [4 / 9, 5 / 9, 0]
    raw = published_automatic_gold(Question("q", "", QUESTION.raw), embed, 0.1)
    assert raw.strings == ("tea", "cocoa", "juice", "sand")
    assert raw.people.tolist() == [4 / 12, 2 / 12, 1 / 12, 5 / 12, 0]


def test_more_answers_than_can_be_compared_in_pairs_are_refused() -> None:
    question = Question("q", "", {"tea": 15_000, "cocoa": 5_001})
    with pytest.raises(InputError, match=r"question 'q' has 20,001 answers of people .*1 to 20,000"):
        published_automatic_gold(question, embed, 1.0)


def test_gaussian_matching() -> None:
    gold = published_automatic_gold(QUESTION, embed, 1.0)
    assert by_gaussian(embed)(["sea", "a very long answer"], gold).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_smoothing() -> None:
    assert laplace([[3, 0, 0], [0, 0, 0]]).tolist() == [[4 / 6, 1 / 6, 1 / 6], [1 / 3] * 3]
    assert laplace([1.5, 0.5], 0).tolist() == [0.75, 0.25]


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(InputError, match="no clusters"):
        human_gold(Question("q", "", {"tea": 1}))
    with pytest.raises(InputError, match="has 0 answers"):
        published_automatic_gold(Question("q", "", {}), embed, 1.0)
