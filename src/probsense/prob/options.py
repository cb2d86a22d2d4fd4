"""Views of option scores: one pass gives them all (the scoring specification, section 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from probsense.errors import InputError
from probsense.records import ScoreResponse, TokenLogprobs

RULES: Mapping[str, Callable[[TokenLogprobs], float]] = MappingProxyType(
    {
        "sum": lambda text: float(np.sum(text.logprobs)),
        "token": lambda text: float(np.mean(text.logprobs)),
        "char": lambda text: float(np.sum(text.logprobs)) / text.chars,
        "byte": lambda text: float(np.sum(text.logprobs)) / text.bytes,
        "mean_prob": lambda text: float(np.mean(np.exp(text.logprobs))),
    }
)
"""The score of an option with token log-probabilities L, n tokens, c characters and b bytes: ΣL, ΣL/n, ΣL/c,
ΣL/b and the mean of exp L. The last is kept for comparison: one near-certain token outweighs an improbable
one."""


def scores(response: ScoreResponse, rule: str = "sum") -> NDArray[np.float64]:
    """Score of each option.

    Parameters
    ----------
    response : ScoreResponse
    rule : str
        One of ``RULES``.

    Returns
    -------
    ndarray, shape (options,)

    Raises
    ------
    InputError
        For an unknown rule.
    """
    if rule not in RULES:
        raise InputError(f"no such rule: {rule!r}", expected="one of " + ", ".join(RULES))
    return np.array([RULES[rule](score.option) for score in response.options], dtype=np.float64)


def distribution(response: ScoreResponse, rule: str = "sum", temperature: float = 1.0) -> NDArray[np.float64]:
    """Probability of each option: softmax(score / temperature).

    Parameters
    ----------
    response : ScoreResponse
    rule : str
        One of ``RULES``.
    temperature : float
        Above 0; the higher, the flatter.

    Returns
    -------
    ndarray, shape (options,)

    Raises
    ------
    InputError
        For an unknown rule, or a temperature that is not a finite number above 0.
    """
    if not 0 < temperature < float("inf"):
        raise InputError(f"temperature {temperature:g}", expected="a finite number above 0")
    found = scores(response, rule)
    weights = np.exp((found - found.max()) / temperature)
    return np.asarray(weights / weights.sum())


def best(response: ScoreResponse, rule: str = "sum") -> int:
    """Index of the option with the highest score; of equals, the first."""
    return int(np.argmax(scores(response, rule)))


def margin(response: ScoreResponse, rule: str = "sum") -> float:
    """How far the highest score lies above the second highest (infinite for a single option)."""
    ordered = np.sort(scores(response, rule))
    return float(ordered[-1] - ordered[-2]) if len(ordered) > 1 else float("inf")
