"""Averages what a model answers after several chains of thought: p(y | x) = E over chains c of p(y | x, c)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probsense.analysis.arrays import Floats
from probsense.core.records import OTHERS, LabelResponse, OptionScore, Response, ScoreResponse, TokenLogprobs


def mean_labels(responses: Sequence[LabelResponse], weights: Sequence[float] | None = None) -> LabelResponse:
    """Average the mass of each label over chains.

    Reading the exact distribution after each chain is the Rao–Blackwell form of counting one answer after each: its
    variance is that between chains alone (Blackwell 1947, "Conditional expectation and unbiased sequential
    estimation").

    Parameters
    ----------
    responses : sequence of LabelResponse, length K
        To the same labels.
    weights : sequence of float, length K, optional
        How much each counts, in any unit; without them, all count the same.

    Returns
    -------
    LabelResponse
        Masses and the most probable other words are means over the chains, and so are the bounds, if all have some.
    """
    first = responses[0]
    if all(one == first for one in responses):
        return replace(first, chains=(*responses,))
    weights = weights or [1.0] * len(responses)
    names = [*first.mass]
    total = sum(weights)
    masses = np.average([[one.mass[name] for name in names] for one in responses], 0, weights)
    others: dict[str, float] = {}
    for one, weight in zip(responses, weights, strict=True):
        for text, mass in one.others:
            others[text] = others.get(text, 0.0) + mass * weight / total
    ranked = sorted(others.items(), key=lambda pair: -pair[1])
    notes = [said for one in responses for said in one.note.split("; ") if said]
    return LabelResponse(
        dict(zip(names, masses.tolist(), strict=True)),
        float(np.average([one.other for one in responses], weights=weights)),
        first.source,
        "; ".join(dict.fromkeys(notes)),
        bounds=_mean_bounds(responses, weights),
        others=(*ranked[:OTHERS],),
        chains=(*responses,),
    )


def _mean_bounds(
    responses: Sequence[LabelResponse], weights: Sequence[float]
) -> dict[str, tuple[float, float]] | None:
    """Average the bounds of each label; None where one response has none."""
    bounds = [one.bounds for one in responses if one.bounds is not None]
    if len(bounds) < len(responses):
        return None
    means = {name: np.average([own[name] for own in bounds], 0, weights).tolist() for name in bounds[0]}
    return {name: (low, high) for name, (low, high) in means.items()}


def mean_options(responses: Sequence[ScoreResponse], weights: Sequence[float] | None = None) -> ScoreResponse:
    """Average the probability of each option, and of its suffix after it, over chains.

    The log-probability of a token is that under the mixture of all chains, log Σ p(t₁…tᵢ | c) − log Σ p(t₁…tᵢ₋₁ | c),
    so that those of a text sum up to that of the whole text, and the suffix is conditional on the option.

    Parameters
    ----------
    responses : sequence of ScoreResponse, length K
        To the same options.
    weights : sequence of float, length K, optional
        How much each counts, in any unit; without them, all count the same.
    """
    if all(one == responses[0] for one in responses):
        return replace(responses[0], chains=(*responses,))
    weights = weights or [1.0] * len(responses)
    options = zip(*(one.options for one in responses), strict=True)
    return ScoreResponse(tuple(_mean_option(own, weights) for own in options), chains=(*responses,))


def chance_of_chains(responses: Sequence[Response], shares: Callable[[Sequence[Response]], Floats]) -> float:
    """Compute the variance of shares for the chance of the chains of thought before the responses, by the jackknife.

    Parameters
    ----------
    responses : sequence of Response
        Each with chains of its own, if it is a mean over chains, and each over as many.
    shares : callable
        Reads the shares in such responses, shape (responses, options); no rows where one has no answer.

    Returns
    -------
    float
        Summed over the options, and the mean over the responses: 0 for responses that are no means, NaN if they are
        and rest on one chain each, or if the answers after one chain are all that there is.
    """
    means = [one for one in responses if isinstance(one, LabelResponse | ScoreResponse) and one.chains]
    if not means:
        return 0.0
    number = min(len(one.chains) for one in means)
    less = [shares([_without(one, k) for one in means]) for k in range(number)] if number > 1 else []
    if not less or any(len(one) < len(responses) for one in less):
        return float("nan")
    return float((number - 1) * np.var(less, axis=0).sum(axis=1).mean())


def _without(mean: LabelResponse | ScoreResponse, chain: int) -> Response:
    """Return the mean over all chains but one."""
    rest = [one for k, one in enumerate(mean.chains) if k != chain]
    return mean_labels(rest) if isinstance(mean, LabelResponse) else mean_options(rest)  # type: ignore[arg-type]


def _mean_option(scores: Sequence[OptionScore], weights: Sequence[float]) -> OptionScore:
    first = scores[0]
    straddles = any(score.straddles for score in scores)
    pieces = {(score.option.tokens, score.suffix.tokens) for score in scores}
    if len(pieces) == 1 and not any(score.option.only_sum or score.suffix.only_sum for score in scores):
        n = len(first.option.tokens)
        tokens = [[*score.option.logprobs, *score.suffix.logprobs] for score in scores]
        found = _in_mixture(tokens, weights).tolist()
        return OptionScore(_with(first.option, found[:n]), _with(first.suffix, found[n:]), straddles)
    sums = [[sum(score.option.logprobs), sum(score.suffix.logprobs)] for score in scores]
    own, after = _in_mixture(sums, weights).tolist()
    return OptionScore(_sum(first.option, own), _sum(first.suffix, after), straddles)


def _in_mixture(logprobs: Any, weights: Sequence[float]) -> Floats:
    """Compute the log-probability of each piece after those before it, under a mixture.

    Parameters
    ----------
    logprobs : sequence of sequences of float, shape (K, pieces)
    weights : sequence of float, length K
        The parts, in any unit.

    Returns
    -------
    ndarray, shape (pieces,)
    """
    whole = np.cumsum(np.asarray(logprobs, dtype=np.float64), axis=1)
    mean = np.logaddexp.reduce(whole + np.log(weights)[:, None], axis=0) - np.log(sum(weights))
    return np.diff(mean, prepend=0.0)


def _with(text: TokenLogprobs, logprobs: list[float]) -> TokenLogprobs:
    return TokenLogprobs(tuple(logprobs), text.tokens, text.chars, text.bytes)


def _sum(text: TokenLogprobs, value: float) -> TokenLogprobs:
    return TokenLogprobs((value,) if text.logprobs else (), (), text.chars, text.bytes)


def shares(response: LabelResponse | ScoreResponse) -> Floats:
    """Return the distribution that a response gives: of labels and the rest, or of options among each other."""
    if isinstance(response, LabelResponse):
        return np.array([*response.mass.values(), response.other])
    sums = np.array([sum(score.option.logprobs) + sum(score.suffix.logprobs) for score in response.options])
    weights = np.exp(sums - sums.max())
    return np.asarray(weights / weights.sum())
