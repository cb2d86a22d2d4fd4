"""Shares of everybody by the crossed model, beside an integral over everything and in awkward studies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from scipy.special import expit

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled import crossed
from probsense.analysis.agreement.pooled.crossed import (
    approximate,
    no_factors,
    pooled_shares,
    share_of_everybody,
)
from probsense.analysis.agreement.pooled.model import CELLS, MEAN_SD, SPREADS, Answers

Floats = NDArray[np.float64]


def rated(yes: Floats) -> People:
    """Turn a table of people × statements, NaN where there is no answer, into ratings."""
    person, statement = np.nonzero(~np.isnan(yes))
    answers = yes[person, statement]
    return People(statement, person, answers, np.full(len(answers), np.nan), yes.shape[1], yes.shape[0])


def study(
    rng: np.random.Generator, people: int, statements: int, raters: int, spreads: tuple[float, float]
) -> tuple[People, Floats]:
    """Draw a study and the share of everybody of each statement."""
    location = 0.6 + spreads[1] * rng.normal(size=statements)
    leaning = spreads[0] * rng.normal(size=people)
    yes = (rng.random((people, statements)) < expit(location + leaning[:, None])).astype(np.float64)
    yes[rng.random((people, statements)).argsort(axis=0) >= raters] = np.nan
    return rated(yes), share_of_everybody(location, spreads[0])


class Exact:
    """The posterior of two people and a few statements, by quadrature over μ, both leanings and each location."""

    def __init__(self, yes: Floats, spreads: tuple[float, float], nodes: int = 15) -> None:
        x, weight = hermegauss(nodes)
        weight = weight / weight.sum()
        wide = np.linspace(-90, 90, 4001)
        steps = np.linspace(-5, 5, 61)
        inner = np.exp(-(steps**2) / 2) / np.exp(-(steps**2) / 2).sum()
        mean, first, second = np.meshgrid(x * MEAN_SD, x * spreads[0], x * spreads[0], indexing="ij")
        outer = np.einsum("i,j,k->ijk", weight, weight, weight)
        first, second = first[..., None], second[..., None]
        chances, moments, shares, majorities = [], [], [], []
        for said in yes.T:
            location = mean[..., None] + steps * spreads[1]
            chance = np.ones(location.shape)
            for answer, leaning in zip(said, (first, second), strict=True):
                if not np.isnan(answer):
                    chance = chance * expit((2 * answer - 1) * (location + leaning))
            share = np.interp(location, wide, share_of_everybody(wide, spreads[0]))
            chances.append(chance @ inner)
            moments.append((chance * location) @ inner)
            shares.append((chance * share) @ inner)
            majorities.append((chance * (share > 0.5)) @ inner)
        whole = outer * np.prod(chances, axis=0)
        self.evidence = float(np.log(whole.sum()))
        weight_of = whole / whole.sum()

        def mean_of(values: list[Floats]) -> Floats:
            pairs = zip(values, chances, strict=True)
            return np.array([(weight_of * value / chance).sum() for value, chance in pairs])

        self.leaning = np.array([(weight_of * leaning[..., 0]).sum() for leaning in (first, second)])
        self.location, self.share, self.majority = (mean_of(v) for v in (moments, shares, majorities))


TABLES = [
    np.array([[1, 1, 0, np.nan], [1, 0, 0, 1]], dtype=np.float64),
    np.array([[1, 1, 1, 1, 1], [0, 1, 1, np.nan, 1]], dtype=np.float64),
]


@pytest.mark.parametrize("yes", TABLES)
@pytest.mark.parametrize("spreads", [(0.5, 1.2), (1.5, 0.7)])
def test_moments_and_evidence_are_those_of_an_integral_over_everything(
    yes: Floats, spreads: tuple[float, float]
) -> None:
    person, statement = np.nonzero(~np.isnan(yes))
    answers = Answers(statement, person, yes[person, statement], yes.shape[1], 2)
    found = approximate(answers, np.array(spreads), no_factors(len(person)))
    exact = Exact(yes, spreads)
    assert found.evidence == pytest.approx(exact.evidence, abs=0.03)
    np.testing.assert_allclose(found.location, exact.location, atol=0.03)


def test_leanings_are_those_that_the_persons_other_answers_tell() -> None:
    yes, spreads = TABLES[0], (1.5, 0.7)
    person, statement = np.nonzero(~np.isnan(yes))
    answers = Answers(statement, person, yes[person, statement], yes.shape[1], 2)
    found = approximate(answers, np.array(spreads), no_factors(len(person)))
    for k, place in enumerate(zip(person, statement, strict=True)):
        others = yes.copy()
        others[place] = np.nan
        assert found.leaning[k] == pytest.approx(Exact(others, spreads).leaning[person[k]], abs=0.12)


def test_the_gradient_is_that_of_the_evidence() -> None:
    people, _ = study(np.random.default_rng(1), 9, 14, 5, (0.6, 1.2))
    answers = Answers(people.statement, people.person, people.yes1, 14, 9)
    at = np.log([0.7, 1.3])

    def evidence(x: Floats) -> float:
        return approximate(answers, np.exp(x), no_factors(len(people.yes1))).evidence

    steps = 1e-3 * np.eye(2)
    by_steps = [(evidence(at + step) - evidence(at - step)) / 2e-3 for step in steps]
    found = approximate(answers, np.exp(at), no_factors(len(people.yes1))).gradient
    np.testing.assert_allclose(found, by_steps, atol=1e-3)


@pytest.mark.parametrize("yes", TABLES)
def test_shares_and_majorities_are_those_of_an_integral_over_everything_and_both_spreads(yes: Floats) -> None:
    logs = np.linspace(-4, 2.5, 10)
    whole, share, majority = 0.0, np.zeros(yes.shape[1]), np.zeros(yes.shape[1])
    for x in logs:
        for y in logs:
            exact = Exact(yes, (float(np.exp(x)), float(np.exp(y))), nodes=11)
            squares = (np.exp([x, y]) / SPREADS) ** 2
            weight = np.exp(exact.evidence + x + y - squares.sum() / 2)
            whole += weight
            share += weight * exact.share
            majority += weight * exact.majority
    found = pooled_shares(rated(yes))
    np.testing.assert_allclose(found.mean, share / whole, atol=0.03)
    np.testing.assert_allclose(found.majority, majority / whole, atol=0.03)


@pytest.mark.parametrize("studies", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_intervals_hold_the_share_of_everybody(studies: int) -> None:
    rng = np.random.default_rng(3)
    held, errors = [], []
    for _ in range(studies):
        people, truth = study(rng, 40, 60, 8, (0.6, 1.2))
        found = pooled_shares(people)
        low, high = found.interval()
        held += [*((low <= truth) & (truth <= high))]
        errors += [*((found.mean - truth) ** 2 / found.variance)]
    assert 0.92 < np.mean(held) < 0.98
    assert 0.85 < np.mean(errors) < 1.2


def test_one_point_is_enough_where_much_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    people, _ = study(np.random.default_rng(6), 60, 80, 30, (0.6, 1.2))
    several = pooled_shares(people)
    monkeypatch.setattr(crossed, "_NARROW", np.inf)
    one = pooled_shares(people)
    np.testing.assert_allclose(one.mean, several.mean, atol=0.002)
    np.testing.assert_allclose(one.interval(), several.interval(), atol=0.01)
    for ours, theirs in zip((one.people, one.statements), (several.people, several.statements), strict=True):
        assert np.log(ours.high / ours.low) == pytest.approx(np.log(theirs.high / theirs.low), rel=0.15)


def test_a_yes_of_somebody_who_says_yes_to_everything_tells_less() -> None:
    people, _ = study(np.random.default_rng(4), 12, 30, 12, (0.6, 1.5))
    yes = np.full((12, 30), np.nan)
    yes[people.person, people.statement] = people.yes1
    yes[:, 0] = np.nan
    yes[0, 0] = 1
    found = []
    for always in (0, 1):
        yes[0, 1:] = always
        found.append(pooled_shares(rated(yes)).mean[0])
    assert found[0] > found[1] + 0.03


@st.composite
def tables(draw: st.DrawFn) -> Floats:
    """Awkward studies: few people, statements without an answer, everybody of one mind."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    cells = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, np.nan]), min_size=42, max_size=42))
    yes = np.array(cells[: shape[0] * shape[1]]).reshape(shape)
    if draw(st.booleans()):
        yes[0] = 1
    if draw(st.booleans()):
        yes[:, 0] = draw(st.sampled_from([1.0, np.nan]))
    if draw(st.booleans()):
        yes[-1, 1:] = np.nan
    return yes


