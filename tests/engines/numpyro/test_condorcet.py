"""Cultural consensus: sampling by NUTS gives the posterior of our own sampler."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import pytest
from numpyro.distributions import HalfNormal, Normal
from numpyro.infer import MCMC, NUTS

from probsense.analysis.agreement.pooled import condorcet
from probsense.analysis.agreement.pooled.condorcet import condorcet_draws
from support.studies.culture import study


def test_sampling_by_nuts_gives_the_same() -> None:
    answers = study(np.random.default_rng(2), 16, 24, 8).answers

    def model() -> None:
        spreads = [numpyro.sample(f"sd{i}", HalfNormal(condorcet.SPREAD)) for i in range(3)]
        ability, guess, key = (
            numpyro.sample(name, Normal(0, sd))
            for name, sd in (
                ("mean", condorcet.ABILITY_SD),
                ("guess", condorcet.GUESSING_SD),
                ("yes", condorcet.KEY_SD),
            )
        )
        raw = [
            numpyro.sample(f"raw{i}", Normal(0, 1).expand([size]).to_event(1))
            for i, size in enumerate((answers.people, answers.people, answers.statements))
        ]
        a = numpyro.deterministic("ability", ability + spreads[0] * raw[0])[answers.person]
        g = jax.nn.sigmoid(guess + spreads[1] * raw[1])[answers.person]
        knows = jax.nn.sigmoid(a - (spreads[2] * raw[2])[answers.statement])
        logs = []
        for z in (0, 1):
            yes = knows * z + (1 - knows) * g
            each = jnp.log(jnp.where(answers.yes == 1, yes, 1 - yes))
            logs.append(jnp.zeros(answers.statements).at[answers.statement].add(each))
        no = jax.nn.log_sigmoid(-key) + logs[0]
        yes = jax.nn.log_sigmoid(key) + logs[1]
        numpyro.deterministic("key", jax.nn.sigmoid(yes - no))
        numpyro.factor("answers", jnp.logaddexp(no, yes).sum())

    sampler = MCMC(
        NUTS(model, target_accept_prob=0.95),
        num_warmup=1000,
        num_samples=2000,
        num_chains=2,
        chain_method="sequential",
        progress_bar=False,
    )
    sampler.run(jax.random.PRNGKey(0))
    drawn = {name: np.asarray(draws) for name, draws in sampler.get_samples().items()}
    wide = np.min([drawn[f"sd{i}"] for i in range(3)], axis=0) >= condorcet.LEAST_SPREAD
    slow = {name: draws[wide] for name, draws in drawn.items()}
    fast = condorcet_draws(answers, np.random.default_rng(3), draws=4000)
    np.testing.assert_allclose(fast.yes, slow["key"].mean(axis=0), atol=0.03)
    np.testing.assert_allclose(fast.ability.mean(axis=0), slow["ability"].mean(axis=0), atol=0.15)
    np.testing.assert_allclose(fast.ability.std(axis=0), slow["ability"].std(axis=0), rtol=0.15)
    assert fast.people[:, 1].mean() == pytest.approx(slow["sd0"].mean(), rel=0.15)
    assert fast.statements[:, 1].mean() == pytest.approx(slow["sd2"].mean(), rel=0.2)
