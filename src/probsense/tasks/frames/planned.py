"""Plans studies with frames: how many frames they need, given the numbers of answers to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.open_answers.evaluator import QuestionResult, ReplicatedEstimate, evaluate, overall
from probsense.analysis.open_answers.questions import Cluster, Counts, Floats, Question
from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.analysis.open_answers.similarity import exact
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.frames.measures.comparison import LEVEL
from probsense.tasks.frames.questions.frames import read_frames
from probsense.tasks.frames.words import WORDS
from probsense.tasks.shared.planning import Planned, Setting, complete, first_p_values


@dataclass(frozen=True, slots=True)
class Imagined:
    """How answers to frames are distributed.

    Each frame has clusters of answers that mean the same, one string each, so that matching makes no mistakes. People's
    shares are those of a known frame, drawn at random, or else Dirichlet distributed. A share of a model's answers
    comes from another such distribution, and the rest from people's.

    Attributes
    ----------
    clusters : int
    evenness : float
        Concentration of the Dirichlet distribution: at 1, all shares are equally likely, and below that, few answers
        have most.
    shared : float
        How much of the other distribution is common to models.
    known : tuple of tuple of float
        People's shares of clusters in frames of a pilot; without any, they are drawn.

    Raises
    ------
    InputError
        For a number that is impossible.
    """

    clusters: int
    evenness: float
    shared: float
    known: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= self.clusters <= 200:
            raise InputError(f"{self.clusters} clusters", expected="2 to 200")
        if not 0.01 <= self.evenness <= 100:
            raise InputError(f"an evenness of {self.evenness:g}", expected=".01 to 100")
        if not 0 <= self.shared <= 1:
            raise InputError(f"models that share {self.shared:g}", expected="from 0 to 1")

    def evaluated(
        self,
        frames: int,
        people: int,
        samples: int,
        apart: Floats,
        settings: ComparisonSettings,
        rng: np.random.Generator,
    ) -> list[Sequence[QuestionResult]]:
        """Draw frames and answers, and evaluate each model as a run is evaluated.

        Parameters
        ----------
        frames : int
        people, samples : int
            Answers of people and of each model to a frame.
        apart : ndarray, shape (models,)
            Share of each model's answers that come from another distribution than people's.
        settings : ComparisonSettings
        rng : numpy.random.Generator

        Returns
        -------
        list of sequence of QuestionResult
            For each model, its frames.
        """
        questions, predictions = [], [dict[str, Counts]() for _ in apart]
        for number in range(frames):
            name, shares = f"{number}", self._shares(rng)
            strings = [f"{number} {k}" for k in range(len(shares))]
            given = _counts(rng.multinomial(people, shares), strings)
            clusters = tuple(Cluster(string, count, (string,)) for string, count in given.items())
            questions.append(Question(name, name, given, clusters))
            common = self._other(len(shares), rng)
            for own, share in zip(predictions, apart, strict=True):
                other = self.shared * common + (1 - self.shared) * self._other(len(shares), rng)
                mixed = (1 - share) * shares + share * other
                own[name] = _counts(rng.multinomial(samples, mixed / mixed.sum()), strings)
        return [evaluate(questions, own, exact, settings).questions for own in predictions]

    def _shares(self, rng: np.random.Generator) -> Floats:
        if self.known:
            return np.array(self.known[int(rng.integers(len(self.known)))])
        return self._other(self.clusters, rng)

    def _other(self, clusters: int, rng: np.random.Generator) -> Floats:
        drawn = rng.dirichlet(np.full(clusters, self.evenness))
        return np.asarray(drawn / drawn.sum())


def _counts(counts: NDArray[np.int64], strings: Sequence[str]) -> dict[str, int]:
    return {string: int(count) for string, count in zip(strings, counts, strict=True) if count}


Score: TypeAlias = Literal["normalised", "kl", "js", "total_variation", "hellinger"]

EXPECTED: Final = {"normalised": 0.2, "kl": 0.4, "js": 0.1, "total_variation": 0.35, "hellinger": 0.3}
"""The value that is expected where nothing is known, by the measure."""
APART: Final = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Shares of answers that are not like people's, at which the measure is found."""
OF_CURVE, OF_WIDTH, OF_POWER = 60, 200, 600
"""Frames that are drawn and evaluated, to find the measure, the width of its interval, and its differences."""
FAST: Final = ComparisonSettings(draws=60, splits=50)
"""Fewer draws than a run's: enough for the mean width of intervals over studies."""
PEOPLE, SAMPLES = (30, 100), (100,)
LEAST, MOST = 10, 3000


