"""ProbEval as published, against sums written out; assignments and Gaussian regression against loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers import probeval
from probsense.analysis.open_answers.clusters import membership
from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError

WARM = Cluster("q.1", 6, ("tea", "cocoa"))
COLD = Cluster("q.0", 3, ("juice", "cocoa"))
QUESTION = Question("q", "what do you drink?", {"tea": 4, "cocoa": 2, "juice": 1, "sand": 5}, (WARM, COLD))


def equal(a, b):
    return np.array([[float(x == y) for y in b] for x in a]).reshape(len(a), len(b))


def embed(strings):
    return np.array([[len(s), s.count("a")] for s in strings], dtype=float).reshape(len(strings), 2)


def test_people():
    gold = probeval.human_gold(QUESTION)
    assert gold.strings == ("tea", "cocoa", "juice")
    assert gold.counts.tolist() == [4, 2, 1]
    assert gold.groups.tolist() == [[True, False], [True, True], [False, True]]
    assert gold.people.tolist() == [7 / 12, 4 / 12, 1 / 12]


def test_scores_by_hand():
    samples = [{"Tea ": 3, "cocoa": 1, "wine": 2}, {}]
    found = probeval.published_scores(probeval.human_gold(QUESTION), samples, probeval.by_similarity(equal))
    first = [(3 + 0.5 + 1) / 9, (0.5 + 1) / 9, (2 + 1) / 9]
    for score, model in zip(found, (first, [1 / 3] * 3), strict=True):
        assert score == pytest.approx(
            sum(p * math.log(p / q) for p, q in zip([7 / 12, 4 / 12, 1 / 12], model, strict=True)), abs=1e-12
        )


def test_answers_are_cut_and_found_again_by_their_beginning():
    start = "y" * 40
    strings, counts = probeval.published_counts(
        [{start + "a" * 20: 1, start + "b": 2}, {start + "B ": 4, "é🙂": 1}, {f"  {'z' * 60}": 6}]
    )
    # Blanks at the beginning count among the 50 characters.
    assert strings == [start + "a" * 10, start + "b", "é🙂", "z" * 48]
    assert counts.tolist() == [[3, 0, 0, 0], [0, 4, 1, 0], [0, 0, 0, 6]]


def test_automatic_clusters_are_not_smoothed():
    gold = probeval.published_automatic_gold(QUESTION, embed, 1.0)
    # "cocoa" stands in two clusters and counts twice; "sand" in none, and not at all.
    assert gold.strings == ("tea", "cocoa", "juice")
    assert gold.counts.tolist() == [4, 4, 1]
    assert gold.clusters == ("c_1", "c_2")
    assert gold.groups.tolist() == [[True, False], [False, True], [False, True]]
    assert gold.people.tolist() == [4 / 9, 5 / 9, 0]
    raw = probeval.published_automatic_gold(Question("q", "", QUESTION.raw), embed, 0.1)
    assert raw.strings == ("tea", "cocoa", "juice", "sand")
    assert raw.people.tolist() == [4 / 12, 2 / 12, 1 / 12, 5 / 12, 0]


def test_gaussian_matching():
    gold = probeval.published_automatic_gold(QUESTION, embed, 1.0)
    assert probeval.by_gaussian(embed)(["sea", "a very long answer"], gold).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(InputError, match="no clusters"):
        probeval.human_gold(Question("q", "", {"tea": 1}))
    with pytest.raises(InputError, match="has 0 answers"):
        probeval.published_automatic_gold(Question("q", "", {}), embed, 1.0)
    many = Question("q", "", {"tea": 15_000, "cocoa": 5_001})
    with pytest.raises(InputError, match=r"question 'q' has 20,001 answers of people .*1 to 20,000"):
        probeval.published_automatic_gold(many, embed, 1.0)


@st.composite
def cases(draw):
    answers, gold, clusters = draw(st.integers(0, 5)), draw(st.integers(0, 6)), draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(0, 4, (answers, gold)) / 3, rng.random((gold, clusters)) < 0.4


def plain(similarity, groups, floor):
    clusters = groups.shape[1]
    found = np.zeros((len(similarity), clusters + 1))
    for i, row in enumerate(similarity):
        best = [
            max((s for s, inside in zip(row, groups[:, k], strict=True) if inside), default=0.0)
            for k in range(clusters)
        ]
        winners = [k for k in range(clusters) if best[k] == max(best) and best[k] > floor]
        for k in winners or [clusters]:
            found[i, k] = 1 / max(len(winners), 1)
    return found


@given(cases(), st.sampled_from([0.0, 0.5]))
def test_an_answer_goes_to_its_best_clusters(case, floor):
    similarity, groups = case
    found = probeval.assign(probeval.cluster_scores(similarity, groups), floor)
    np.testing.assert_array_equal(found, plain(similarity, groups, floor))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_gaussian_regression_is_that_of_every_observation_on_its_own():
    rng = np.random.default_rng(1)
    gold, answers = rng.normal(size=(7, 3)), rng.normal(size=(4, 3))
    counts, labels = np.array([1, 3, 2, 1, 0, 1, 5]), np.array([0, 0, 1, 2, 0, 1, 2])  # one is never given
    repeated, outcomes = np.repeat(gold, counts, axis=0), np.eye(3)[np.repeat(labels, counts)]
    between = np.exp(-((repeated[:, None] - repeated) ** 2).sum(axis=2) / 2)
    across = np.exp(-((answers[:, None] - repeated) ** 2).sum(axis=2) / 2)
    plain = across @ np.linalg.solve(between + probeval.GAUSSIAN_NOISE * np.eye(len(repeated)), outcomes)
    vectors = np.concatenate([answers, gold[counts > 0], np.full((1, 3), 50.0)])
    found = probeval.gaussian_scores(vectors, gold, counts, membership(labels))
    np.testing.assert_allclose(found[:4], plain, atol=1e-6)  # the plain way loses digits to the small noise
    own = probeval.assign(found[4:], probeval.GAUSSIAN_FLOOR)
    assert own.argmax(axis=1).tolist() == [*labels[counts > 0], 3]  # far from all is wrong
