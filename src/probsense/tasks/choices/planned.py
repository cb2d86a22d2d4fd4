"""Plans studies of choices: how many questions, and how many people to answer each of them.

Studies are drawn from :mod:`~probsense.analysis.human_choices.everybody`, and measured as runs and comparisons are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices import floors, normalised
from probsense.analysis.human_choices.distributions import Distributions, Floats
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.everybody import (
    MOST_SPREAD,
    Distance,
    Everybody,
    draw_everybody,
    evenness_of,
)
from probsense.analysis.human_choices.measures import MEASURES, total_variation
from probsense.analysis.human_choices.normalised import is_noisy
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.choices.data.read import ReaderName, read_questions
from probsense.tasks.choices.items import item_of
from probsense.tasks.choices.measures.estimates import estimated, study_of
from probsense.tasks.choices.measures.scores import BASE
from probsense.tasks.choices.words import WORDS
from probsense.tasks.shared.planning import Planned, Setting, complete, first_p_values, in_parts

Score: TypeAlias = Literal["squared_distance_corrected", "total_variation", "normalised"]

CALLED: Final[Mapping[Score, str]] = {
    "squared_distance_corrected": "corrected squared distance",
    "total_variation": "total variation",
    "normalised": "normalised distance",
}
DISTANCES: Final[Mapping[Score, Distance]] = {
    "squared_distance_corrected": "squared_corrected",
    "total_variation": "total_variation",
    "normalised": "normalised",
}
"""What the analysis calls them."""
USUAL_SPREAD: Final = 1.0
"""Spread of a model's log odds around everybody's where nothing is known, about as of recorded answers to surveys."""
OPTIONS, EVENNESS, PEOPLE = 4, 0.5, (20, 100)
POOL: Final = 16_000
"""Questions that are drawn; studies are drawn from these."""
LEAST_PEOPLE, MOST_PEOPLE = 3, 2000
MOST: Final = 5000
FAR: Final = 0.9
"""A pilot's models are at most at this share of the largest distance, so that a difference has room on both sides."""
NEAR: Final = 0.005
"""A measure that few people move by less than this, as a share, needs no note."""


