"""Samples the posterior of the crossed logistic model by NUTS, as a check of the fast way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.model import (
    CELLS,
    MEAN_SD,
    SPREADS,
    Answers,
    Shares,
    Spread,
    first_answers,
    second_answers,
)
from probsense.core.errors import InputError
from probsense.core.extras import install

CHAINS = 4
ATTEMPTS = ((1000, 0.9), (3000, 0.99))
"""Draws a chain, after as many to tune it, and the aim for accepted proposals: first, and if that was not enough."""
R_HAT, SAMPLE, DIVERGENT = 1.01, 400, 0.001
"""The largest R-hat, the least effective sample and the largest share of divergent transitions of a good result
(Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, Bayesian Analysis 16(2), 667–718)."""
_BLOCK = 1 << 18


class Convergence(NamedTuple):
    """Hold how well chains have mixed.

    Attributes
    ----------
    draws : int
        Draws of all chains.
    divergent : int
        Transitions that diverged.
    r_hat : float
        The largest rank-normalised split R-hat of a location, a leaning or a spread.
    sample : float
        The least effective sample size of one, in the bulk.
    """

    draws: int
    divergent: int
    r_hat: float
    sample: float

    @property
    def good(self) -> bool:
        """Whether the draws may be used."""
        return self.divergent <= DIVERGENT * self.draws and self.r_hat <= R_HAT and self.sample >= SAMPLE

    def __str__(self) -> str:
        return (
            f"{CHAINS} chains, {self.draws:,} draws, {self.divergent:,} divergent, R-hat at most {self.r_hat:.3f},"
            f" effective sample at least {self.sample:,.0f}"
        )


def sampled_shares(people: People, *, second: bool = False, seed: int = 0) -> tuple[Shares, Convergence]:
    """Estimate everybody's shares as :func:`~probsense.analysis.agreement.pooled.crossed.pooled_shares` does, but by
    sampling.

    The No-U-Turn sampler (Hoffman & Gelman 2014, Journal of Machine Learning Research 15, 1593–1623) of NumPyro draws
    from the exact posterior.

    Parameters
    ----------
    people : People
    second : bool
        Whether to take the second question instead of the first one.
    seed : int

    Returns
    -------
    (Shares, Convergence)

    Raises
    ------
    InputError
        If NumPyro is not installed, or if the chains have not mixed in two attempts.
    """
    answers = second_answers(people) if second else first_answers(people)
    for draws, accepted in ATTEMPTS:
        found, divergent = _sampled(answers, draws, accepted, seed)
        convergence = _convergence(found, divergent)
        if convergence.good:
            return _shares(found), convergence
    raise InputError(
        f"the sampler has not converged: {convergence}",
        expected=f"R-hat up to {R_HAT}, an effective sample of {SAMPLE}, {100 * DIVERGENT} % divergent at most: take"
        " --pooled fast, or ask more people",
    )


def _sampled(
    answers: Answers, draws: int, accepted: float, seed: int
) -> tuple[dict[str, NDArray[np.float64]], int]:
    """Draw: parameters by name, each of shape (chains, draws, ...), and the number of divergent transitions."""
    try:
        import jax
        import numpyro
        from numpyro.distributions import Bernoulli, HalfNormal, Normal
        from numpyro.infer import MCMC, NUTS
    except ImportError:
        raise InputError("sampling needs NumPyro and arviz-stats", expected=install("bayes")) from None

    def model() -> None:
        spreads = [
            numpyro.sample(name, HalfNormal(scale))
            for name, scale in zip(("people", "statements"), SPREADS.tolist(), strict=True)
        ]
        mean = numpyro.sample("mean", Normal(0, MEAN_SD))
        raw = [
            numpyro.sample(name, Normal(0, 1).expand([size]).to_event(1))
            for name, size in (("person", answers.people), ("statement", answers.statements))
        ]
        leaning = numpyro.deterministic("leaning", spreads[0] * raw[0])[answers.person]
        location = numpyro.deterministic("location", mean + spreads[1] * raw[1])[answers.statement]
        numpyro.sample("yes", Bernoulli(logits=location + leaning), obs=answers.yes)

    sampler: Any = MCMC(
        NUTS(model, target_accept_prob=accepted),
        num_warmup=draws,
        num_samples=draws,
        num_chains=CHAINS,
        chain_method="vectorized",
        progress_bar=False,
    )
    sampler.run(jax.random.PRNGKey(seed), extra_fields=("diverging",))
    drawn = sampler.get_samples(group_by_chain=True)
    kept = ("people", "statements", "leaning", "location")
    found = {name: np.asarray(drawn[name], dtype=np.float64) for name in kept}
    return found, int(np.asarray(sampler.get_extra_fields()["diverging"]).sum())


def _convergence(found: dict[str, NDArray[np.float64]], divergent: int) -> Convergence:
    try:
        from arviz_stats.base import array_stats
    except ImportError:
        raise InputError("sampling needs NumPyro and arviz-stats", expected=install("bayes")) from None

    draws = np.concatenate([values.reshape(*values.shape[:2], -1) for values in found.values()], axis=2)
    r_hat = array_stats.rhat(draws, chain_axis=0, draw_axis=1)
    sample = array_stats.ess(draws, chain_axis=0, draw_axis=1)
    return Convergence(draws.shape[0] * draws.shape[1], divergent, float(r_hat.max()), float(sample.min()))


def _shares(found: dict[str, NDArray[np.float64]]) -> Shares:
    """Count how often each share is in each cell."""
    from scipy.special import expit

    nodes, weights = hermegauss(15)
    weights = weights / weights.sum()
    spread = found["people"].ravel()
    location = found["location"].reshape(len(spread), -1)
    count = np.zeros((location.shape[1], CELLS))
    for part in np.array_split(np.arange(len(spread)), max(location.size // _BLOCK, 1)):
        share = sum(
            weight * expit(location[part] + node * spread[part, None])
            for node, weight in zip(nodes, weights, strict=True)
        )
        cell = np.minimum((share * CELLS).astype(np.int64), CELLS - 1)
        np.add.at(count, (np.broadcast_to(np.arange(location.shape[1]), cell.shape), cell), 1)
    return Shares(count / len(spread), _spread(spread), _spread(found["statements"].ravel()))


def _spread(draws: NDArray[np.float64]) -> Spread:
    return Spread(*np.quantile(draws, [0.5, 0.025, 0.975]).tolist())
