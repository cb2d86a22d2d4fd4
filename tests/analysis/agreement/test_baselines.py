"""Baselines: what they answer and what they get."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.agreement.baselines import baseline_answers, random_person_scores
from probsense.analysis.agreement.individuals import individual_scores
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import majority_of_others
from probsense.analysis.agreement.statements import published_majority
from support.studies.counted import agreements, mean


def test_always_yes_gets_the_share_of_yes_and_the_majority_everything(people: People) -> None:
    key = published_majority(people)
    answers = baseline_answers(key)
    scores = {name: individual_scores(q[None], q[None], key) for name, q in answers.items()}
    assert scores["always yes"].commonsensicality[0] == pytest.approx(key.mean(), abs=1e-12)
    assert scores["majority"].commonsensicality[0] == 1


def test_a_random_person_gets_the_mean_over_raters_and_statements(people: People) -> None:
    key, found = majority_of_others(people), random_person_scores(people)
    for q, value in ((people.q1, found.consensus), (people.q2, found.awareness)):
        inside = (people.statement == i for i in range(people.statements))
        means = [mean(agreements(q[own], key[own])) for own in inside]
        assert value == pytest.approx(np.nanmean(means), abs=1e-12)
