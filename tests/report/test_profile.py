"""The commonsense profile: the right figure of each instrument, on one scale."""

from __future__ import annotations

import math

from probsense.report.charts.profile import profile_chart
from probsense.report.profile import profile_figure, profile_table, profiles, title_of

from probsense.stats.estimate import Estimate


def estimate(measure: str, value: float, method: str = "m", chance: float = math.nan, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.03, 0.95, 9, 9, method, chance)


FOUND = [
    (
        "worldsense",
        [
            estimate("accuracy", 0.6, "stratified", 0.5, model="a"),
            estimate("accuracy", 0.9, "stratified", 0.5, model="a", problem="p"),
            estimate("accuracy", 0.7, "stratified", 0.5, model="b"),
            estimate("accuracy", 0.1, "corrected", 0.5, model="a"),
        ],
    ),
    (
        "judgments",
        [
            estimate("win_rate", 0.4, model="b"),
            estimate("commonsensicality", 0.1, "published", model="b"),
            estimate("commonsensicality", 0.8, model="b"),
            estimate("commonsensicality", 0.3, model="baseline: always yes"),
        ],
    ),
    ("frames", [estimate("normalised", 0.25, model="a")]),
    ("mine", [estimate("rank", 3.0, model="a")]),
]


def test_each_instrument_has_its_own_figure_and_models_are_columns() -> None:
    table = profile_table(profiles(FOUND))
    assert table.columns == ("Instrument", "Chance", "People", "a", "b")
    assert table.rows == (
        ("WorldSense: accuracy", "50", "–", "60.0 (58.0 to 63.0)", "70.0 (68.0 to 73.0)"),
        ("Judgments: score", "–", "–", "–", "80.0 (78.0 to 83.0)"),
        ("Judgments: wins", "–", "50", "–", "40.0 (38.0 to 43.0)"),
        ("Frames: nearness", "0", "100", "75.0 (72.0 to 77.0)", "–"),
    )


def test_the_chart_has_every_figure_and_landmark_on_its_scale() -> None:
    figure = profile_figure(profiles(FOUND))
    assert figure.table["value"].to_list() == [0.6, 0.7, 0.8, 0.4, 0.75]
    text = str(profile_chart(figure.table, 720))
    assert "WorldSense: accuracy: chance 50 %" in text
    assert "Frames: nearness: people 100 %" in text
    assert "b, Judgments: wins: 40.0 % (interval 38.0 to 43.0)" in text


def test_nothing_known_is_an_empty_profile() -> None:
    assert (
        profiles([("mine", [estimate("rank", 3.0, model="a"), estimate("accuracy", math.nan, model="a")])])
        == []
    )


def test_instruments_have_names() -> None:
    assert [title_of(name) for name in ("worldsense", "suite", "x\x1b")] == ["WorldSense", "Suite", "X\ufffd"]
