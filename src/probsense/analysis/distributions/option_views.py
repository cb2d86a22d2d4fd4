"""Computes views of option scores, all from one pass (the scoring specification, section 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from probsense.core.errors import InputError
from probsense.core.records import OptionScore, ScoreResponse, TokenLogprobs

if TYPE_CHECKING:
    from probsense.analysis.arrays import Floats

TEXT_RULES: Final[Mapping[str, Callable[[TokenLogprobs], float]]] = {
    "sum": lambda text: math.fsum(text.logprobs),
    "token": lambda text: math.fsum(text.logprobs) / len(text.logprobs),
    "char": lambda text: math.fsum(text.logprobs) / text.chars,
    "byte": lambda text: math.fsum(text.logprobs) / text.bytes,
    "mean_prob": lambda text: math.fsum(map(math.exp, text.logprobs)) / len(text.logprobs),
}
"""Views that need the option's own tokens alone. With token log-probabilities L, n tokens, c characters and b
bytes: ΣL, ΣL/n, ΣL/c, ΣL/b and the mean of exp L. The last is kept for comparison: one near-certain token
outweighs an improbable one."""

TOKEN_RULES = ("token", "mean_prob")
"""Views that need the log-probability of each token, which some models do not show."""

SUFFIX_RULES: Final[Mapping[str, Callable[[OptionScore], float]]] = {
    "partial": lambda score: math.fsum(score.suffix.logprobs),
    "full": lambda score: math.fsum((*score.option.logprobs, *score.suffix.logprobs)),
}
"""Views of what follows the option: ΣL(suffix), and ΣL(option) + ΣL(suffix) (Trinh & Le 2018, arXiv 1806.02847)."""

PMI = "pmi"
"""ΣL(option | prefix) − ΣL(option | neutral prefix) (Holtzman et al. 2021, arXiv 2104.08315)."""

RULES = (*TEXT_RULES, *SUFFIX_RULES, PMI)
"""Names of all views."""

NEAR_TIE = 1e-6
"""Options whose best scores differ by less count as tied; the answer is the first of them."""


def views(response: ScoreResponse, neutral: ScoreResponse | None = None) -> tuple[str, ...]:
    """Return the views that a response can give: "partial" and "full" only if every option has a suffix.

    Parameters
    ----------
    response : ScoreResponse
    neutral : ScoreResponse, optional
        Response to the same options after a neutral prefix; "pmi" needs it.
    """
    with_suffix = SUFFIX_RULES if all(score.suffix.logprobs for score in response.options) else ()
    left_out = TOKEN_RULES if any(score.option.only_sum for score in response.options) else ()
    text = (rule for rule in TEXT_RULES if rule not in left_out)
    return (*text, *with_suffix, *(() if neutral is None else (PMI,)))


def check_rule(rule: str, *, suffix: bool, neutral: bool) -> None:
    """Refuse a view that the response cannot give.

    Parameters
    ----------
    rule : str
    suffix, neutral : bool
        Whether there is a suffix after every option, and whether the options are scored after a neutral prefix,
        too.

    Raises
    ------
    InputError
        If the rule is unknown, or needs a suffix or neutral prefix that is missing.
    """
    if rule not in RULES:
        raise InputError(f"no such rule: {rule!r}", expected="one of " + ", ".join(RULES))
    if rule in SUFFIX_RULES and not suffix:
        raise InputError(f"the rule {rule!r} compares suffixes", expected="a suffix after every option")
    if rule == PMI and not neutral:
        raise InputError(
            f"the rule {rule!r} compares with a neutral prefix", expected="one, such as 'Answer:'"
        )


def check_temperature(temperature: float) -> None:
    """Refuse a temperature that is not a finite number above 0."""
    if not 0 < temperature < math.inf:
        raise InputError(f"temperature {temperature:g}", expected="a finite number above 0")


def scores(response: ScoreResponse, rule: str = "sum", neutral: ScoreResponse | None = None) -> Floats:
    """Compute the score of each option.

    Parameters
    ----------
    response : ScoreResponse
    rule : str
        One of ``RULES``.
    neutral : ScoreResponse, optional
        Response to the same options after a neutral prefix, for "pmi".

    Returns
    -------
    ndarray, shape (options,)
        Scores in nats (per token, character or byte), except for "mean_prob".

    Raises
    ------
    InputError
        If the rule is unknown, or this response cannot give it.
    """
    import numpy as np

    suffix = all(score.suffix.logprobs for score in response.options)
    check_rule(rule, suffix=suffix, neutral=neutral is not None)
    if rule in TOKEN_RULES and rule not in views(response, neutral):
        raise InputError(
            f"the rule {rule!r} needs every token, and the model shows only sums", expected="sum"
        )
    if rule == PMI and neutral is not None:
        return scores(response) - scores(neutral)
    if rule in SUFFIX_RULES:
        found = [SUFFIX_RULES[rule](score) for score in response.options]
    else:
        found = [TEXT_RULES[rule](score.option) for score in response.options]
    return np.array(found, dtype=np.float64)


def log_softmax(scores: Floats, temperature: float = 1.0) -> Floats:
    """Compute the logarithm of softmax(score / temperature), along the last axis.

    Parameters
    ----------
    scores : ndarray, shape (..., options)
    temperature : float
        Above 0; the higher, the flatter.

    Returns
    -------
    ndarray, shape (..., options)

    Raises
    ------
    InputError
        If the temperature is not a finite number above 0.
    """
    import numpy as np

    check_temperature(temperature)
    with np.errstate(over="ignore"):  # beyond every number: a probability of 0
        shifted = (scores - scores.max(axis=-1, keepdims=True)) / temperature
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def distribution(
    response: ScoreResponse, rule: str = "sum", temperature: float = 1.0, neutral: ScoreResponse | None = None
) -> Floats:
    """Compute the probability of each option: softmax(score / temperature).

    Parameters
    ----------
    response, rule, neutral
        As for :func:`scores`.
    temperature : float
        Above 0; the higher, the flatter.

    Returns
    -------
    ndarray, shape (options,)

    Raises
    ------
    InputError
        As for :func:`scores`, and for a temperature that is not a finite number above 0.
    """
    import numpy as np

    return np.exp(log_softmax(scores(response, rule, neutral), temperature))


def lead(scores: Floats) -> float:
    """Return how far the highest of some scores lies above the second highest (infinite for a single one)."""
    ordered = sorted(scores.tolist())
    return float(ordered[-1] - ordered[-2]) if len(ordered) > 1 else math.inf