@dataclass(frozen=True, eq=False)
class FramesStudy:
    """Studies of frames.

    Frames are independent of one another, so many are drawn and evaluated once, and studies are drawn from these.

    Attributes
    ----------
    imagined : Imagined
    measure : str
    value : float
        The value that is expected of a model.
    people, samples : int
        Answers of people, and of each model, to a frame.
    """

    imagined: Imagined
    measure: Score
    value: float
    people: int
    samples: int
    unit: str = "frame"
    least: int = LEAST
    most: int = MOST
    slow: bool = False
    _known: dict[object, object] = field(default_factory=dict, repr=False)

    def counts(self, size: int) -> Mapping[str, int]:
        """Count all answers of people."""
        return {"people's answers": size * self.people}

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model, and estimate the measure over frames as a run does."""
        if "width" not in self._known:
            self._known["width"] = self._evaluated(OF_WIDTH, self._apart([self.value], rng), FAST, rng)[0]
        pool = self._known["width"]
        assert isinstance(pool, list)
        return np.array(
            [
                overall(
                    [_apart(pool[i], rng) for i in rng.integers(len(pool), size=size)],
                    replace(FAST, seed=int(rng.integers(2**31))),
                )[self.measure].interval(LEVEL)
                for _ in range(studies)
            ]
        )

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate comparisons of models frame by frame, as ``probsense compare`` makes them."""
        key = difference, models
        if key not in self._known:
            ends = [self.value - difference / 2, *[self.value + difference / 2] * (models - 1)]
            settings = ComparisonSettings(draws=0)
            drawn = self._evaluated(OF_POWER, self._apart(ends, rng), settings, rng)
            scores = np.array([[one.estimates[self.measure].value for one in own] for own in drawn])
            scores = scores[:, np.isfinite(scores).all(axis=0)]
            # The frames that were drawn are not all frames: what they miss of the difference is put in.
            self._known[key] = scores - scores.mean(axis=1, keepdims=True) + np.array(ends)[:, None]
        known = self._known[key]
        assert isinstance(known, np.ndarray)
        chosen = rng.integers(known.shape[1], size=(studies, size))
        names = pl.Series("item", np.arange(size).astype(str))
        items = complete(pl.DataFrame([names, names.alias("cluster")]))
        return first_p_values(items, np.swapaxes(known[:, chosen], 0, 1))

    def _apart(self, values: Sequence[float], rng: np.random.Generator) -> Floats:
        """Find how often a model's answers are not like people's, for values of the measure."""
        if "curve" not in self._known:
            drawn = self._evaluated(OF_CURVE, APART, replace(FAST, draws=0), rng)
            found = [overall(own, replace(FAST, draws=0))[self.measure].value for own in drawn]
            self._known["curve"] = np.maximum.accumulate(found)
        curve = self._known["curve"]
        assert isinstance(curve, np.ndarray)
        for value in values:
            if not curve[0] <= value <= curve[-1]:
                raise InputError(
                    f"a model with {WORDS.measure(self.measure).title} {value:.3g}",
                    expected=f"between {curve[0]:.3f}, where models answer as people do, and {curve[-1]:.3f}",
                )
        return np.asarray(np.interp(values, curve, APART))

    def _evaluated(
        self, frames: int, apart: Floats, settings: ComparisonSettings, rng: np.random.Generator
    ) -> list[list[QuestionResult]]:
        """Evaluate frames, and keep what the measure follows from."""
        drawn = self.imagined.evaluated(frames, self.people, self.samples, apart, settings, rng)
        kept: set[str] = {self.measure}
        if self.measure == "normalised":
            kept |= {settings.divergence, "split_half", "unrelated"}
        return [
            [
                replace(one, estimates={name: found for name, found in one.estimates.items() if name in kept})
                for one in own
            ]
            for own in drawn
        ]