@dataclass(frozen=True, eq=False)
class ChoicesStudy:
    """Studies with a number of questions, or with a number of people who answer each of them.

    Questions are independent of one another, so many are drawn once, and studies are drawn from these.

    Attributes
    ----------
    asked : Everybody
    measure : str
    value, shared : float
        The distance from everybody that is expected of a model, and how far models err alike.
    questions, people : int or None
        What is fixed; the size counts the other one.
    samples : int or None
        How many texts a model's shares rest on; None for exact probabilities.
    """

    asked: Everybody
    measure: Score
    value: float
    shared: float
    questions: int | None
    people: int | None
    samples: int | None
    slow: bool = False
    _known: dict[object, tuple[Values, ...]] = field(default_factory=dict, repr=False)

    @property
    def unit(self) -> str:
        """Questions, or else raters of each."""
        return "question" if self.questions is None else "rater"

    @property
    def least(self) -> int:
        """As many as an interval needs."""
        return 10 if self.questions is None else LEAST_PEOPLE

    @property
    def most(self) -> int:
        """As many as can be simulated in seconds."""
        return MOST if self.questions is None else MOST_PEOPLE

    def _design(self, size: int) -> tuple[int, int]:
        return (self.questions or size), (self.people or size)

    def counts(self, size: int) -> Mapping[str, int]:
        """Count all answers of people."""
        questions, people = self._design(size)
        return {"people's answers": questions * people}

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model, and estimate the measure as a run does."""
        questions, people = self._design(size)
        if people not in self._known:
            (pair,) = self.drawn(self.measure, [self.value], people, rng)
            self._known[people] = self._measured(pair)
        known = self._known[people]
        found = [
            self._estimated([Values(one.values[rows]) for one in known])
            for rows in rng.integers(POOL, size=(studies, questions))
        ]
        return np.array([(one.low, one.high) for one in found])

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate comparisons of models question by question, as ``probsense compare`` makes them."""
        questions, people = self._design(size)
        key = people, difference, models
        measure, value = compared(self.measure), self.value
        if self.measure == "normalised":
            value *= self.asked.far
        if key not in self._known:
            ends = [value - difference / 2, *[value + difference / 2] * (models - 1)]
            function = MEASURES[DISTANCES[measure]].function
            self._known[key] = tuple(
                Values(function(pair)) for pair in self.drawn(measure, ends, people, rng)
            )
        scores = np.array([one.values for one in self._known[key]])
        names = pl.Series("item", np.arange(questions).astype(str))
        items = complete(pl.DataFrame([names, names.alias("cluster")]))
        return np.concatenate(
            [
                first_p_values(
                    items, np.swapaxes(scores[:, rng.integers(POOL, size=(some, questions))], 0, 1)
                )
                for some in in_parts(studies, questions * models)
            ]
        )

    def drawn(
        self, measure: Score, values: Sequence[float], people: int, rng: np.random.Generator
    ) -> list[Distributions]:
        """Draw the answers of people, and those of models at some distances from everybody, to all questions."""
        asked, shape = self.asked, self.asked.shares.shape
        p = rng.multinomial(people, asked.shares) / people
        common, found = rng.standard_normal(shape), []
        for value in values:
            own = rng.standard_normal(shape)
            noise = np.sqrt(self.shared) * common + np.sqrt(1 - self.shared) * own
            q = asked.model(asked.spread(DISTANCES[measure], value, noise), noise)
            if self.samples is not None:
                q = rng.multinomial(self.samples, q) / self.samples
            counts = (np.full(POOL, float(count)) for count in (people, self.samples or np.inf))
            found.append(Distributions(p, q, asked.exists, *counts))
        return found

    def _measured(self, pair: Distributions) -> tuple[Values, ...]:
        """Measure questions: one value of each, or the three that a normalised distance is made of."""
        if self.measure == "normalised":
            return (
                Values(total_variation(pair)),
                Values(floors.total_variation(pair)),
                Values(normalised.from_uniform(BASE, pair)),
            )
        return (Values(MEASURES[DISTANCES[self.measure]].function(pair)),)

    def _estimated(self, values: Sequence[Values]) -> Estimate:
        """Estimate the measure from values of questions."""
        if self.measure == "normalised":
            first, floor, far = values
            mean = linear.normalised(first, floor, far)
        else:
            (first,) = values
            mean = linear.mean(first)
        (bounded,) = WORDS.bounded(estimated(self.measure, first, mean, {}))
        return bounded

    def shown(self) -> float:
        """Return what a run shows on average, with the bias of few people and texts.

        Raises
        ------
        InputError
            If people are so few that a run has no normalised total variation.
        """
        people = self._design(MOST_PEOPLE)[1]
        (pair,) = self.drawn(self.measure, [self.value], people, np.random.default_rng(1))
        values = self._measured(pair)
        if self.measure == "normalised" and is_noisy(values[1].values, values[2].values):
            raise InputError(
                f"{people} people for each question are too few for a normalised total variation",
                expected="more people, or the measure squared_distance_corrected",
            )
        return self._estimated(values).value


def compared(measure: Score) -> Score:
    """Return the measure by which models are compared: a normalised distance is none of single questions."""
    return "total_variation" if measure == "normalised" else measure


