"""Plans from pilots: against formulas written out, a search through all numbers, and small simulations."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import nct, t

import probsense as ps
from plan_check import DESIGNS, draw
from probsense.analysis.comparison.aligned import align
from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.studies.plan import MOST, PEOPLE, Beyond, Goal, Pilot, shown_sizes, smallest

PILOT = Pilot("model", "", 20, 50, 0.004)
RATED = Pilot("people", "", 30, 30, 0.002, (Beyond(PEOPLE, 0.001, 12, 12.0),))
NAMED = {design.name: design for design in DESIGNS}


@pytest.mark.parametrize("wide", [0.3, 0.05])
def test_a_width_is_that_of_students_t(wide):
    def width(n: int) -> float:
        return float(2 * t.ppf(0.975, n - 1) * math.sqrt(0.004 * 20 / n))

    assert PILOT.width(33) == pytest.approx(width(33), rel=1e-9)
    assert Goal(width=wide).needed(PILOT) == next(n for n in range(2, 10_000) if width(n) <= wide)


@pytest.mark.parametrize(("difference", "power"), [(0.3, 0.8), (0.1, 0.95)])
def test_power_is_that_of_a_noncentral_t(difference, power):
    def found(n: int) -> float:
        critical, shift = t.ppf(0.975, n - 1), difference / math.sqrt(0.004 * 20 / n)
        return float(1 - nct.cdf(critical, n - 1, shift) + nct.cdf(-critical, n - 1, shift))

    assert PILOT.power(33, difference) == pytest.approx(found(33), rel=1e-6)
    needed = Goal(difference=difference, power=power).needed(PILOT)
    assert needed == next(n for n in range(2, 10_000) if found(n) >= power)


def test_people_leave_an_interval_wide_however_many_items_there_are():
    end = 2 * t.ppf(0.975, 11) * math.sqrt(0.001)
    assert RATED.width(math.inf) == pytest.approx(end, rel=1e-9)
    assert Goal(width=0.99 * end).needed(RATED) is None
    needed = Goal(width=1.05 * end).needed(RATED)
    assert RATED.width(needed) <= 1.05 * end < RATED.width(needed - 1)
    assert Goal(difference=0.05).needed(RATED) is None


def test_other_people_scale_their_part_alone():
    more = RATED.with_people(48)
    assert (more.variance, *more.beyond) == (0.002, Beyond(PEOPLE, 0.00025, 48, 12.0))
    # Fewer than answered an item: what varies over items may be theirs.
    assert RATED.with_people(6).variance == pytest.approx(0.004)
    skins = Pilot("model", "", 30, 30, 0.002, (Beyond("settings", 0.001, 12),))
    assert skins.with_people(48) == skins


def test_the_smallest_number_is_found_among_all():
    for least in (2, 3, 64, 65, 1000):
        assert smallest(lambda n, least=least: n >= least) == least
    assert smallest(lambda n: n > MOST) is None


def test_sizes_reach_from_a_quarter_to_what_is_needed():
    assert [*shown_sizes(20, 130)] == [0.25, 0.5, 1, 2, 4, 8]
    assert shown_sizes(4, None) == {0.5: 2, 1: 4, 2: 8, 4: 16}
    assert PILOT.items_in(33) == 83


@pytest.mark.parametrize(
    ("pilot", "said"),
    [
        (Pilot("model", "", 1, 5, math.nan), "clusters in the pilot of model: 1"),
        (Pilot("model", "other", 9, 9, 0.0), "the items of model − other do not vary"),
        (Pilot("people", "", 9, 9, 0.1, (Beyond(PEOPLE, 0.0, 1, 1.0),)), "people in the pilot of people: 1"),
    ],
)
def test_a_pilot_that_tells_no_error_is_refused(pilot, said):
    with pytest.raises(InputError, match=said):
        Goal(width=0.1).needed(pilot)


@pytest.mark.parametrize("name", ["normal, 40 clusters of 5", "hits, 60 pairs", "20 people × 60 items"])
def test_at_its_own_size_the_plan_has_the_interval_of_the_pilot(name):
    design = NAMED[name]
    read = draw(np.random.default_rng(2), design, design.clusters, design.people[0])
    level = align(read, "score").level(0)
    [pilot] = ps.plan(*read, width=0.6).pilots
    # Wilson's interval is somewhat narrower than that of the same error.
    near = 0.03 if level.method == "clustered Wilson" else 1e-9
    assert pilot.width(pilot.clusters) == pytest.approx(level.high - level.low, rel=near)


def test_errors_over_settings_have_a_part_that_more_items_leave():
    rng = np.random.default_rng(4)
    skin = np.repeat(np.arange(15), 40)
    items = {
        "item": np.arange(600).astype(str),
        "cluster": np.arange(600).astype(str),
        "stratum": ["one"] * 600,
        "setting": skin.astype(str),
    }
    values = rng.normal(size=600) + rng.normal(size=15)[skin]
    read = Scores("model", "", "", "made up", pl.DataFrame(items), pl.DataFrame({"score": values}))
    level = align([read], "score").level(0)
    found = ps.plan(read, width=0.5)
    [pilot] = found.pilots
    assert pilot.stderr(600) == pytest.approx(level.stderr)
    assert [(one.kind, one.units) for one in pilot.beyond] == [("settings", 15)]
    assert pilot.variance < 0.1 * level.stderr**2
    assert "no number of items is enough" in found.sentence
    assert "with 15 settings, the interval stays" in found.notes[0]
