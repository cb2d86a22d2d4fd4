"""Charts of judgments: whole, escaped, in the colours of the page, and with everything where its value is."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import polars as pl
import pytest

from probsense.show.chart import Chart
from probsense.show.charts import chart_of_table
from probsense.tasks.judgments import charts
from probsense.tasks.judgments.recorded import analyse
from probsense.tasks.judgments.words import WORDS
from support import drawing
from support.drawing import CHECKS, HOSTILE, texts, tips


def made(name: str, table: pl.DataFrame) -> Chart:
    words = replace(WORDS.charts[name], title=f"Title {HOSTILE}", meaning="")
    return chart_of_table(name, table, words, WORDS)


@pytest.fixture(scope="module")
def chart_of(study, tmp_path_factory):
    """The charts of the study, of which a model has a hostile name; each is made once, so that it is drawn once."""
    path = tmp_path_factory.mktemp("hostile") / "ratings.csv"
    named = pl.col("model").replace("always no", HOSTILE.replace("\x00", ""))
    pl.read_csv(study.ratings).with_columns(named).write_csv(path)
    found = analyse(ratings=[path], humans=[study.people], data=study.statements, draws=2)
    return cache(lambda name: made(name, found.results.tables[name]))


@pytest.mark.parametrize("name", ["individuals", "departures", "pq"])
@pytest.mark.parametrize("check", CHECKS)
def test_every_chart_is_fit_for_a_page(name, check, chart_of):
    check(chart_of(name))


def test_people_are_a_distribution_and_models_stand_below_it(chart_of):
    table = chart_of("individuals").table
    alone = made("individuals", table.filter(pl.col("kind") != "person"))
    root, other = (drawing.drawn(chart)[0] for chart in (chart_of("individuals"), alone))
    assert sum(int(tip.split()[0]) for tip in tips(root) if "people between" in tip) == 12
    names = [text for text in texts(root) if text in ("good", "always yes", "refuser")]
    assert names == ["good", "refuser", "always yes"]
    assert {"12 people", "chance", "median of people"} <= {*texts(root)}
    assert {"chance", "ceiling"} <= {*texts(other)}
    assert not any("people" in text for text in texts(other))
    scores = table.filter(pl.col("kind") == "person")["score"] * 100
    every = [row for rows in chart_of("individuals").spec()["datasets"].values() for row in rows]
    assert {"name": "median of people", "value": pytest.approx(scores.median())} in every
    low, high = (scores.quantile(share, "linear") for share in (0.25, 0.75))
    assert f"middle half of people: {low:.1f} to {high:.1f} %" in tips(root)


@pytest.mark.parametrize(
    ("name", "said", "line"),
    [
        ("share_calibration", r"people, \d+–\d+ %: [\d.]+ % \[.*\] of people \([\d.]+ statements\)", None),
        ("statements", r"good, \d+–\d+ %: [\d.]+ % \[.*\] to people \(\d+ statements\)", None),
        ("pq", r"people, 83.3 %: [\d.]+ % \[.*\] of the statements \(12 raters\)", "step-before"),
    ],
)
def test_shares_by_a_share_are_told_with_whose_they_are(name, said, line, chart_of):
    told = {*tips(drawing.drawn(chart_of(name))[0])}
    assert [one for one in told if re.fullmatch(said, one)]
    assert chart_of(name).spec()["layer"][0]["mark"].get("interpolate") == line


def test_departures_beyond_chance_come_first_and_people_stand_beside_every_model(chart_of):
    table = chart_of("departures").table.filter(pl.col("asked") == "q1")
    farthest = table.sort(pl.col("p_adjusted") >= charts.FALSE, -pl.col("value").abs(), maintain_order=True)
    shown = farthest.unique("statement_id", maintain_order=True).head(charts.SHOWN)
    told = {*tips(drawing.drawn(chart_of("departures"))[0])}
    for text in shown["statement"]:
        (people,) = [one for one in told if one.startswith("people, ") and text in one]
        (good,) = [one for one in told if one.startswith("good, ") and text in one]
        assert " points from people (adjusted p = " in good
        assert people.startswith(f"people, {text.split()[-1][:-1]}: ")
    # Many models share a lane.
    models = [table.filter(model="good").with_columns(model=pl.lit(f"m{i}")) for i in range(20)]
    many = made("departures", pl.concat(models)).spec()
    lanes = [layer["encoding"].get("yOffset") for layer in many["layer"]]
    assert {tuple(lane["scale"]["domain"]) for lane in lanes if lane} == {("people", "each model")}


def test_statements_are_shown_of_the_models_that_correlate_best_with_people():
    people = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    values = {
        "against": people[::-1],
        "near": [0.1, 0.2, 0.5, 0.6, 0.7, 1.0],
        "constant": [0.5] * 6,
        "same": people,
        "far": [0.9, 0.2, 0.4, 0.1, 0.8, 1.0],
    }
    rows = [(model, p, v) for model, own in values.items() for p, v in zip(people, own, strict=True)]
    found = charts.in_bins(pl.DataFrame(rows, schema=["model", "people", "value"], orient="row"))
    assert found["model"].unique(maintain_order=True).to_list() == ["same", "near", "far"]
