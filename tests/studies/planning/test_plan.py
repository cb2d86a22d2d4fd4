"""Plans of studies whose widths and powers have formulas."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from probsense.core.errors import InputError
from probsense.show.measure import ACCURACY
from probsense.show.render import file_bytes
from probsense.studies.planning.plan import make_plan
from probsense.studies.planning.search import rounded
from probsense.tasks.shared.planning import Planned, Setting
from support.studies.normal import NormalStudy

Z = 1.959964
"""The quantile of a test at 5 %."""


@pytest.fixture
def planned() -> Planned:
    """One setting."""
    return Planned("Normal", ACCURACY, 0.7, {"sd": 1.0}, [Setting({}, NormalStudy())], ["a note"])


def planned_with(study: NormalStudy, *more: NormalStudy) -> Planned:
    """Plan these studies."""
    both = [Setting({"raters": n}, one) for n, one in enumerate((study, *more), 1)]
    return Planned("Normal", ACCURACY, 0.7, {}, both if more else [Setting({}, study)])


@example(sd=1.595703125, half=0.02, seed=0)
@given(sd=st.floats(0.1, 2), half=st.floats(0.02, 0.2), seed=st.integers(0, 100))
def test_size_of_a_width_is_that_of_the_formula(sd: float, half: float, seed: int) -> None:
    """n = (1.96 sd / half)², to the error of the simulation and of rounding to three digits."""
    study = NormalStudy(sd)
    (found,) = make_plan("normal", planned_with(study), width=2 * half, seed=seed).found
    assert found.for_width is not None
    promised = 1.96 * study.error(found.for_width)
    if found.for_width > study.least:
        assert promised == pytest.approx(half, rel=0, abs=0.02 * half + 0.55 * promised / found.for_width)


@settings(max_examples=15)
@given(
    sd=st.floats(0.2, 2),
    difference=st.floats(0.03, 0.15),
    power=st.sampled_from([0.5, 0.8, 0.9, 0.95]),
    seed=st.integers(0, 100),
)
def test_size_of_a_difference_has_the_power(sd: float, difference: float, power: float, seed: int) -> None:
    """The true power at the size that is found is within what four sizes of 500 studies allow."""
    study = NormalStudy(sd)
    plan = make_plan("normal", planned_with(study), difference=difference, power=power, seed=seed)
    size = plan.found[0].for_difference
    assert size is not None
    (named,) = (one.power for one in plan.found[0].points if one.size == size)
    assert named is not None
    assert named.value >= power
    true = float(ndtr(difference / study.error(size) - Z))
    # One item more or less is what a small study cannot do without.
    step = float(ndtr(difference / study.error(size + 1) - Z)) - true
    assert abs(true - power) < 0.035 + step


def test_more_models_take_more(planned: Planned) -> None:
    """Tests are adjusted for all pairs."""
    sizes = [
        make_plan("normal", planned, difference=0.1, models=models).found[0].for_difference or 0
        for models in (2, 3, 5)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.8 * sizes[2]


def test_same_seed_same_plan(planned: Planned) -> None:
    """And another seed gives another one."""
    plans = [make_plan("normal", planned, width=0.1, difference=0.1, seed=seed) for seed in (1, 1, 2)]
    assert plans[0].to_json() == plans[1].to_json()
    assert plans[0].to_json() != plans[2].to_json()


def test_sentence_table_and_document_say_the_same(planned: Planned) -> None:
    """Sizes, widths and powers."""
    plan = make_plan("normal", planned, width=0.1, difference=0.1)
    (found,) = plan.found
    table, document = plan.table(), json.loads(json.dumps(plan.to_json(), allow_nan=False))
    width = table.filter("for_width").row(0, named=True)
    assert width["size"] == found.for_width
    assert width["questions"] == 3 * width["size"]
    assert width["half_width"] == pytest.approx(0.05, rel=0.02)
    power = table.filter("for_difference").row(0, named=True)
    assert power["power"] == pytest.approx(0.8, abs=0.06)
    assert str(plan) == (
        f"Normal: {found.for_width:,} items give an interval of ± {100 * width['half_width']:.1f} points around an"
        f" accuracy near 70.0 %; {found.for_difference:,} show a difference of 10.0 points with 80 % power"
    )
    assert document["sentences"] == [str(plan)]
    assert document["notes"] == ["a note"]
    points = document["found"][0]["points"]
    assert [one["size"] for one in points] == table["size"].to_list() == sorted(table["size"].to_list())
    assert [one["power"] for one in points] == table["power"].to_list()
    shown = plan.short_table()
    assert len(shown.rows) == len(points)
    marked = [re.sub(r"\D", "", row[0]) for row in shown.rows if "←" in row[0]]
    assert {int(one) for one in marked} == {found.for_width, found.for_difference}


def test_each_setting_has_its_sentence() -> None:
    """What is fixed stands first."""
    plan = make_plan("normal", planned_with(NormalStudy(1.0), NormalStudy(0.5)), width=0.1)
    first, second = str(plan).splitlines()
    assert first.startswith("Normal: with 1 rater, ")
    assert second.startswith("Normal: with 2 raters, ")
    sizes = [found.for_width or 0 for found in plan.found]
    assert sizes[0] == pytest.approx(4 * sizes[1], rel=0.05)
    assert plan.table()["raters"].unique().sort().to_list() == [1, 2]


def test_curve_can_be_drawn(planned: Planned) -> None:
    """It has a panel for the width and one for the power, and a line for each goal."""
    plan = make_plan("normal", planned, width=0.1, difference=0.1)
    chart = plan.chart()
    assert chart.table["panel"].unique(maintain_order=True).to_list() == ["width", "power"]
    assert chart.table.filter(panel="width")["goal"].unique().to_list() == [pytest.approx(5)]
    drawn = file_bytes(chart, "svg").decode()
    assert "Interval ± points" in drawn
    assert "Power (%)" in drawn
    assert "Items" in drawn
    alone = make_plan("normal", planned, width=0.1).chart()
    assert alone.table["panel"].unique().to_list() == ["width"]


def test_notebook_shows_a_plan(planned: Planned) -> None:
    """The sentence, the table, and what to call next."""
    import probsense  # noqa: F401 - names what results look like

    plan = make_plan("normal", planned, width=0.1)
    assert str(plan) in repr(plan)
    assert "plan.table()" in repr(plan)
    assert len(repr(plan)) < 1500
    html = plan._repr_html_()
    assert "<table" in html
    assert "a note" in html


def test_width_that_no_size_reaches_names_the_floor() -> None:
    """Groups leave an error of .02 whatever n is: intervals stay wider than ± 3.9 points."""
    study = replace(NormalStudy(1.0), floor=0.02)
    with pytest.raises(InputError) as raised:
        make_plan("normal", planned_with(study), width=0.05)
    assert re.search(
        r"100,000 items still give an interval of ± (3\.9|4\.0) points, and no more are tried"
        r" \(expected a width above 0\.07\d+, or other assumptions\)",
        str(raised.value),
    )


def test_difference_that_no_size_shows_names_the_power() -> None:
    """The same errors leave a difference of 3 points at 32 %."""
    study = replace(NormalStudy(1.0), floor=0.02)
    with pytest.raises(
        InputError, match=r"100,000 items show the difference with \d\d % power only"
    ) as raised:
        make_plan("normal", planned_with(study), difference=0.03)
    (share,) = map(int, re.findall(r"with (\d\d) % power", str(raised.value)))
    assert share == pytest.approx(32, abs=12)


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ({}, r"neither a width nor a difference \(expected --width"),
        ({"width": 0.0}, r"a width of 0 \(expected above 0 and below 1\)"),
        ({"width": 1.5}, "a width of 1.5"),
        ({"difference": 5.0}, r"a difference of 5 \(expected above 0 and below 1; 5 points are 0.05\)"),
        ({"width": float("nan")}, "a width of nan"),
        ({"difference": -0.1}, r"a difference of -0.1 \(expected above 0"),
        ({"width": 0.1, "power": 1.0}, r"a power of 1 \(expected above .05 and below 1\)"),
        ({"width": 0.1, "models": 1}, r"1 models \(expected 2 to 20\)"),
        ({"width": 0.1, "studies": 3}, r"3 simulated studies \(expected at least 50\)"),
    ],
)
def test_impossible_goals_are_refused(planned: Planned, goals: dict[str, Any], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        make_plan("normal", planned, **goals)


@given(st.floats(0.1, 1e7))
def test_sizes_are_rounded_up_to_three_digits(size: float) -> None:
    """And never by more than a hundredth, beside the step to a whole number."""
    found = rounded(size)
    assert size <= found + 1e-6
    assert found <= 1.01 * size + 1
    assert len(str(found).rstrip("0")) <= 3


def test_progress_ends_when_all_is_done(planned: Planned) -> None:
    """And never says so before."""
    told: list[tuple[int, int]] = []
    make_plan("normal", planned, width=0.1, difference=0.1, progress=lambda *of: told.append(of))
    assert told[-1][0] == told[-1][1]
    assert all(done < total for done, total in told[:-1])
