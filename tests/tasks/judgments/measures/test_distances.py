"""Distances from people's shares in the analysis of recorded ratings."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from probsense.analysis.human_choices.floors import FLOORS
from probsense.analysis.human_choices.measures import MEASURES, distributions
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.significance import adjust
from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.distances import CORRECTED, DISTANCES, UNRELATED
from probsense.tasks.judgments.measures.estimates import PEOPLE
from probsense.tasks.judgments.recorded import analyse


@pytest.fixture(scope="module")
def found(study):
    return analyse(
        ratings=[study.ratings], humans=[study.people], data=study.statements, draws=2, other="drop"
    )


def figures(analysis: Analysis, asked: str = "q1", **part: str) -> dict[tuple[str, str], Estimate]:
    """Find distances by measure and rater."""
    return {
        (e.measure, str(e.by["model"])): e
        for e in analysis.results.estimates
        if e.by == {"model": e.by["model"], "asked": asked, **part}
    }


def test_distances_are_those_of_probabilities_and_shares(study, found):
    whole = figures(found)
    yes, asked = 12 * study.truth["q1"].to_numpy(), np.full(30, 12.0)
    good = pl.read_csv(study.ratings).filter(pl.col("model") == "good", pl.col("question") == "q1")
    p, share = good["p_yes"].to_numpy(), yes / asked
    e = whole["share_brier_corrected", "good"]
    assert e.value == pytest.approx(((share - p) ** 2 - share * (1 - share) / 11).mean())
    assert (e.n, e.clusters, e.method) == (30, 30, "clustered")
    pair = distributions(np.stack([yes, asked - yes], axis=1), np.stack([p, 1 - p], axis=1))
    for measure in DISTANCES.keys() - {CORRECTED}:
        people, unrelated = whole[measure, PEOPLE], whole[measure, UNRELATED]
        name, factor = DISTANCES[measure]
        assert whole[measure, "good"].value == pytest.approx(factor * MEASURES[name].function(pair).mean())
        assert people.value == pytest.approx(factor * FLOORS[name](pair).mean())
        assert people.value < unrelated.value
    a, h, b = (whole["share_brier", name].value for name in ("good", PEOPLE, UNRELATED))
    assert whole["share_normalised", "good"].value == pytest.approx((a - h) / (b - h))
    facts, food = (figures(found, feature=name) for name in ("opinion", "topic: food"))
    assert (facts["share_brier", "good"].n, food["share_js", PEOPLE].n) == (10, 15)
    # By definition, the first is 0.
    assert not {("share_brier_corrected", PEOPLE), ("share_brier", UNRELATED)} & food.keys()


def test_second_answers_are_set_beside_second_answers(found, analysed):
    turned = analysed(humans=lambda people: people.rename({"q1": "q2", "q2": "q1"}), other="drop")
    first, second = figures(turned), figures(found, "q2")
    assert {key: e.value for key, e in first.items()} == pytest.approx(
        {key: e.value for key, e in second.items()}
    )


def test_the_policy_of_other_answers_decides_the_probability(found, analysed):
    for analysis, expected in ((analysed(), {0.75, 0.525}), (found, {0.857143, 0.666667})):
        own = analysis.results.tables["departures"].filter(model="refuser", asked="q1")
        assert set(own["probability"].round(6)) == expected


def test_departures_have_every_statement_the_farthest_first(study, found):
    table = found.results.tables["departures"]
    assert table.height == 3 * 2 * 30
    no = table.filter(pl.col("model") == "always no", pl.col("asked") == "q1")
    assert no["value"].abs().is_sorted(descending=True)
    truth = pl.Series([study.truth["q1"][place] for place in no["statement_id"]])
    assert no["people"].to_list() == pytest.approx(truth.to_list())
    assert no["value"].to_list() == pytest.approx((0.2 - truth).to_list())
    assert ((no["low"] <= no["value"]) & (no["value"] <= no["high"]) & (no["high"] - no["low"] > 0.2)).all()
    assert no["statement"][0] == f"Statement number {no['statement_id'][0]}."
    assert no["p_adjusted"].to_numpy() == pytest.approx(adjust(no["p"].to_numpy(), "benjamini-hochberg"))


def test_calibration_has_people_beside_models(found):
    table = found.results.tables["share_calibration"].filter(pl.col("asked") == "q1")
    (no,) = table.filter(pl.col("model") == "always no").rows(named=True)
    assert (no["bin"], no["statements"], no["probability"]) == ("10–20 %", 30, pytest.approx(0.2))
    assert figures(found)["share_calibration_error", "good"].value > 0
    people = table.filter(pl.col("model") == PEOPLE)
    # The other half is less extreme.
    assert people["share"][0] > people["probability"][0] + 0.02
    assert people["share"][-1] < people["probability"][-1] - 0.02
