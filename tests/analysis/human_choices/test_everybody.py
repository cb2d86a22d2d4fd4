"""Imagined answers of everybody, and models at a distance from these."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.human_choices.distributions import distributions
from probsense.analysis.human_choices.everybody import Distance, Everybody, draw_everybody, evenness_of
from probsense.core.errors import InputError


@pytest.mark.parametrize("name", ["squared_corrected", "total_variation", "normalised"])
def test_models_are_as_far_from_everybody_as_assumed(name: Distance) -> None:
    """In plain loops over the questions."""
    asked = draw_everybody([2, 5], 0.7, 500, np.random.default_rng(3))
    noise = np.random.default_rng(4).standard_normal(asked.shares.shape)
    found = asked.model(asked.spread(name, 0.2, noise), noise)
    assert found.sum(axis=1) == pytest.approx(1)
    assert (found[~asked.exists] == 0).all()
    apart, far = [], []
    for p, q, exists in zip(asked.shares, found, asked.exists, strict=True):
        level = exists / exists.sum()
        apart.append(((p - q) ** 2).sum() if name == "squared_corrected" else np.abs(p - q).sum() / 2)
        far.append(np.abs(p - level).sum() / 2 if name == "normalised" else 1)
    assert np.mean(apart) / np.mean(far) == pytest.approx(0.2, abs=1e-9)


def test_a_model_without_noise_is_everybody() -> None:
    asked = Everybody(
        np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]), np.array([[True, True, False], [True] * 3])
    )
    noise = np.ones((2, 3))
    assert asked.model(0.0, noise) == pytest.approx(asked.shares)
    assert asked.model(7.0, noise) == pytest.approx(asked.shares)  # the same to all options
    assert asked.spread("total_variation", 0.0, np.eye(3)[:2]) == pytest.approx(0, abs=1e-9)
    with pytest.raises(InputError, match=r"a model at a distance of 1.2 \(expected between 0, where"):
        asked.spread("total_variation", 1.2, noise)


@pytest.mark.parametrize("evenness", [0.3, 2.0])
def test_few_people_tell_how_even_answers_are(evenness: float) -> None:
    """Without the bias of their own noise."""
    rng = np.random.default_rng(1)
    asked = draw_everybody([3, 4], evenness, 4000, rng)
    counts = np.where(asked.exists, rng.multinomial(4, asked.shares), np.nan)
    assert evenness_of(distributions(counts, counts)) == pytest.approx(evenness, rel=0.1)
