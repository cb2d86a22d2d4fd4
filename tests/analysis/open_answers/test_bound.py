"""The bound on samples: its recursion, its closed form, and what samples do."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.distributions.divergence import kl
from probsense.analysis.open_answers.bound import (
    categories_covered,
    coverage_warning,
    tail_bound,
    tail_factors,
)
from probsense.core.errors import InputError


def closed_form(answers: NDArray[np.int64], categories: int, epsilon: float = 0.2) -> NDArray[np.float64]:
    """The form that Mardia et al. (2020) publish, e^{−nε} (3c₁/c₂) Σ_{i=0}^{K−2} K_{i−1} (e√n/2π)^i."""
    n = np.asarray(answers)
    step = math.e * np.sqrt(n) / (2 * math.pi)
    # c₀c₁…c_{i−1} = π^{i/2} Γ(1/2)/Γ((i + 1)/2), from c_m = √π Γ((m + 1)/2)/Γ((m + 2)/2).
    terms = [math.pi ** ((i + 1) / 2) / math.gamma((i + 1) / 2) * step**i for i in range(categories - 1)]
    return np.asarray(12 / math.pi * sum(terms) * np.exp(-n * epsilon))


PEOPLE = [[0.5, 0.5], [0.9, 0.1], [0.4, 0.3, 0.3], [0.8, 0.15, 0.05], [0.25] * 4, [0.7, 0.1, 0.1, 0.1]]


def test_the_factors_are_the_recursion() -> None:
    def factor(n: int, categories: int) -> float:
        if n == 0 or categories == 1:
            return 0.0
        weights = [math.comb(n, j) * (j / n) ** j * (1 - j / n) ** (n - j) for j in range(n)]
        return 2 + sum(w * factor(n - j, categories - 1) for j, w in enumerate(weights))

    for categories, factors in enumerate(islice(tail_factors(7), 4), start=1):
        assert factors == pytest.approx([factor(n, categories) for n in range(8)], abs=1e-9)


def test_the_published_figure() -> None:
    assert closed_form(100, 8) == pytest.approx(0.00108, abs=5e-6)
    assert closed_form([77, 78], 8) == pytest.approx([0.05099, 0.04331], abs=5e-6)


def test_the_closed_form_exceeds_the_recursion_where_the_text_says_so() -> None:
    n = np.arange(1, 301)
    for categories in range(2, 10):
        assert (tail_bound(n, categories) <= closed_form(n, categories)).all()
    for categories in range(2, 20):
        assert tail_bound(100, categories) <= closed_form(100, categories)


@pytest.mark.parametrize("people", PEOPLE)
def test_no_sample_strays_more_often(people: list[float]) -> None:
    rng = np.random.default_rng(0)
    for answers in (5, 20, 100):
        strayed = kl(rng.multinomial(answers, people, 40_000) / answers, people)
        for epsilon in np.quantile(strayed, [0.5, 0.9, 0.99, 0.999]):
            often = (strayed >= epsilon).mean()
            if epsilon > 0:
                # Four standard errors for what chance does in 40,000 samples.
                slack = 4 * math.sqrt(often / 40_000)
                assert often <= tail_bound(answers, len(people), float(epsilon)) + slack


def test_every_sample_of_a_few_answers() -> None:
    # All samples of 6 answers, exactly: no simulation.
    types = [(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]
    for first in np.linspace(0.05, 0.9, 12):
        for second in np.linspace(0.02, 0.98 - first, 8):
            people = np.array([first, second, 1 - first - second])
            chance = np.array(
                [
                    math.factorial(6)
                    * math.prod(p**t / math.factorial(t) for p, t in zip(people, type_, strict=True))
                    for type_ in types
                ]
            )
            strayed = kl(np.array(types) / 6, people)
            for epsilon in strayed[strayed > 0]:
                assert chance[strayed >= epsilon].sum() <= tail_bound(6, 3, float(epsilon)) + 1e-12


def test_how_many_categories_are_covered() -> None:
    assert categories_covered(100) == 11
    assert tail_bound(100, 11) < 0.05 <= tail_bound(100, 12)
    assert categories_covered(1) == 1
    assert categories_covered(5000, 0.05) > 30
    assert tail_bound(10, 1) == 0


def test_the_warning_names_what_is_beyond() -> None:
    assert coverage_warning({"a": 8, "b": 11}, 100) is None
    few = coverage_warning({"a": 8}, 2)
    assert few is not None
    assert "for up to 1 category; 1 of 1" in few
    warning = coverage_warning({"a": 8, "b": 14, "c": 12}, 100)
    assert warning is not None
    assert "2 of 3 questions" in warning
    assert "14 (b)" in warning


@pytest.mark.parametrize(
    ("answers", "categories", "epsilon"), [(0, 3, 0.2), ([], 3, 0.2), (5, 0, 0.2), (5, 3, 0.0)]
)
def test_numbers_out_of_range_are_refused(answers, categories: int, epsilon: float) -> None:
    with pytest.raises(InputError):
        tail_bound(answers, categories, epsilon)
