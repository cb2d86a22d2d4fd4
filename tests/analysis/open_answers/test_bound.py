"""The bound on samples: its recursion, its closed form, and what samples do."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from probsense.analysis.distributions.divergence import kl
from probsense.analysis.open_answers.bound import categories_covered, coverage_warning, tail_factors


def tail_bound(answers: int, categories: int, epsilon: float = 0.2) -> float:
    factors = next(islice(tail_factors(answers), categories - 1, None))
    return float(factors[answers] * math.exp(-answers * epsilon))


def test_the_factors_are_the_recursion() -> None:
    def factor(n: int, categories: int) -> float:
        if n == 0 or categories == 1:
            return 0.0
        weights = [math.comb(n, j) * (j / n) ** j * (1 - j / n) ** (n - j) for j in range(n)]
        return 2 + sum(w * factor(n - j, categories - 1) for j, w in enumerate(weights))

    for categories, factors in enumerate(islice(tail_factors(7), 4), start=1):
        assert factors == pytest.approx([factor(n, categories) for n in range(8)], abs=1e-9)


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
    assert categories_covered(5000, 31) == 31
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
