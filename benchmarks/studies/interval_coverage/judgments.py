"""Studies of judgments whose true values are known, for the table of ``intervals.py``.

People differ in how often they side with most people, and statements in how divided everybody is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from counting import Interval, Rng, among_people
from probsense.analysis.agreement.bootstrap import estimates, two_way_bootstrap
from probsense.analysis.agreement.groups import PeopleGroups
from probsense.analysis.agreement.people import People
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.estimates import PEOPLE, Settings, estimates_of
from probsense.tasks.judgments.measures.groups import group_estimates
from probsense.tasks.judgments.measures.individuals import against_people, corrected_estimates
from probsense.tasks.judgments.measures.published import PUBLISHED
from probsense.tasks.judgments.people.opinions import Divisions
from probsense.tasks.judgments.people.study import Study

WORLDS, DRAWS = 4000, 150
"""Studies behind a truth that has no formula, and draws of the bootstrap."""
RIGHT = 0.825
"""How often the model sides with most of everybody."""


class Design(NamedTuple):
    """How many people and statements there are, and how many statements each person rates."""

    people: int
    statements: int
    rated: int
    differ: float = 0.6


def _study(design: Design, rng: Rng, models: tuple[str, ...] = ("m",)) -> Study:
    people, statements, rated, differ = design
    clear, yes = rng.normal(1, 1, statements), rng.random(statements) < 0.6
    able = rng.normal(0, differ, people)
    asked = rng.random((people, statements)).argsort(axis=1) < rated
    person, statement = np.nonzero(asked)
    chance = 1 / (1 + np.exp(-(clear[statement] + able[person])))
    q1, q2 = (np.where(rng.random(len(person)) < chance, yes[statement], ~yes[statement]) for _ in "12")
    # Where the statement is less clear than a coin, most people are on the other side.
    most = yes == (clear > 0)
    said = (np.where(rng.random((len(models), statements)) < RIGHT, most, ~most) for _ in "12")
    found = People(statement, person, q1.astype(np.float64), q2.astype(np.float64), statements, people)
    return among_people(models, found, *(one.astype(np.float64) for one in said))


def _place(study: Study, measure: str) -> float:
    """Compute the win rate or the percentile."""
    once = np.ones((1, study.people.people)), np.ones((1, study.people.statements))
    return float(estimates(study.people, study.answers, *once)[0][measure][0, 0])


@cache
def _mean(measure: Callable[[Rng], float]) -> float:
    rng = np.random.default_rng(0)
    return float(np.nanmean([measure(rng) for _ in range(WORLDS)]))


def _among_people(measure: str, design: Design) -> Callable[[Rng], Interval]:
    def once(rng: Rng) -> float:
        return _place(_study(design, rng), measure)

    def draw(rng: Rng) -> Interval:
        study = _study(design, rng)
        found = two_way_bootstrap(study.people, study.answers, rng, draws=DRAWS).models[measure]
        n, people = (np.array([count]) for count in (design.statements, design.people))
        (estimate,) = estimates_of(measure, ("m",), found, n, people, PUBLISHED)
        return Interval(estimate.low, estimate.high, _mean(once))

    return draw


def _corrected(measure: str, design: Design) -> Callable[[Rng], Interval]:
    def draw(rng: Rng) -> Interval:
        found = {e.measure: e for e in corrected_estimates(_study(design, rng), "true")}[measure]
        return Interval(found.low, found.high, RIGHT)

    return draw


def _levels(study: Study, few: int) -> tuple[list[Estimate], tuple[float, ...]]:
    """Compare the first few people with the rest: levels, and the ends of the model's difference."""
    first = np.arange(len(study.persons)) < few
    groups = PeopleGroups(("few", "rest"), np.stack([first, ~first]))
    estimates, table = group_estimates(study, Divisions({"who": groups}, []))
    return estimates, table.select("low", "high").row(0)


def _level(who: str, few: int, design: Design) -> Callable[[Rng], Interval]:
    def find(rng: Rng) -> Estimate:
        estimates, _ = _levels(_study(design, rng), few)
        return next(e for e in estimates if e.by == {"model": who, "people": "who: few"})

    def once(rng: Rng) -> float:
        return find(rng).value

    def draw(rng: Rng) -> Interval:
        found = find(rng)
        return Interval(found.low, found.high, _mean(once))

    return draw


def _difference(few: int, design: Design) -> Callable[[Rng], Interval]:
    def draw(rng: Rng) -> Interval:
        _, ends = _levels(_study(design, rng), few)
        return Interval(*ends, 0.0)

    return draw


def _apart(measure: str, design: Design) -> Callable[[Rng], Interval]:
    """Compare two models of which none is better."""

    def draw(rng: Rng) -> Interval:
        settings = Settings(DRAWS, int(rng.integers(2**31)))
        found = against_people(_study(design, rng, ("m", "n")), settings)
        (apart,) = [e for e in found if e.measure == f"{measure}_difference"]
        return Interval(apart.low, apart.high, 0.0)

    return draw


INTERVALS: Mapping[str, Callable[[Rng], Interval]] = {
    "win rate, 35 people × 12 statements": _among_people("win_rate", Design(35, 12, 12)),
    "win rate, 40 people × 12 of 40 statements": _among_people("win_rate", Design(40, 40, 12)),
    "win rate, 30 people × 60 statements": _among_people("win_rate", Design(30, 60, 60)),
    "percentile, 35 people × 12 statements": _among_people("percentile", Design(35, 12, 12)),
    "percentile, 40 people × 12 of 40 statements": _among_people("percentile", Design(40, 40, 12)),
    "percentile, 30 people × 60 statements": _among_people("percentile", Design(30, 60, 60)),
    "corrected consensus, 19 raters of 200 statements": _corrected(
        "consensus_corrected", Design(19, 200, 200, 0)
    ),
    "corrected consensus, 19 unlike raters of 200 statements": _corrected(
        "consensus_corrected", Design(19, 200, 200)
    ),
    "corrected consensus, 6 raters of 60 statements": _corrected("consensus_corrected", Design(6, 60, 60, 0)),
    "agreement with 5 of 40 people, 40 statements": _level("m", 5, Design(40, 40, 40)),
    "agreement with 20 of 40 people, 40 statements": _level("m", 20, Design(40, 40, 40)),
    "agreement with 20 of 40 people, 12 of 40 statements": _level("m", 20, Design(40, 40, 12)),
    "common sense of 20 of 40 people, 40 statements": _level(PEOPLE, 20, Design(40, 40, 40)),
    "difference of 5 people from 35, 40 statements": _difference(5, Design(40, 40, 40)),
    "difference of win rates, 35 people × 12 statements": _apart("win_rate", Design(35, 12, 12)),
    "difference of win rates, 30 people × 60 statements": _apart("win_rate", Design(30, 60, 60)),
    "difference of scores, 35 people × 12 statements": _apart("commonsensicality", Design(35, 12, 12)),
    "difference of 5 people from 35, 12 of 40 statements": _difference(5, Design(40, 40, 12)),
}
"""Each maps a generator to an interval and the truth."""
