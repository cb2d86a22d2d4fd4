"""Plans studies of choices: how many questions, and how many people to answer each of them.

Everybody's shares of the options are drawn from a symmetrical Dirichlet distribution. A model's log odds are those of
everybody with normal noise, whose spread follows from how far the model is from people. Recorded answers of models to
surveys are spread over questions in the same way: the standard deviation of their distances is about half of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices import floors, normalised
from probsense.analysis.human_choices.distributions import Bools, Distributions, Floats, uniform
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.measures import MEASURES, squared, total_variation
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
FUNCTIONS: Final = {"squared_distance_corrected": "squared_corrected", "total_variation": "total_variation"}
"""The functions of the measures by which models are compared."""
USUAL_SPREAD: Final = 1.0
"""Spread of a model's log odds around everybody's where nothing is known, about as of recorded answers to surveys."""
MOST_SPREAD: Final = 30.0
"""With this spread, nearly all of a model's answers are one option."""
OPTIONS, EVENNESS, PEOPLE = 4, 0.5, (20, 100)
POOL: Final = 4000
"""Questions that are drawn; studies are drawn from these."""
LEAST_PEOPLE, MOST_PEOPLE = 3, 2000
MOST: Final = 5000
NEAR: Final = 0.005
"""A measure that few people move by less than this, as a share, needs no note."""


class Questions(NamedTuple):
    """Hold everybody's shares of the options of questions.

    Attributes
    ----------
    shares : ndarray, shape (questions, options)
        0 for options that a question does not have.
    exists : ndarray of bool, shape (questions, options)
    """

    shares: Floats
    exists: Bools

    def model(self, spread: float, noise: Floats) -> Floats:
        """Return the shares of a model whose log odds are everybody's and ``spread`` times the noise."""
        odds = np.where(self.exists, np.log(np.maximum(self.shares, 1e-12)) + spread * noise, -np.inf)
        found = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def distance(self, measure: Score, shares: Floats) -> float:
        """Return the mean distance of a model from everybody, as the measure estimates it from a part of them."""
        p, exact = self.shares, np.full(len(self.shares), np.inf)
        pair = Distributions(p, shares, self.exists, exact, exact)
        if measure == "squared_distance_corrected":
            return float(squared(pair).mean())
        apart = float(total_variation(pair).mean())
        return apart / self.far if measure == "normalised" else apart

    @property
    def far(self) -> float:
        """The mean total variation between everybody and equal shares."""
        return float(np.abs(self.shares - uniform(self.exists)).sum(axis=1).mean() / 2)

    def spread(self, measure: Score, value: float, noise: Floats) -> float:
        """Find the spread with which a model has a distance, by bisection.

        Raises
        ------
        InputError
            If no model has it.
        """
        low, high = 0.0, MOST_SPREAD
        most = self.distance(measure, self.model(high, noise))
        if not 0 <= value <= most:
            raise InputError(
                f"a model with {CALLED[measure]} {value:.3g}",
                expected=f"between 0, where it has everybody's shares, and {most:.3f}",
            )
        for _ in range(40):
            middle = (low + high) / 2
            if self.distance(measure, self.model(middle, noise)) < value:
                low = middle
            else:
                high = middle
        return (low + high) / 2


def draw_questions(options: Sequence[int], evenness: float, rng: np.random.Generator) -> Questions:
    """Draw everybody's shares.

    Parameters
    ----------
    options : sequence of int
        Numbers of options, of which one is drawn for each question.
    evenness : float
        Of the Dirichlet distribution: at 1 all distributions are equally likely, and below that, few options have most.
    rng : numpy.random.Generator
    """
    exists = np.arange(max(options)) < rng.choice(options, size=POOL)[:, None]
    weights = np.where(exists, rng.gamma(evenness, size=exists.shape) + 1e-12, 0.0)
    return Questions(weights / weights.sum(axis=1, keepdims=True), exists)


@dataclass(frozen=True, eq=False)
class ChoicesStudy:
    """Studies with a number of questions, or with a number of people who answer each of them.

    Questions are independent of one another, so many are drawn once, and studies are drawn from these.

    Attributes
    ----------
    asked : Questions
    measure : str
    value, shared : float
        The distance from everybody that is expected of a model, and how far models err alike.
    questions, people : int or None
        What is fixed; the size counts the other one.
    samples : int or None
        How many texts a model's shares rest on; None for exact probabilities.
    """

    asked: Questions
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
            function = MEASURES[FUNCTIONS[measure]].function
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
            q = asked.model(asked.spread(measure, value, noise), noise)
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
        return (Values(MEASURES[FUNCTIONS[self.measure]].function(pair)),)

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
        """Return what a run shows on average, with the bias of few people and texts."""
        (pair,) = self.drawn(
            self.measure, [self.value], self._design(MOST_PEOPLE)[1], np.random.default_rng(1)
        )
        return self._estimated(self._measured(pair)).value


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
    asked = draw_questions(sizes, even, rng)
    value = _expected(asked, measure, pilot, rng) if expected is None else expected
    asked.spread(measure, value, rng.standard_normal(asked.shares.shape))  # refuses a value that no model has
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


def _expected(asked: Questions, measure: Score, pilot: Sequence[Answered], rng: np.random.Generator) -> float:
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
        return asked.distance(measure, asked.model(USUAL_SPREAD, noise))
    value = max(float(np.mean(found)), 0.0)
    if measure == "squared_distance_corrected":
        return value
    return asked.distance(
        measure, asked.model(asked.spread("squared_distance_corrected", value, noise), noise)
    )


def _of_people(known: Distributions) -> tuple[tuple[int, ...], float, tuple[int, ...]]:
    """Estimate how many options questions have, how even answers are, and how many people gave them.

    Two people agree with the probability Σ p², which a symmetrical Dirichlet distribution of k options and evenness a
    makes (a + 1)/(k·a + 1) on average.
    """
    agree, options = floors.expected_agreement(known), known.exists.sum(axis=1)
    rows = ~np.isnan(agree)
    if not rows.any():
        raise InputError("it is not known how many people answered", expected="a column people, or counts")
    low, high = 0.01, 100.0
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        if ((middle + 1) / (options[rows] * middle + 1)).mean() > agree[rows].mean():
            low = middle
        else:
            high = middle
    usual = min(max(round(float(np.median(known.people[rows]))), LEAST_PEOPLE), MOST_PEOPLE)
    sizes: NDArray[np.int64] = options[rows]
    return tuple(sizes.tolist()), float(np.sqrt(low * high)), (usual,)


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
