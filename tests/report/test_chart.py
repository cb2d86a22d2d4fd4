from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest

from probsense.report.chart import LEFT, RIGHT, chart
from probsense.report.svg import COLOURS, SHAPES
from probsense.stats.estimate import Estimate

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan
HOSTILE = "<script>alert(1)</script>\"><img src=x onerror='alert(1)'>&\x00\u202e"


def estimate(
    value: float, low: float, high: float, measure: str = "accuracy", chance: float = NAN, **by: str
) -> Estimate:
    return Estimate(measure, by, value, NAN, low, high, 0.95, 9, 9, "published", chance)


def draw(*estimates: Estimate, measure: str = "accuracy") -> ET.Element:
    return ET.fromstring(chart(estimates, measure, "published"))


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def figures(root: ET.Element) -> list[ET.Element]:
    return [g for g in root.iter(f"{SVG}g") if g.get("class") == "figure"]


def percent(text: str | None) -> float:
    assert text is not None
    assert text.endswith("%")
    return float(text[:-1])


def dashed(root: ET.Element) -> list[float]:
    return [percent(line.get("x1")) for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]


def along(share: float) -> float:
    return LEFT + share * (RIGHT - LEFT)


def test_marks_and_whiskers_stand_where_the_figures_are() -> None:
    (figure,) = figures(draw(estimate(0.75, 0.6, 0.9, model="m", problem="p")))
    assert figure.findtext(f"{SVG}title") == "m, p: 75.0 % (95 % interval 60.0–90.0)"
    line, mark = figure.find(f"{SVG}line"), figure.find(f"{SVG}svg")
    assert line is not None
    assert mark is not None
    assert percent(mark.get("x")) == pytest.approx(along(0.75), abs=0.01)
    assert percent(line.get("x1")) == pytest.approx(along(0.6), abs=0.01)
    assert percent(line.get("x2")) == pytest.approx(along(0.9), abs=0.01)


def test_bias_runs_from_minus_one_to_one_with_a_line_at_nought() -> None:
    root = draw(estimate(-0.5, -0.6, -0.4, "bias", model="m"), measure="bias")
    mark = figures(root)[0].find(f"{SVG}svg")
    assert mark is not None
    assert percent(mark.get("x")) == pytest.approx(along(0.25), abs=0.01)
    assert {"−1", "−0.5", "0", "0.5", "1", "no leaning", "Bias"} <= set(texts(root))
    assert dashed(root) == [pytest.approx(along(0.5), abs=0.01)]


def test_a_line_marks_chance_where_it_is_known_and_the_same_for_all() -> None:
    quarter = draw(*(estimate(0.5, 0.4, 0.6, chance=0.25, model=model) for model in "ab"))
    assert "chance" in texts(quarter)
    assert dashed(quarter) == [pytest.approx(along(0.25), abs=0.01)]
    for others in ((NAN,), (0.5, 0.25), (0.5, NAN)):
        made = draw(*(estimate(0.5, 0.4, 0.6, chance=c, model=f"{i}") for i, c in enumerate(others)))
        assert "chance" not in texts(made)
        assert dashed(made) == []


def test_views_are_rows_and_the_title_says_so() -> None:
    root = draw(*(estimate(0.5, 0.4, 0.6, model="m", view=view) for view in ("sum", "partial")))
    assert [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "problem"] == ["sum", "partial"]
    assert root.findtext(f"{SVG}title") == "Accuracy by view and model"


def test_an_interval_beyond_the_axis_is_drawn_to_its_end() -> None:
    (figure,) = figures(draw(estimate(0.99, 0.9, 1.2, model="m")))
    line = figure.find(f"{SVG}line")
    assert line is not None
    assert percent(line.get("x2")) == pytest.approx(RIGHT, abs=0.01)


def test_an_unknown_interval_is_a_hollow_mark_without_a_whisker() -> None:
    (figure,) = figures(draw(estimate(0.7, NAN, NAN, model="m")))
    assert figure.find(f"{SVG}line") is None
    path = next(figure.iter(f"{SVG}path"))
    assert "fill:var(--paper" in (path.get("style") or "")
    assert "interval unknown" in (figure.findtext(f"{SVG}title") or "")


def test_an_unknown_figure_is_not_drawn() -> None:
    assert figures(draw(estimate(NAN, NAN, NAN, model="m"))) == []


def test_rows_are_overall_then_problems_and_the_legend_names_the_models() -> None:
    root = draw(
        estimate(0.5, 0.4, 0.6, model="a", problem="p"),
        estimate(0.5, 0.4, 0.6, model="b", problem="q"),
        estimate(0.5, 0.4, 0.6, model="a"),
    )
    rows = [e for e in root.iter(f"{SVG}text") if e.get("class") == "problem"]
    assert [row.text for row in rows] == ["Overall", "p", "q"]
    assert [float(row.get("y") or 0) for row in rows] == sorted(float(row.get("y") or 0) for row in rows)
    assert texts(root)[:2] == ["a", "b"]
    assert root.find(f"{SVG}title") is not None
    assert "a, b" in (root.findtext(f"{SVG}desc") or "")


def test_every_model_has_a_colour_and_shape_of_its_own() -> None:
    root = draw(*(estimate(0.5, 0.4, 0.6, model=f"m{i}") for i in range(40)))
    looks = [
        (p.get("d"), re.findall(r"fill:var\(--c\d, ([^)]*)\)", p.get("style") or "")[0])
        for p in root.iter(f"{SVG}path")
    ]
    assert len(set(looks)) == 40
    assert len(looks) == 80
    assert len(set(COLOURS)) == len(COLOURS)
    assert math.gcd(len(COLOURS), len(SHAPES)) == 1


def test_hostile_names_stay_text() -> None:
    source = chart(
        [estimate(0.5, 0.4, 0.6, model=HOSTILE, problem=HOSTILE, prompting=p) for p in (HOSTILE, "x")],
        "accuracy",
        "published",
    )
    root = ET.fromstring(source)
    allowed = {SVG + tag for tag in ("svg", "g", "title", "desc", "rect", "text", "line", "path")}
    assert {element.tag for element in root.iter()} == allowed
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert "\x00" not in source
    assert "\u202e" not in source


def test_long_names_are_shortened_but_kept_in_the_tooltip() -> None:
    name = "hf:somebody/" + "x" * 80
    source = chart([estimate(0.5, 0.4, 0.6, model=name)], "accuracy", "published")
    assert f"<title>{name}</title>" in source
    assert f">{name}</text>" not in source


def test_there_is_no_chart_of_nothing_nor_of_an_unknown_measure() -> None:
    assert chart([], "accuracy", "published") == ""
    assert chart([estimate(3.0, 2.0, 4.0, "rank", model="m")], "rank", "published") == ""
    assert chart([estimate(3.0, 2.0, 4.0, "log_score", model="m")], "log_score", "published") == ""
