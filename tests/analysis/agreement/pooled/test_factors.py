"""The eigenvalues of people's agreement: as a slow minimisation finds them, and telling one culture from two."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from probsense.analysis.agreement.pooled import factors as module
from probsense.analysis.agreement.pooled.condorcet import Draws
from probsense.analysis.agreement.pooled.factors import eigenvalues, factors
from probsense.analysis.agreement.pooled.given import Answers
from support.studies.culture import Study, study


def slow(answers: Answers) -> tuple[float, float]:
    """Minimise the weighted squares of residuals of all pairs, from several starts."""
    x = np.full((answers.people, answers.statements), np.nan)
    x[answers.person, answers.statement] = answers.yes
    x -= np.nanmean(x, axis=1, keepdims=True)
    known = ~np.isnan(x)
    pairs = known.astype(float) @ known.T
    products = np.where(known, x, 0) @ np.where(known, x, 0).T
    covariance = products / np.maximum(pairs, 1)
    np.fill_diagonal(pairs, 0)

    def best(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        def loss(f: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            left = matrix - np.outer(f, f)
            return float((pairs * left**2).sum() / 2), -2 * ((pairs * left) @ f)

        starts = np.random.default_rng(0).normal(scale=0.2, size=(6, len(matrix)))
        bounds = [(-0.5, 0.5)] * len(matrix)
        found = [minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts]
        return np.asarray(min(found, key=lambda one: float(one.fun)).x)

    first = best(covariance)
    second = best(covariance - np.outer(first, first))
    first *= np.sign(first.sum())
    return float(first @ first / (second @ second)), float((first < 0).mean())


@pytest.mark.parametrize(("people", "raters", "opposed"), [(30, 20, 0.0), (30, 20, 0.6), (60, 30, 0.3)])
def test_factors_are_those_of_a_slow_minimisation(people: int, raters: int, opposed: float) -> None:
    answers = study(np.random.default_rng(people), people, 60, raters, opposed=opposed).answers
    found, (ratio, negative) = factors(answers), slow(answers)
    assert found.ratio == pytest.approx(ratio, rel=0.02)
    assert found.negative == pytest.approx(negative)


def known(drawn: Study, draws: int = 40) -> Draws:
    """The truth about one culture, as if it had been drawn so many times."""
    grid = np.linspace(-4.5, 4.5, 91)
    state = np.abs(drawn.difficulty[:, None] - grid).argmin(axis=1) + len(grid) * drawn.key
    many = (np.tile(x, (draws, 1)) for x in (drawn.ability, drawn.guessing, state))
    return Draws(*many, np.ones((draws, 4)), np.ones((draws, 2)), np.eye(2 * len(grid))[state], grid, 1.0)


def test_one_culture_has_a_large_ratio_and_two_have_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STUDIES", 39)
    found = {}
    for opposed in (0.0, 0.7):
        rng = np.random.default_rng(1)
        drawn = study(rng, 40, 60, 30, opposed=opposed)
        found[opposed] = eigenvalues(drawn.answers, known(drawn), rng)
    one, two = found.values()
    assert one.observed.ratio > 3 > two.observed.ratio
    assert one.p > 0.05 > two.p
    assert one.low < one.observed.ratio < one.high
    assert two.observed.ratio < two.low


def test_chance_alone_keeps_the_ratio_of_sparse_answers_below_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STUDIES", 39)
    rng = np.random.default_rng(2)
    drawn = study(rng, 40, 60, 6)
    found = eigenvalues(drawn.answers, known(drawn), rng)
    assert found.observed.ratio < 3
    assert found.p > 0.05


def test_contrary_people_have_a_negative_competence() -> None:
    answers = study(np.random.default_rng(3), 30, 80, 30).answers
    contrary = answers._replace(yes=np.where(answers.person < 3, 1 - answers.yes, answers.yes))
    assert factors(contrary).negative >= 0.1 - 1e-9
    assert factors(answers).negative == 0
    leaning = answers._replace(yes=np.where(answers.person < 3, 1.0, answers.yes))
    assert factors(leaning).negative == 0  # who always says yes does not agree, and not disagree


def test_people_without_statements_in_common_have_no_factors() -> None:
    answers = Answers(np.arange(4), np.arange(4), np.ones(4), 5, 6)
    assert factors(answers).ratio == 1.0