@settings(max_examples=6)
@given(tables())
def test_any_study_gives_distributions_that_no_order_changes_and_that_turn_with_the_answers(
    yes: Floats,
) -> None:
    found = pooled_shares(rated(yes))
    assert np.isfinite(found.mass).all()
    assert (found.mass >= 0).all()
    np.testing.assert_allclose(found.mass.sum(axis=1), 1)
    low, high = found.interval()
    assert ((low >= 0) & (low < found.mean) & (found.mean < high) & (high <= 1)).all()
    assert 0 < found.people.low <= found.people.value <= found.people.high < np.inf

    rng = np.random.default_rng(len(yes))
    people, statements = (rng.permutation(size) for size in yes.shape)
    again = pooled_shares(rated(yes[np.ix_(people, statements)]))
    np.testing.assert_allclose(again.mean, found.mean[statements], atol=2e-3)
    turned = pooled_shares(rated(1 - yes))
    np.testing.assert_allclose(turned.mean, 1 - found.mean, atol=2e-3)


def test_more_yes_means_a_larger_share_and_no_answer_the_mean_of_statements() -> None:
    yes = np.full((9, 8), np.nan)
    for statement in range(7):
        yes[:6, statement] = np.arange(6) < statement
    yes[6:, :4] = 1
    found = pooled_shares(rated(yes))
    assert (np.diff(found.mean[3:7]) > 0).all()
    assert found.variance[7] == found.variance.max()
    assert found.mass.shape == (8, CELLS)
