"""The crossed model by sampling: the same as the fast way, and refused where chains have not mixed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled import nuts as sampled
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.nuts import sampled_shares
from probsense.core.errors import InputError


def study(people: int = 14, statements: int = 20, raters: int = 6) -> People:
    rng = np.random.default_rng(1)
    location, leaning = 0.5 + 1.2 * rng.normal(size=statements), 0.6 * rng.normal(size=people)
    asked = rng.random((people, statements)).argsort(axis=0) < raters
    person, statement = np.nonzero(asked)
    yes = (rng.random(len(person)) < expit(location[statement] + leaning[person])).astype(np.float64)
    return People(statement, person, yes, np.full(len(yes), np.nan), statements, people)


def test_sampling_gives_the_shares_of_the_fast_way() -> None:
    people = study()
    fast, (slow, convergence) = pooled_shares(people), sampled_shares(people)
    assert convergence.good
    assert "4,000 draws, 0 divergent" in str(convergence)
    np.testing.assert_allclose(fast.mean, slow.mean, atol=0.015)
    np.testing.assert_allclose(fast.majority, slow.majority, atol=0.04)
    for ours, theirs in zip(fast.interval(), slow.interval(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.03)
    assert fast.people.value == pytest.approx(slow.people.value, rel=0.2)
    assert fast.statements.value == pytest.approx(slow.statements.value, rel=0.1)


def test_chains_that_have_not_mixed_are_refused_after_a_second_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def apart(answers: object, draws: int, accepted: float, seed: int) -> tuple:
        asked.append(draws)
        walk = np.random.default_rng(seed).normal(size=(4, draws, 3)).cumsum(axis=1)
        return {"location": walk}, 7

    monkeypatch.setattr(sampled, "_sampled", apart)
    with pytest.raises(InputError, match=r"has not converged: 4 chains, 12,000 draws.*take --pooled fast"):
        sampled_shares(study())
    assert asked == [1000, 3000]
