"""Charts of judgments: whole, escaped, in the colours of the page, and with everything where its value is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from xml.etree.ElementTree import Element

import numpy as np
import polars as pl
import pytest

from probsense.show.chart import Chart
from probsense.show.charts import chart_of_table
from probsense.tasks.judgments import charts
from probsense.tasks.judgments.words import WORDS
from support import drawing
from support.drawing import CHECKS, HOSTILE, texts, tips


def individuals() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    people = [("person", f"p{i}", 0.5 + 0.4 * x, None, None) for i, x in enumerate(rng.random(200))]
    raters = [
        ("model", HOSTILE, 0.8, 0.78, 0.82),
        ("model", "b", 0.6, 0.55, 0.65),
        ("baseline", "always yes", 0.7, None, None),
    ]
    schema = ["kind", "name", "score", "low", "high"]
    return pl.DataFrame(people + raters, schema=schema, orient="row", infer_schema_length=None)


def statements() -> pl.DataFrame:
    values = {"people": [0.1, 0.3, 0.5] * 2, "value": [0.41, 0.45, 0.91] * 2}
    return pl.DataFrame({"model": [HOSTILE] * 3 + ["b"] * 3, **values})


def features(models: int = 2) -> pl.DataFrame:
    names = ["people", HOSTILE, *(f"m{i}" for i in range(1, models))]
    return pl.DataFrame(
        {
            "model": names,
            "feature": ["fact − opinion"] * len(names),
            "value": [0.05, *[-0.02] * models],
            "low": [0.01, *[-0.1] * models],
            "high": [0.09, *[0.1] * models],
        }
    )


def pq() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "population": ["people"] * 3,
            "raters": [3] * 3,
            "p": [1 / 3, 2 / 3, 1.0],
            "q": [1.0, 0.5, 0.25],
            "q_bound": [1.0, 0.6, 0.25],
            "low": [1.0, 0.4, 0.1],
            "high": [1.0, 0.6, 0.4],
        }
    )


def share_calibration() -> pl.DataFrame:
    rows = [
        (name, asked, bins, 3.0, p, p - 0.04, *ends)
        for asked in ("q1", "q2")
        for name in ("people", HOSTILE, "b")
        for bins, p, ends in (("0–10 %", 0.05, (0.0, 0.3)), ("80–90 %", 0.85, (None, None)))
    ]
    schema = ["model", "asked", "bin", "statements", "probability", "share", "low", "high"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def departures(count: int = 20, models: int = 2) -> pl.DataFrame:
    """Differences that fall with the number of the statement; of every other one people's sampling may be the cause."""
    rows = [
        (name, asked, i, 0.95 - i / 50, 0.9 - i / 50, 0.02 if i % 2 else 0.2)
        for asked in ("q1", "q2")
        for name in (HOSTILE, *(f"m{i}" for i in range(1, models)))
        for i in range(count)
    ]
    columns = ["model", "asked", "statement_id", "probability", "value", "p_adjusted"]
    texts = [None, *["The same long text of a statement, again and again."] * (count - 1)]
    people = {"raters": 12, "people": 0.05, "people_low": 0.0, "people_high": 0.3}
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        *(
            pl.lit(value).alias(name)
            for name, value in {**people, "low": 0.6, "high": 0.95, "p": 0.01}.items()
        ),
        statement=pl.Series(texts * 2 * models),
    )


CHARTS: dict[str, tuple[str, pl.DataFrame]] = {
    "individuals": ("individuals", individuals()),
    "statements": ("statements", statements()),
    "features": ("features", features()),
    "many_features": ("features", features(20)),
    "pq": ("pq", pq()),
    "share_calibration": ("share_calibration", share_calibration()),
    "departures": ("departures", departures()),
    "many_departures": ("departures", departures(5, WORDS.charts["departures"].lanes + 1)),
}


def made(name: str, table: pl.DataFrame) -> Chart:
    own = replace(WORDS.charts[CHARTS[name][0]], title=f"Title {HOSTILE}", meaning="")
    return chart_of_table(name, table, own, WORDS)


@cache
def chart_of(name: str) -> Chart:
    """One chart for all tests, so that it is drawn once."""
    return made(name, CHARTS[name][1])


