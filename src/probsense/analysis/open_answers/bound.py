"""Bounds how far a sample of answers strays from its distribution, and so how many answers a comparison needs.

If n answers are drawn from a distribution p over K categories and have the shares p̂, then P(KL(p̂ ‖ p) ≥ ε) ≤ M_K(n)
e^{−nε} for every p. (The bound is about the shares as drawn. The score KL(people ‖ model) has its arguments in the
other order and smooths the model's shares, so it may be larger or smaller.) The derivation of the factor follows
Mardia, Jiao, Tánczos, Nowak & Weissman (2020, Concentration inequalities for the empirical distribution of discrete
distributions: beyond the method of types, Information and Inference 9(4)), one category at a time:

1. Two categories. For either side of p₁, P(p̂₁ ≥ a) ≤ e^{−n kl(a, p₁)} (Chernoff), so M_2 = 2.
2. K categories. By the chain rule KL(p̂ ‖ p) = kl(p̂₁, p₁) + (1 − p̂₁) KL(rest): either the first term reaches ε, with a
   probability of at most 2e^{−nε}; or n₁ < n answers fall into the first category and the other n − n₁, a sample over
   K − 1 categories, stray by (ε − kl(p̂₁, p₁)) n/(n − n₁) or more. That many do so with a probability of
   w(n, n₁) e^{−n kl(p̂₁, p₁)}, where w(n, j) = C(n, j) (j/n)^j (1 − j/n)^{n−j}, and in the product the unknown p₁
   cancels. Hence M_K(n) = 2 + Σ_{j<n} w(n, j) M_{K−1}(n − j), which :func:`tail_bound` adds up as it stands.
3. A closed form. By Stirling's formula w(n, j) ≤ (e/2π) √(n/(j(n − j))) for 0 < j < n, and a factor (n − j)^{m/2} turns
   the sum into n^{(m+1)/2} ∫₀¹ x^{−1/2} (1 − x)^{(m−1)/2} dx = c_m n^{(m+1)/2} with c_m = ∫₀^π sin^m. So M_K grows like
   A Σ_{i=0}^{K−2} K_{i−1} (e√n/2π)^i with K_{−1} = 1 and K_m = c₀c₁…c_m, the form that Mardia et al. publish, with
   A = 3c₁/c₂ = 12/π. A is larger than the 2 of step 1 for what the integral leaves out, above all j = 0, where w = 1.
   This module computes the sum of step 2 instead, because it is tighter: about half as large for n = 100 and 8
   categories.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile

import numpy as np

from probsense.analysis.open_answers.questions import Floats

EPSILON = 0.2
"""Divergence, in nats, that a sample of 100 answers should not exceed in the published evaluation."""

LEVEL = 0.05
"""Probability with which a sample may exceed it."""

ENOUGH = 5_000
"""So many answers promise it for hundreds of categories; the factors of more would take long to compute."""


def tail_factors(most: int) -> Iterator[Floats]:
    """Yield the factor M_K(n) of the bound for n = 0 … ``most``, for K = 1, 2 and so on without end.

    Parameters
    ----------
    most : int
        Largest number of answers.

    Yields
    ------
    ndarray, shape (most + 1,)
        Factors; 0 for no answers and for a single category, where nothing strays, and infinite beyond all floats.
    """
    from scipy.special import gammaln, xlogy

    # w(n, j) = bⱼ bₙ₋ⱼ/bₙ with bⱼ = (j/e)^j/j!, so that the sum of step 2 is a convolution.
    j = np.arange(most + 1)
    b = np.exp(xlogy(j, j) - j - gammaln(j + 1))
    factors = np.zeros(most + 1)
    while True:
        yield factors
        with np.errstate(over="ignore"):
            later = 2 + np.convolve(b, b * factors)[1 : most + 1] / b[1:]
        factors = np.concatenate([[0.0], later])


def categories_covered(answers: int, most: int | None = None) -> int:
    """Return the largest number of categories for which :data:`EPSILON` is exceeded with less than :data:`LEVEL`.

    Parameters
    ----------
    answers : int
        Number of answers, from 1.
    most : int, optional
        The number of categories at which to stop.

    Returns
    -------
    int
        Number of categories; 1 if even two are too many.
    """
    highest = math.log(LEVEL) + answers * EPSILON
    more = islice(tail_factors(answers), 1, most)
    return 1 + sum(1 for _ in takewhile(lambda factors: math.log(factors[answers]) < highest, more))


def coverage_warning(categories: Mapping[str, int], answers: int) -> str | None:
    """Write a warning about questions with more categories than the bound covers.

    Parameters
    ----------
    categories : Mapping of str to int
        Number of categories of each question by its id, with "wrong".
    answers : int
        Number of answers to each question.

    Returns
    -------
    str or None
        Warning; None if the bound covers all questions.
    """
    answers = min(answers, ENOUGH)
    covered = categories_covered(answers, max(categories.values(), default=1))
    beyond = {id_: count for id_, count in categories.items() if count > covered}
    if not beyond:
        return None
    most = max(beyond, key=lambda id_: beyond[id_])
    kinds = "1 category" if covered == 1 else f"{covered} categories"
    return (
        f"{answers} answers promise a divergence of sampling below {EPSILON:g} nats (but for {LEVEL:.0%} of samples) "
        f"for up to {kinds}; {len(beyond)} of {len(categories)} questions have more, "
        f"up to {beyond[most]} ({most})"
    )
