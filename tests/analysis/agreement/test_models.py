"""Models as individuals and as populations, against loops over models and statements."""

import math

import numpy as np
import pytest

from analysis.agreement.counted import agreements, mean
from probsense.analysis.agreement.models import (
    fits,
    population_scores,
    published_answers,
    published_leads,
    published_population_scores,
    published_scores_with_model,
    published_shares,
    random_person_scores,
    share_beaten,
)
from probsense.analysis.agreement.people import (
    majority_of_others,
    published_majority,
    published_person_scores,
)


def test_a_model_may_vote_with_the_people(people, binary):
    scores = published_scores_with_model(*binary, people)
    for m in range(len(binary[0])):
        key = []
        for i in range(people.statements):
            votes = [x for x in people.q1[people.statement == i] if not math.isnan(x)] + [binary[0][m, i]]
            key.append(float(np.mean(votes) >= 0.5))
        assert scores.consensus[m] == np.mean(binary[0][m] == key)
        assert scores.awareness[m] == np.mean(binary[1][m] == key)


MASS = np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0], [np.nan] * 3])


def test_other_answers_are_split_and_a_tie_is_a_yes():
    np.testing.assert_array_equal(published_answers(MASS), [1, 0, 1, 1, np.nan])
    np.testing.assert_allclose(published_shares(MASS), [0.55, 0.45, 0.55, 0.5, np.nan], atol=1e-12)
    # Or they are not split, and split twice.
    np.testing.assert_array_equal(published_answers(MASS, compat=True), [0, 0, 1, 0, np.nan])
    once, other = published_shares(MASS[:4]), MASS[:4, 2]
    twice = (once + other / 2) / (1 + other)
    np.testing.assert_allclose(published_shares(MASS[:4], compat=True), twice, atol=1e-12)


def test_a_random_person_gets_the_mean_over_raters_and_statements(people):
    key, found = majority_of_others(people), random_person_scores(people)
    for q, value in ((people.q1, found.consensus), (people.q2, found.awareness)):
        inside = (people.statement == i for i in range(people.statements))
        means = [mean(agreements(q[own], key[own])) for own in inside]
        assert value == pytest.approx(np.nanmean(means), abs=1e-12)


def test_published_leads_are_those_of_a_loop(people, binary):
    key, persons = published_majority(people), published_person_scores(people).commonsensicality
    leads = published_leads(*binary, people)
    for m in range(len(binary[0])):
        for j in range(people.people):
            rated = people.statement[(people.person == j) & ~np.isnan(people.q1)]
            score = math.sqrt(
                mean([*(binary[0][m, rated] == key[rated])]) * mean([*(binary[1][m, rated] == key[rated])])
            )
            assert leads[j, m] == pytest.approx(score - persons[j], abs=1e-12, nan_ok=True)


def test_percentiles_count_equals_half_though_their_roots_differ():
    model, person = np.sqrt(np.array([[0.8 * 0.9]])), np.sqrt(np.array([0.72 * 1.0]))
    assert model[0, 0] != person[0]
    assert share_beaten(model, person, np.ones(1)).tolist() == [0.5]
    persons = np.array([0.2, 0.4, 0.4, 0.9, math.nan])
    found = share_beaten(np.array([[0.1, 0.2, 0.4, 0.5, 1.0, math.nan]]), persons, np.ones(5))
    np.testing.assert_array_equal(found, [0, 0.125, 0.5, 0.75, 1, math.nan])


def test_scores_are_those_of_a_loop(p):
    for scores, tie in ((published_population_scores(*p), None), (population_scores(*p), 0.5)):
        for m, i in np.ndindex(p[0].shape):
            yes1, yes2 = p[0][m, i], p[1][m, i]
            aware = yes2 if yes1 >= 0.5 else 1 - yes2
            if tie is not None and yes1 == 0.5:
                aware = tie
            assert scores.consensus[m, i] == pytest.approx(2 * abs(yes1 - 0.5), abs=1e-12)
            assert scores.awareness[m, i] == pytest.approx(aware, abs=1e-12)
    assert p[0][0, 5] == 0.5
    assert published_population_scores(*p).awareness[0, 5] == p[1][0, 5]


def test_fit_is_that_of_a_loop_over_models():
    rng = np.random.default_rng(8)
    people, models = rng.random(60), rng.random((3, 60))
    people[:4], models[1, 10:20] = math.nan, math.nan
    times = rng.integers(0, 4, (2, 60)).astype(float)
    found = fits(people, models, times)
    for d, m in np.ndindex(2, 3):
        known = ~np.isnan(people + models[m])
        h, x = (np.repeat(one[known], times[d, known].astype(int)) for one in (people, models[m]))
        r2 = 1 - sum((h - x) ** 2) / sum((h - h.mean()) ** 2)
        assert found["r2"][d, m] == pytest.approx(r2, abs=1e-12)
        assert found["rmse"][d, m] == pytest.approx(math.sqrt(np.mean((h - x) ** 2)), abs=1e-12)
        assert found["mae"][d, m] == pytest.approx(np.mean(abs(h - x)), abs=1e-12)
