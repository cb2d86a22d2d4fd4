"""People's answers: sums over people and statements, and scores against loops over both."""

import math

import numpy as np
import pytest

from analysis.agreement.counted import agreed, mean, most
from probsense.analysis.agreement.people import (
    People,
    common_sense_by_answer,
    majority_of_others,
    published_majority,
    published_person_scores,
    published_statement_scores,
    raters,
    statement_majority,
    statement_scores,
)


def test_order_does_not_matter_and_gaps_are_kept():
    columns = [2, 0, 1], [1, 1, 0], [1, np.nan, 0], [0, 1, np.nan]
    people = People(*map(np.array, columns), 3, 2)
    assert people.person.tolist() == [0, 1, 1]
    assert people.statement.tolist() == [1, 0, 2]
    assert (people.asked1.tolist(), people.yes1.tolist()) == ([1, 0, 1], [0, 0, 1])


def ratings(people, statement):
    inside = people.statement == statement
    return tuple([x for x in q[inside] if not math.isnan(x)] for q in (people.q1, people.q2))


@pytest.mark.parametrize("minimum", [1, 2, 3, 4])
def test_scores_of_statements_are_those_of_a_loop(people, minimum, monkeypatch):
    """As published, a tie is a yes; as ours, it counts half, and what few rated is left out."""
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", minimum)
    published, ours = published_statement_scores(people), statement_scores(people)
    keys = published_majority(people), statement_majority(people)
    for i in range(people.statements):
        first, second = ratings(people, i)
        yes, no = first.count(1), first.count(0)
        consensus = abs(yes - no) / len(first) if first else math.nan
        key = float(yes >= no and bool(first))
        for scores, own, tie in ((published, keys[0], key), (ours, keys[1], 0.5)):
            key = key if yes != no else tie
            counts = scores is published or len(first) >= minimum
            awareness = np.mean([agreed(x, key) for x in second]) if second and counts else math.nan
            assert own[i] == pytest.approx(key if counts else math.nan, nan_ok=True)
            found, expected = (scores.consensus[i], scores.awareness[i]), (consensus, awareness)
            assert found == pytest.approx(expected if counts else (math.nan,) * 2, abs=1e-12, nan_ok=True)


def test_what_an_answer_adds_is_how_the_score_moves_with_its_weight():
    """The mean over a person's answers is the score; n times the derivative by a weight is what one of them adds."""
    right1, right2 = np.array([1.0, 0.0, 1.0, np.nan, 1.0]), np.array([1.0, 1.0, 0.0, 1.0, np.nan])

    def score(weight):
        shares = [np.nansum(weight * m) / weight[~np.isnan(m)].sum() for m in (right1, right2)]
        return math.sqrt(shares[0] * shares[1])

    whole, step = score(np.ones(5)), 1e-6
    found = common_sense_by_answer(right1, right2, np.zeros(5, np.int64), 1)
    assert found.mean() == pytest.approx(whole)
    for i, value in enumerate(found):
        moved = (score(np.ones(5) + step * (np.arange(5) == i)) - whole) / step
        assert value - whole == pytest.approx(5 * moved, abs=1e-5)


def test_published_scores_of_persons_are_those_of_a_loop(people):
    key, scores = published_majority(people), published_person_scores(people)
    for j in range(people.people):
        own = people.person == j
        asked = [own & ~np.isnan(q) for q in (people.q1, people.q2)]
        right = [
            q[one] == key[people.statement[one]] for q, one in zip((people.q1, people.q2), asked, strict=True)
        ]
        consensus, awareness = map(mean, right)
        found = (scores.consensus[j], scores.awareness[j], scores.commonsensicality[j])
        np.testing.assert_array_equal(found, (consensus, awareness, np.sqrt(consensus * awareness)))


@pytest.mark.parametrize("minimum", [1, 2, 3, 4])
def test_the_majority_of_others_leaves_the_person_out(people, minimum, monkeypatch):
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", minimum)
    found, n = majority_of_others(people), raters(people)
    for k in range(len(found)):
        others = (people.statement == people.statement[k]) & (people.person != people.person[k])
        votes = [x for x in people.q1[others] if not math.isnan(x)]
        if not votes or n[people.statement[k]] < minimum:
            assert math.isnan(found[k])
        else:
            assert found[k] == most(votes)
