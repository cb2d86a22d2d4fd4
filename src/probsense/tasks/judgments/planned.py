"""Plans studies of judgments: how many statements, and how many people to rate each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.agreement.bootstrap import individual_bootstrap
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.scores import match
from probsense.analysis.agreement.statements import MINIMUM_RATERS
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.judgments.measures.consensus import POOLED
from probsense.tasks.judgments.measures.estimates import TWO_WAY, bare_estimate, estimates_of
from probsense.tasks.judgments.measures.individuals import corrected_estimates
from probsense.tasks.judgments.measures.pooled import model_estimates
from probsense.tasks.judgments.measures.published import PUBLISHED
from probsense.tasks.judgments.people.answers import read_people
from probsense.tasks.judgments.people.simulation import Population, knowledge_for
from probsense.tasks.judgments.people.study import AmongPeople
from probsense.tasks.judgments.questions.statements import read_statements
from probsense.tasks.judgments.questions.yes_no import Reading
from probsense.tasks.judgments.words import WORDS
from probsense.tasks.shared.planning import Floats, Planned, Setting, complete, first_p_values

Score: TypeAlias = Literal["consensus", "consensus_corrected", "consensus_pooled", "share_r"]

USUAL: Final = Population(location=0.5, statement_spread=1.3, person_spread=0.6)
"""What is assumed of people where nothing is known of them."""
EXPECTED: Final = {"consensus": 0.8, "share_r": 0.6}
CALLED: Final[Mapping[Score, str]] = {
    "consensus": "consensus",
    "consensus_corrected": "corrected consensus",
    "consensus_pooled": "pooled consensus",
    "share_r": "share r",
}
RATERS: Final = (10, 20)
DRAWS: Final = 200
"""Draws of each bootstrap: enough for the mean width of intervals over studies."""
MOST_STATEMENTS, MOST_RATERS = 1500, 300
FIXED_STATEMENTS: Final = 10_000
LIKE: Final = 0.346
"""c² = (16√3/15π)²: how a spread of leanings flattens log odds (Zeger, Liang & Albert 1988, Biometrics 44, 1049–60)."""


@dataclass(frozen=True)
class JudgmentsStudy:
    """Studies with a number of statements, or with a number of raters for each statement.

    Attributes
    ----------
    population : Population
    measure : str
    value, shared : float
        The value that is expected of a model, and how far models lean alike beyond what people say.
    statements, raters : int or None
        What is fixed; the size counts the other one.
    each : int
        The most statements that a person rates.
    """

    population: Population
    measure: Score
    value: float
    shared: float
    statements: int | None
    raters: int | None
    each: int

    @property
    def unit(self) -> str:
        """Statements, or else raters of each."""
        return "statement" if self.statements is None else "rater"

    @property
    def least(self) -> int:
        """As many as corrected scores need for an interval, and as a majority does."""
        return 40 if self.statements is None else 5

    @property
    def most(self) -> int:
        """As many as can be simulated in minutes."""
        return MOST_STATEMENTS if self.statements is None else MOST_RATERS

    @property
    def slow(self) -> bool:
        """Bootstraps and pooled models take long."""
        return self.measure != "consensus_corrected"

    def _design(self, size: int) -> tuple[int, int]:
        return (self.statements or size), (self.raters or size)

    def counts(self, size: int) -> Mapping[str, int]:
        """Count the people."""
        statements, raters = self._design(size)
        return {"people": -(-statements * raters // min(self.each, statements))}

    def _knowledge(self, value: float) -> float:
        if self.measure == "share_r":
            return knowledge_for(self.population.share_r, value, "share r")
        return knowledge_for(self.population.consensus, value, "consensus")

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model, and estimate the measure as a run does."""
        knowledge = np.array([self._knowledge(self.value)])
        found = []
        for _ in range(studies):
            study = self.population.draw(*self._design(size), self.each, knowledge, 0.0, rng)
            (estimate,) = WORDS.bounded([_estimated(self.measure, study, rng)])
            found.append((estimate.low, estimate.high))
        return np.array(found)

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate comparisons of models by their agreement with most of the people asked."""
        if self.measure == "share_r":
            raise InputError("no comparison tests share_r", expected="a difference in --measure consensus")
        ends = [self._knowledge(self.value + side * difference / 2) for side in (1, -1)]
        knowledge = np.array([ends[0], *[ends[1]] * (models - 1)])
        statements, _ = self._design(size)
        names = pl.Series("item", np.arange(statements).astype(str))
        items = complete(pl.DataFrame([names, names.alias("cluster")]))
        agree = []
        for _ in range(studies):
            study = self.population.draw(*self._design(size), self.each, knowledge, self.shared, rng)
            agree.append(match(study.answers.q1, study.key))
        return first_p_values(items, np.array(agree))


def plan(
    *,
    measure: Score = "consensus",
    expected: float | None = None,
    shared: float = 0.3,
    statements: int | None = None,
    raters: Sequence[int] = (),
    each: int | None = None,
    location: float | None = None,
    statement_spread: float | None = None,
    person_spread: float | None = None,
    humans: Sequence[Path | str] = (),
    labels: Sequence[str] = (),
    columns: Sequence[str] = (),
    data: Path | str | None = None,
    pilot: Sequence[Answered] = (),
) -> Planned:
    """Plan a study of judgments, of people and models.

    Parameters
    ----------
    measure : {"consensus", "consensus_corrected", "consensus_pooled", "share_r"}
        The score whose interval is planned: agreement with most people, the same corrected for few raters or with
        --pooled, or the correlation of the probability of yes with everybody's share, with --pooled.
    expected : float, optional
        The model's score that is expected, if everybody were asked; by default that of the pilot, or .8 (.6 for
        share_r).
    shared : float
        Correlation of what makes two models lean towards yes, beyond what people say.
    statements : int, optional
        Fix the number of statements, and plan the number of raters of each.
    raters : sequence of int
        Fix how many people rate each statement; by default 10 and 20, or as many as in humans.
    each : int, optional
        The most statements that a person rates; by default as many as in humans, or 50.
    location : float, optional
        Log odds of yes of a typical person about a typical statement; by default that of humans, or .5.
    statement_spread : float, optional
        Standard deviation of statements, in log odds; by default that of humans, or 1.3.
    person_spread : float, optional
        Standard deviation of people's leanings towards yes, in log odds; by default that of humans, or .6.
    humans : sequence of Path or str
        People's ratings in a pilot: one table (statement_id or statement, person, q1, q2), a wide one, or two wide ones
        as published.
    labels : sequence of str
        As for :func:`probsense.tasks.judgments.recorded.analyse`.
    columns : sequence of str
        As for :func:`probsense.tasks.judgments.recorded.analyse`.
    data : Path or str, optional
        Table of statements, where ratings name statements by their text.
    pilot : sequence of Answered
        Runs of the task.
    """
    told: dict[str, float] = {}
    usual_raters: tuple[int, ...] = RATERS
    usual_each, notes = 50, list[str]()
    if humans:
        known = None if data is None else read_statements(Path(data))
        people = _people(read_people([Path(path) for path in humans], known, Reading.of(labels, columns)))
        told, usual_raters, usual_each = _of_pilot(people)
        notes.append(
            f"people's spreads are those of {people.people:,} people who rated {people.statements:,} statements"
        )
    given = {"location": location, "statement_spread": statement_spread, "person_spread": person_spread}
    usual = {name: getattr(USUAL, name) for name in given}
    population = Population(
        **usual | told | {name: value for name, value in given.items() if value is not None}
    )
    value = expected
    if value is None and pilot:
        value = _expected_of(pilot, measure)
    if value is None:
        value = EXPECTED["share_r" if measure == "share_r" else "consensus"]
    each = usual_each if each is None else each
    fixed = tuple(raters) or (usual_raters if statements is None else ())
    for what, numbers, least, most in (
        ("raters", fixed, 5 if measure == "consensus_corrected" else MINIMUM_RATERS, MOST_RATERS),
        ("statements", () if statements is None else (statements,), 40, FIXED_STATEMENTS),
        ("statements each", (each,), 1, math.inf),
    ):
        if wrong := [number for number in numbers if not least <= number <= most]:
            limit = "" if most == math.inf else f" and at most {most:,}"
            raise InputError(f"{wrong[0]:,} {what}", expected=f"at least {least}{limit}")
    if not 0 <= shared < 1:
        raise InputError(f"models that share {shared:g}", expected="0 or more, below 1")
    if statements is not None and fixed:
        raise InputError("both statements and raters", expected="one of them, to plan the other")
    layouts = [(None, count) for count in fixed] if statements is None else [(statements, None)]
    studies = [JudgmentsStudy(population, measure, value, shared, n, count, each) for n, count in layouts]
    studies[0]._knowledge(value)  # refuses a value that no model has
    return Planned(
        WORDS.title,
        WORDS.measure(measure),
        value,
        {
            "measure": measure,
            "expected": value,
            "shared": shared,
            "each": each,
            **{name: getattr(population, name) for name in given},
        },
        [
            Setting({"statements": n} if n else {"raters": count or 0}, study)
            for (n, count), study in zip(layouts, studies, strict=True)
        ],
        notes,
        compared=WORDS.measure("majority_agreement"),
        called=CALLED[measure],
    )


def _estimated(measure: Score, study: AmongPeople, rng: np.random.Generator) -> Estimate:
    """Estimate a score as a run estimates it."""
    n, people = len(study.ids), len(study.persons)
    if measure == "consensus":
        found = individual_bootstrap(study.people, study.answers, rng, draws=DRAWS)[measure]
        (estimate,) = estimates_of(measure, study.models, found, np.array([n]), np.array([people]), TWO_WAY)
        return estimate
    if measure == "consensus_corrected":
        return next(
            one
            for one in corrected_estimates(study, "")
            if (one.measure, one.by["model"]) == (measure, study.models[0])
        )
    pooled = {
        one.measure: one
        for one in model_estimates(study, pooled_shares(study.people), None)
        if one.by["model"] == study.models[0]
    }
    return pooled.get(measure, bare_estimate(measure, {}, math.nan, n, people, POOLED))


def _people(frame: pl.DataFrame) -> People:
    """Arrange the first answers of a pilot."""
    asked = frame.drop_nulls("q1")
    if asked.is_empty():
        raise InputError("no answers to the first question in the pilot", expected="ratings with q1")
    statement, person = (
        asked[name].rank("dense").to_numpy().astype(np.int64) - 1 for name in ("statement_id", "person")
    )
    q1 = asked["q1"].cast(pl.Float64).to_numpy()
    sizes = int(statement.max()) + 1, int(person.max()) + 1
    return People(statement, person, q1, np.full(len(q1), np.nan), *sizes)


def _of_pilot(people: People) -> tuple[dict[str, float], tuple[int, ...], int]:
    """Estimate from people's answers what a plan assumes of them, how many rated a statement, and how many each."""
    from scipy.special import logit

    shares = pooled_shares(people)
    flat = np.sqrt(1 + LIKE * shares.people.value**2)
    told = {
        "location": float(flat * logit(np.clip(shares.mean, 0.01, 0.99)).mean()),
        "statement_spread": shares.statements.value,
        "person_spread": shares.people.value,
    }
    count = len(people.q1)
    raters = min(max(round(count / people.statements), MINIMUM_RATERS), MOST_RATERS)
    return told, (raters,), max(round(count / people.people), 1)


def _expected_of(pilot: Sequence[Answered], measure: Score) -> float | None:
    """Average what runs scored, if they were set beside people."""
    found = [
        estimate.value
        for run in pilot
        for estimate in run.results.estimates
        if estimate.measure == measure
        and not estimate.method.startswith(PUBLISHED)
        and estimate.by.get("model") == run.model
        and not {"feature", "category", "versus"} & estimate.by.keys()
    ]
    return float(np.mean(found)) if found else None
