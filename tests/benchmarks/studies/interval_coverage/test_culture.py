"""The study of cultural consensus: truths are what they say, and each study says what its intervals hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import culture as study
from made_people import Design


def test_truths_are_means_over_statements_and_people() -> None:
    rng = np.random.default_rng(1)
    world = study.WORLDS["a key, known or guessed"]
    about, who = study.statements(rng, 7), study.persons(rng, 5)
    first = world.first(who, about)
    knows = expit(who.ability[2] - about.difficulty[3])
    yes = knows * about.key[3] + (1 - knows) * expit(who.guessing[2])
    assert first[2, 3] == pytest.approx(yes)
    share = np.array([0.9, 0.1, 0.9, 0.1, 0.9, 0.9, 0.1])
    found = study.truth(world, about, share, who)
    agreed = [first[2, i] if share[i] > 0.5 else 1 - first[2, i] for i in range(7)]
    assert found.consensus[2] == pytest.approx(np.mean(agreed))
    assert found.commonsensicality[2] == pytest.approx(np.sqrt(found.consensus[2] * found.awareness[2]))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*study.WORLDS])
def test_a_study_says_what_its_intervals_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MANY", 500)
    monkeypatch.setattr(study, "EVERYBODY", 200)
    study.true_r.cache_clear()
    found = study.outcome(name, Design(12, 20, 6), 0)
    assert ("key" in found) == study.WORLDS[name].keyed
    assert {"person: consensus", "person: commonsensicality", "percentile", "group r"} <= {*found}
    assert all(0 <= held <= 1 for held, _, _ in found.values())
    row = study.table([{"world": name, "design": [40, 60, 8], "found": found}]).splitlines()[-1]
    assert row == "| studies | 1 |"