def _apart(result: QuestionResult, rng: np.random.Generator) -> QuestionResult:
    """Shuffle the replicates of a frame, so that two copies of it do not vary together."""
    (draws,) = {len(one.replicates) for name, one in result.estimates.items() if name != "normalised"}
    order = rng.permutation(draws)
    shuffled = {
        name: one if name == "normalised" else ReplicatedEstimate(one.value, one.replicates[order])
        for name, one in result.estimates.items()
    }
    return replace(result, estimates=shuffled)


def plan(
    *,
    measure: Score = "normalised",
    expected: float | None = None,
    shared: float = 0.3,
    people: Sequence[int] = (),
    samples: Sequence[int] = SAMPLES,
    clusters: int = 10,
    evenness: float = 0.5,
    data: Path | str | None = None,
    pilot: Sequence[Answered] = (),
) -> Planned:
    """Plan a study with frames.

    Parameters
    ----------
    measure : {"normalised", "kl", "js", "total_variation", "hellinger"}
        The distance of a model's answers from people's whose interval is planned.
    expected : float, optional
        The model's distance that is expected; by default that of the pilot, or .2 for normalised.
    shared : float
        How far answers of models that people do not give are the same for all models, from 0 to 1.
    people : sequence of int
        Answers of people to a frame; by default 30 and 100, or as many as in data.
    samples : sequence of int
        Answers of a model to a frame.
    clusters : int
        Different answers to a frame.
    evenness : float
        How even people's answers are: at 1 all distributions are equally likely, and below that, few answers have most.
    data : Path or str, optional
        Frames of a pilot with people's answers, whose distributions take the place of clusters and evenness.
    pilot : sequence of Answered
        Runs of the task.
    """
    known: tuple[tuple[float, ...], ...] = ()
    usual_people: tuple[int, ...] = PEOPLE
    notes = list[str]()
    if data is not None:
        known, answers = _of_pilot(Path(data))
        usual_people = (answers,)
        notes.append(f"people's answers are distributed as in {len(known):,} frames of the pilot")
    value = expected
    if value is None and pilot:
        found = [
            estimate.value
            for run in pilot
            for estimate in run.results.estimates
            if estimate.measure == measure and "frame" not in estimate.by
        ]
        value = float(np.mean(found)) if found else None
    if value is None:
        value = EXPECTED[measure]
    counts = tuple(people) or usual_people
    for what, numbers, least in (("answers of people", counts, 4), ("samples", tuple(samples), 2)):
        if not numbers or min(numbers) < least:
            raise InputError(f"{min(numbers, default=0)} {what}", expected=f"at least {least}")
    imagined = Imagined(clusters, evenness, shared, known)
    if measure not in ComparisonSettings().divergence:
        notes.append(f"a difference is that of probsense compare --measure {measure}")
    return Planned(
        WORDS.title,
        WORDS.measure(measure),
        value,
        {
            "measure": measure,
            "expected": value,
            "shared": shared,
            **({} if known else {"clusters": clusters, "evenness": evenness}),
        },
        [
            Setting(
                {"people": n, **({"samples": m} if len(samples) > 1 else {})},
                FramesStudy(imagined, measure, value, n, m),
            )
            for n in counts
            for m in samples
        ],
        notes,
        called="normalised distance"
        if measure == "normalised"
        else f"distance by {WORDS.measure(measure).title}",
    )


def _of_pilot(path: Path) -> tuple[tuple[tuple[float, ...], ...], int]:
    """Read how people's answers to each frame are distributed, and the median number of answers."""
    shares, sizes = [], []
    for frame in read_frames(path):
        question = frame.people
        counts = [one.count for one in question.clusters] or [*question.raw.values()]
        if sum(counts) > 1:
            total = sum(counts)
            shares.append(tuple(count / total for count in counts))
            sizes.append(total)
    if not shares:
        raise InputError("no answers of people", path=path, expected="frames with answers")
    return tuple(shares), int(np.median(sizes))
