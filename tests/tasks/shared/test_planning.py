"""Simulated right and wrong answers have the correlations that were asked for, and pilots tell them back."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.differences import adjusted, differences
from probsense.analysis.comparison.scores import ItemScores
from probsense.core.errors import InputError
from probsense.tasks.shared.pilots import pilot_answering
from probsense.tasks.shared.planning import (
    COMMON,
    Answering,
    complete,
    draw_hits,
    first_p_values,
    least_alike,
)


def layout(clusters: int, siblings: int, settings: int = 1) -> pl.DataFrame:
    """Lay out clusters that take turns through settings."""
    n = clusters * siblings
    cluster = np.arange(n) // siblings
    return complete(
        pl.DataFrame(
            {
                "item": np.arange(n).astype(str),
                "cluster": cluster.astype(str),
                "setting": (cluster % settings).astype(str),
            }
        )
    )


@given(
    accuracy=st.floats(0.2, 0.9),
    place=st.floats(0, 1),
    shared=st.floats(0, 0.9),
    siblings=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_answers_have_the_correlations(
    accuracy: float, place: float, shared: float, siblings: int, seed: int
) -> None:
    """Those of siblings, from the least that can be to .8, and those of two models on one question."""
    least = least_alike(accuracy, siblings)
    alike = 0.0 if siblings == 1 else least + place * (0.8 - least)
    items = layout(4000, siblings)
    rng = np.random.default_rng(seed)
    hits = draw_hits(Answering(accuracy, alike, shared), np.array([accuracy] * 2), items, 5, rng)
    assert hits.shape == (5, 2, 4000 * siblings)
    rest = hits - hits.mean()
    variance = accuracy * (1 - accuracy)
    assert hits.mean() == pytest.approx(accuracy, abs=0.02)
    together = (rest[:, 0] * rest[:, 1]).mean() / variance
    assert together == pytest.approx(shared, abs=0.05)
    if siblings > 1:
        own = rest.reshape(-1, siblings)
        pairs = (own.sum(axis=1) ** 2 - (own**2).sum(axis=1)).mean() / (siblings * (siblings - 1))
        assert pairs / variance == pytest.approx(alike, abs=0.05)


def test_no_siblings_are_less_alike_than_the_least() -> None:
    """At an accuracy of .7, two siblings are right together at least four times in ten."""
    assert least_alike(0.7, 2) == pytest.approx((0.4 - 0.49) / 0.21)
    assert least_alike(0.5, 2) == pytest.approx(-1)
    assert least_alike(0.9, 1) == 0


def test_settings_are_uneven_and_partly_so_for_all_models() -> None:
    """Their means vary by the standard deviation; COMMON of the variance is the same for two models."""
    items = layout(40 * 250, 1, settings=40)
    rng = np.random.default_rng(4)
    hits = draw_hits(Answering(0.5, 0, 0, 0.1), np.array([0.5, 0.5]), items, 60, rng)
    means = hits.reshape(60, 2, 250, 40).mean(axis=2)
    means = means - means.mean(axis=2, keepdims=True)
    noise = 0.25 / 250
    assert means.var() - noise == pytest.approx(0.01, rel=0.15)
    assert (means[:, 0] * means[:, 1]).mean() == pytest.approx(COMMON * 0.01, rel=0.2)


def test_pilots_tell_how_models_answer() -> None:
    """What was put in comes out, from two runs."""
    truth = Answering(0.7, -0.3, 0.4, 0.1)
    items = layout(30 * 100, 2, settings=30)
    hits = draw_hits(truth, np.array([0.7, 0.7]), items, 1, np.random.default_rng(5))[0]
    runs = [ItemScores(items, pl.DataFrame({"accuracy": own.astype(float)})) for own in hits]
    told, notes = pilot_answering(runs)
    assert notes == []
    assert told["accuracy"] == pytest.approx(0.7, abs=0.04)
    assert told["alike"] == pytest.approx(-0.3, abs=0.06)
    assert told["shared"] == pytest.approx(0.4, abs=0.06)
    assert told["uneven"] == pytest.approx(0.1, abs=0.03)
    alone, notes = pilot_answering(runs[:1])
    assert "shared" not in alone
    assert len(notes) == 1
    assert pilot_answering([]) == ({}, [])


def test_p_values_are_those_of_a_comparison() -> None:
    """For each study by itself, adjusted for all pairs of its models."""
    items = layout(60, 2)
    hits = draw_hits(Answering(0.7, 0.2, 0.3), np.array([0.8, 0.6, 0.6]), items, 4, np.random.default_rng(0))
    values = hits.astype(float)
    found = first_p_values(items, values)
    for p, own in zip(found, values, strict=True):
        aligned = Aligned("accuracy", ("a", "b", "c"), items, own, (), (0, 0, 0))
        assert p == adjusted(differences(aligned, [1]))[0].p_holm


@pytest.mark.parametrize(
    ("answering", "message"),
    [
        ((1.0, 0, 0), r"an accuracy 1 \(expected between 0 and 1\)"),
        ((0.7, -2, 0), "answers alike -2"),
        ((0.7, 0, 1.2), "answers that share 1.2"),
        ((0.7, 0, 0, 0.6), "settings uneven by 0.6"),
    ],
)
def test_impossible_answers_are_refused(answering: tuple[float, ...], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        Answering(*answering)