def plan(
    *,
    measure: Score = "squared_distance_corrected",
    expected: float | None = None,
    shared: float = 0.5,
    questions: int | None = None,
    people: Sequence[int] = (),
    samples: Sequence[int] = (),
    options: int | None = None,
    evenness: float | None = None,
    data: Path | str | None = None,
    reader: ReaderName = "table",
    pilot: Sequence[Answered] = (),
) -> Planned:
    """Plan a study of choices, of people and models.

    Parameters
    ----------
    measure : {"squared_distance_corrected", "total_variation", "normalised"}
        The distance of a model from people whose interval is planned.
    expected : float, optional
        The model's distance from everybody that is expected; by default that of the pilot, or what a spread of 1
        around everybody's log odds gives.
    shared : float
        Correlation of two models' errors, as log odds of an option, from 0 to 1.
    questions : int, optional
        Fix the number of questions, and plan the number of people for each.
    people : sequence of int
        Fix how many people answer each question; by default 20 and 100, or as many as in data or the pilot.
    samples : sequence of int
        Texts of a model for each question; without it, its probabilities are exact.
    options : int, optional
        Options of a question; by default as in data or the pilot, or 4.
    evenness : float, optional
        How even everybody's answers are: at 1 all distributions are equally likely, and below that, few options have
        most; by default as in data or the pilot, or .5.
    data : Path or str, optional
        Questions of a pilot with people's answers.
    reader : {"table", "chaosnli", "pap", "lewidi", "alignment", "simbench"}
        The format of data.
    pilot : sequence of Answered
        Runs of the task.
    """
    items = [item for run in pilot for item in run.items]
    if data is not None:
        items = [item_of(one) for one in read_questions(Path(data), reader)]
    sizes: tuple[int, ...] = (OPTIONS,)
    usual_people: tuple[int, ...] = PEOPLE
    even, notes = EVENNESS, list[str]()
    if items:
        known = study_of(items).people
        sizes, even, usual_people = _of_people(known)
        notes.append(f"people's answers are spread as those to {len(items):,} questions of the pilot")
    if options is not None:
        sizes = (options,)
    even = even if evenness is None else evenness
    fixed = tuple(people) or (usual_people if questions is None else ())
    for what, numbers, least, most in (
        ("options", sizes, 2, 26),
        ("people for each question", fixed, LEAST_PEOPLE, MOST_PEOPLE),
        ("questions", () if questions is None else (questions,), 10, 2 * MOST),
        ("samples", tuple(samples), 2, 100_000),
    ):
        if wrong := [number for number in numbers if not least <= number <= most]:
            raise InputError(f"{wrong[0]:,} {what}", expected=f"at least {least} and at most {most:,}")
    if not 0 <= shared < 1:
        raise InputError(f"models that share {shared:g}", expected="0 or more, below 1")
    if not 0.01 <= even <= 100:
        raise InputError(f"an evenness of {even:g}", expected="from .01 to 100")
    if questions is not None and people:
        raise InputError("both questions and people", expected="one of them, to plan the other")
    rng = np.random.default_rng(0)
    asked = draw_everybody(sizes, even, POOL, rng)
    value = _expected(asked, measure, pilot, rng, notes) if expected is None else expected
    asked.spread(
        DISTANCES[measure], value, rng.standard_normal(asked.shares.shape)
    )  # refuses a value that no model has
    settings = [
        Setting(
            {
                **({"questions": questions} if questions else {}),
                **({"people": n} if n else {}),
                **({"samples": m} if m and len(samples) > 1 else {}),
            },
            ChoicesStudy(asked, measure, value, shared, questions, n, m),
        )
        for n, m in product(fixed or (None,), tuple(samples) or (None,))
    ]
    if measure == "normalised":
        notes.append("a difference is that of probsense compare --measure total_variation")
    return Planned(
        WORDS.title,
        WORDS.measure(measure),
        value,
        {"measure": measure, "expected": value, "shared": shared, "options": [*{*sizes}], "evenness": even},
        settings,
        [*notes, *_biased(settings)],
        compared=WORDS.measure(compared(measure)),
        called=CALLED[measure],
    )


def _expected(
    asked: Everybody, measure: Score, pilot: Sequence[Answered], rng: np.random.Generator, notes: list[str]
) -> float:
    """Return the distance of a usual model, or of one whose corrected squared distance is that of runs."""
    noise = rng.standard_normal(asked.shares.shape)
    found = [
        estimate.value
        for run in pilot
        for estimate in run.results.estimates
        if estimate.measure == "squared_distance_corrected"
        and estimate.by.get("model") == run.model
        and WORDS.is_overall(estimate)
    ]
    if not found:
        return asked.distance(DISTANCES[measure], asked.model(USUAL_SPREAD, noise))
    most = asked.distance("squared_corrected", asked.model(MOST_SPREAD, noise))
    told = max(float(np.mean(found)), 0.0)
    value = min(told, FAR * most)
    if value < told:
        notes.append(
            f"the pilot is at a corrected squared distance of {told:.3f}, further than models are imagined:"
            f" {value:.3f} is taken"
        )
    if measure == "squared_distance_corrected":
        return value
    spread = asked.spread("squared_corrected", value, noise)
    return asked.distance(DISTANCES[measure], asked.model(spread, noise))


def _of_people(known: Distributions) -> tuple[tuple[int, ...], float, tuple[int, ...]]:
    """Estimate how many options questions have, how even answers are, and how many people gave them."""
    rows = known.people >= floors.FEWEST
    if not rows.any():
        raise InputError("it is not known how many people answered", expected="a column people, or counts")
    asked = known.where(rows)
    usual = min(max(round(float(np.median(asked.people))), LEAST_PEOPLE), MOST_PEOPLE)
    return tuple(asked.exists.sum(axis=1).tolist()), evenness_of(asked), (usual,)


def _biased(settings: Sequence[Setting]) -> list[str]:
    """Say what a run shows in place of the distance from everybody, where few people or texts move it."""
    found = []
    for given, study in settings:
        assert isinstance(study, ChoicesStudy)
        if study.people is None or study.measure == "squared_distance_corrected":
            continue
        shown = study.shown()
        if abs(shown - study.value) > NEAR * study.value:
            called = CALLED[study.measure]
            label = ", ".join(f"{number:,} {name}" for name, number in given.items())
            found.append(
                f"with {label}, a run shows a {called} near {shown:.3f} in place of {study.value:.3f}"
            )
    return found