def drawn(name: str, table: pl.DataFrame | None = None) -> Element:
    """What is drawn for a screen."""
    return drawing.drawn(chart_of(name) if table is None else made(name, table))[0]


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("check", CHECKS)
def test_every_chart_is_fit_for_a_page(name: str, check: Callable[[Chart], None]) -> None:
    check(chart_of(name))


def test_people_are_a_distribution_and_models_stand_below_it() -> None:
    root = drawn("individuals")
    counted = [int(tip.split()[0]) for tip in tips(root) if "people between" in tip]
    assert sum(counted) == 200
    assert "200 people" in texts(root)
    names = [text for text in texts(root) if text in ("b", "always yes") or text.startswith("<script")]
    assert names[1:] == ["always yes", "b"]
    alone = drawn("individuals", individuals().filter(pl.col("kind") != "person"))
    assert not any("people" in text for text in texts(alone))
    ends = {"chance", "median of people", "ceiling"}
    assert ends & {*texts(root)} == {"chance", "median of people"}
    assert ends & {*texts(alone)} == {"chance", "ceiling"}
    scores = individuals().filter(pl.col("kind") == "person")["score"].sort() * 100
    every = made("individuals", individuals()).spec()["datasets"].values()
    lines = {row["name"]: row["value"] for values in every for row in values if row.get("name") in ends}
    assert lines == {"chance": 50, "median of people": pytest.approx(scores.median())}
    low, high = scores.quantile(0.25, "linear"), scores.quantile(0.75, "linear")
    assert [tip for tip in tips(root) if "middle half" in tip] == [
        f"middle half of people: {low:.1f} to {high:.1f} %"
    ]


def test_features_have_people_first_and_many_models_in_one_lane() -> None:
    few, many = (texts(drawn(name)) for name in ("features", "many_features"))
    assert "people" in few
    assert "m1" in few
    assert "each model" in many
    assert "people" not in texts(drawn("features", features()[1:]))


def test_models_that_share_a_lane_take_the_room_of_one() -> None:
    one, many = (made("features", features(n)).spec() for n in (1, 20))
    assert many["height"] == one["height"]
    lanes = [layer["encoding"].get("yOffset") for layer in many["layer"]]
    assert {tuple(lane["scale"]["domain"]) for lane in lanes if lane} == {("people", "each model")}


def test_calibration_shows_the_first_question_and_hollow_marks_without_interval() -> None:
    root = drawn("share_calibration")
    said = tips(root)
    assert "people, 0–10 %: 1.0 % [0.0, 30.0] of people (3 statements)" in said
    assert len({tip for tip in said if "of people (" in tip}) == 6
    only = share_calibration().filter(pl.col("asked") == "q2")
    assert "b, 80–90 %: 81.0 % of people (3 statements)" in tips(drawn("share_calibration", only))


def test_statements_are_those_to_people_and_groups_share_a_stair_of_statements() -> None:
    assert "b, 90–100 %: 50.0 % to people (1 statements)" in tips(drawn("statements"))
    assert "people, 66.7 %: 50.0 % [40.0, 60.0] of the statements (3 raters)" in tips(drawn("pq"))
    lines = {name: made(*CHARTS[name]).spec()["layer"][0]["mark"] for name in ("statements", "pq")}
    assert {name: line.get("interpolate") for name, line in lines.items()} == {
        "statements": None,
        "pq": "step-before",
    }


def test_departures_beyond_chance_come_first_and_people_stand_beside_every_model() -> None:
    root = drawn("departures")
    shown = [tip for tip in tips(root) if tip.startswith("m1, ")]
    places = [int(re.findall(r"m1, (?:statement )?(\d+)", tip)[0]) for tip in shown]
    assert {*places} == {*range(1, 20, 2), 0, 2}
    text = "1: The same long text of a statement, again and again."
    assert f"m1, {text}: 93.0 %, +88.0 points from people (adjusted p = 0.020)" in shown
    assert sum(tip.startswith("people, ") for tip in {*tips(root)}) == charts.SHOWN
    assert "each model" in texts(drawn("many_departures"))
    assert "statement 0" in texts(root)
