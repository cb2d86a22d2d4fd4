"""Plans studies of tasks: what a task tells of its studies, and right and wrong answers as plans imagine them.

Answers are alike within clusters, shared by models, and uneven over settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.differences import adjusted, differences
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.show.measure import Measure
from probsense.show.words import Words
from probsense.tasks.base import Answered
from probsense.tasks.shared.item_scores import plain_scores
from probsense.tasks.shared.pilots import pilot_answering

Floats = NDArray[np.float64]


class Study(Protocol):
    """Studies of any size, as a task imagines them: it draws their answers, and measures them as it measures a run."""

    @property
    def unit(self) -> str:
        """What its size counts, in the singular: "tuple"."""

    @property
    def least(self) -> int:
        """The smallest size that can be measured."""

    @property
    def most(self) -> int:
        """The largest size that is tried."""

    @property
    def slow(self) -> bool:
        """Whether an interval takes so long that few studies must do."""

    def counts(self, size: int) -> Mapping[str, int]:
        """Return what else a study of a size takes, by what it is called in print."""

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model.

        Returns
        -------
        ndarray, shape (studies, 2)
            The ends of the interval that each of them reports.
        """

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate studies of several models; the first is better than all others by a difference.

        Returns
        -------
        ndarray, shape (studies,)
            The p-value of the first model against the second, adjusted for all pairs of models by Holm's method.
        """


class Setting(NamedTuple):
    """One way to lay a study out: what is fixed, by its name in print, and the study whose size is looked for."""

    given: Mapping[str, int]
    study: Study


@dataclass(frozen=True, slots=True)
class Planned:
    """What a task plans: a measure, what is assumed, and the ways to lay a study out.

    Attributes
    ----------
    title : str
        What the task is called.
    measure : Measure
    value : float
        The value around which the interval lies.
    assumed : Mapping
        Every assumption, by the name of its option.
    settings : sequence of Setting
    notes : sequence of str
        Where the assumptions come from, and what else a reader should know.
    compared : Measure, optional
        The measure of the difference, if it is another one.
    called : str
        What a sentence calls the value; without it, the title of the measure.
    """

    title: str
    measure: Measure
    value: float
    assumed: Mapping[str, Json]
    settings: Sequence[Setting]
    notes: Sequence[str] = field(default=())
    compared: Measure | None = None
    called: str = ""


Hits = NDArray[np.bool_]
COMMON = 0.7
"""The share of the variance between settings, and between forms, that is common to models: about as in published
results of WorldSense."""
CELLS = 1 << 21
"""Number of answers that are in memory at the same time."""


@dataclass(frozen=True, slots=True)
class Answering:
    """How models answer.

    Attributes
    ----------
    accuracy : float
        Mean share of right answers.
    alike : float
        Correlation of a model's answers to two questions of a cluster: below 0 where siblings have different right
        answers, and a model leans towards one of them.
    shared : float
        Correlation of two models' answers to one question.
    uneven : float
        Standard deviation of the accuracy between settings; :data:`COMMON` of its variance is common to models.
    uneven_forms : float
        The same between forms.

    Raises
    ------
    InputError
        For a number that is impossible.
    """

    accuracy: float
    alike: float
    shared: float
    uneven: float = 0.0
    uneven_forms: float = 0.0

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("an accuracy", self.accuracy, 0.0, 1.0),
            ("answers that share", self.shared, 0.0, 1.0),
            ("answers alike", self.alike, -1.0, 1.0),
        ):
            if not low <= value <= high or (name == "an accuracy" and value in (low, high)):
                raise InputError(f"{name} {value:g}", expected=f"between {low:g} and {high:g}")
        for what, uneven in (("settings", self.uneven), ("forms", self.uneven_forms)):
            if not 0 <= uneven < 0.5:
                raise InputError(f"{what} uneven by {uneven:g}", expected="0 or more, below .5")


def least_alike(accuracy: float, siblings: int) -> float:
    """Return the smallest correlation that all pairs of siblings can have: at most so many of them are right together.

    Siblings are right where one number, drawn evenly from the circle of length 1 and turned on by 1/k for each of k
    siblings, is below the accuracy.

    Parameters
    ----------
    accuracy : float
    siblings : int
    """
    if siblings < 2 or not 0 < accuracy < 1:
        return 0.0
    both = [
        max(0.0, accuracy - turned / siblings) + max(0.0, accuracy - 1 + turned / siblings)
        for turned in range(1, siblings)
    ]
    return (sum(both) / len(both) - accuracy**2) / (accuracy * (1 - accuracy))


def draw_hits(
    answering: Answering, accuracies: Floats, items: pl.DataFrame, studies: int, rng: np.random.Generator
) -> Hits:
    """Draw right and wrong answers.

    An answer is right if a number drawn evenly from 0 to 1 is below the model's accuracy in the item's setting and
    form. In some clusters all siblings have one number, or numbers as unlike as possible, in the others each has its
    own: so often that the correlation is ``alike``. In a share √shared of the clusters, a model's numbers are those of
    all models.

    Parameters
    ----------
    answering : Answering
    accuracies : ndarray, shape (models,)
    items : DataFrame
        Columns cluster, setting and form, as in :data:`~probsense.analysis.comparison.scores.ITEMS`.
    studies : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of bool, shape (studies, models, items)
    """
    cluster = _numbered(items["cluster"])
    size = np.bincount(cluster)
    order = np.argsort(cluster, kind="stable")
    sibling = np.empty(len(cluster), dtype=np.int64)
    sibling[order] = np.arange(len(cluster)) - np.repeat(np.cumsum(size) - size, size)
    limits = np.array([1.0] + [least_alike(answering.accuracy, int(k)) for k in range(1, size.max() + 1)])
    limit = limits[size] if answering.alike < 0 else np.ones(len(size))
    often = np.where(limit == 0, 0.0, np.minimum(answering.alike / np.where(limit == 0, 1, limit), 1.0))
    turned = (sibling / size[cluster]) if answering.alike < 0 else np.zeros(len(cluster))

    def numbers(models: int) -> Floats:
        own = rng.random((studies, models, len(cluster)))
        if not answering.alike:
            return own
        one = (rng.random((studies, models, len(size)))[..., cluster] + turned) % 1
        together = rng.random((studies, models, len(size))) < often
        return np.where(together[..., cluster], one, own)

    models = len(accuracies)
    drawn = numbers(models)
    if models > 1 and answering.shared:
        common = rng.random((studies, models, len(size))) < math.sqrt(answering.shared)
        drawn = np.where(common[..., cluster], numbers(1), drawn)
    chance = accuracies[:, None]
    for column, uneven in (("setting", answering.uneven), ("form", answering.uneven_forms)):
        if uneven:
            place = _numbered(items[column])
            count = int(place.max()) + 1
            effect = math.sqrt(COMMON) * rng.normal(size=(studies, 1, count))
            effect = effect + math.sqrt(1 - COMMON) * rng.normal(size=(studies, models, count))
            chance = chance + uneven * effect[..., place]
    return np.asarray(drawn < chance)


@dataclass(frozen=True)
class HitsStudy:
    """Studies whose measure is the share of right answers to questions in clusters.

    Attributes
    ----------
    unit : str
    least, most : int
    answering : Answering
    layout : callable
        From a size to the items of a study, with the columns of :data:`~probsense.analysis.comparison.scores.ITEMS`.
    measure : callable
        From items and hits, shape (studies, items), to the estimate of each study.
    """

    unit: str
    least: int
    most: int
    answering: Answering
    layout: Callable[[int], pl.DataFrame]
    measure: Callable[[pl.DataFrame, Hits], list[Estimate]]
    slow: bool = False

    def counts(self, size: int) -> Mapping[str, int]:
        """Count the questions, if they are more than what the size counts, and their forms, if they have any."""
        items = self.layout(size)
        found = {"questions": items.height, "forms": items["form"].drop_nulls().n_unique()}
        return {name: count for name, count in found.items() if count not in (0, size)}

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model."""
        items = self.layout(size)
        ends = [
            (estimate.low, estimate.high)
            for some in in_parts(studies, items.height)
            for estimate in self.measure(
                items, draw_hits(self.answering, self._accuracies(0.0, 1), items, some, rng)[:, 0]
            )
        ]
        return np.array(ends)

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate comparisons as ``probsense compare`` makes them."""
        items = self.layout(size)
        accuracies = self._accuracies(difference, models)
        found = []
        for some in in_parts(studies, items.height * models):
            hits = draw_hits(self.answering, accuracies, items, some, rng)
            found.append(first_p_values(items, hits.astype(np.float64)))
        return np.concatenate(found)

    def _accuracies(self, difference: float, models: int) -> Floats:
        middle = self.answering.accuracy
        if not 0 < middle - difference / 2 < middle + difference / 2 < 1 and difference:
            raise InputError(
                f"a difference of {difference:g} around an accuracy of {middle:g}",
                expected=f"below {2 * min(middle, 1 - middle):g}",
            )
        return middle + difference * np.where(np.arange(models) == 0, 0.5, -0.5)


def first_p_values(items: pl.DataFrame, values: Floats) -> Floats:
    """Compare models as ``probsense compare`` does, and return the p-values of the first two.

    Parameters
    ----------
    items : DataFrame
        With the columns of :data:`~probsense.analysis.comparison.scores.ITEMS`.
    values : ndarray, shape (studies, models, items)
        Scores.

    Returns
    -------
    ndarray, shape (studies,)
        Adjusted by Holm's method for all pairs of models of a study.
    """
    studies, models, _ = values.shape
    names = tuple(map(str, range(studies * models)))
    # What only depends on the items is computed once for all studies.
    aligned = Aligned("score", names, items, np.concatenate([*values]), (), (0,) * len(names))
    pairs = [[*combinations(range(models * study, models * (study + 1)), 2)] for study in range(studies)]
    return np.array(
        [adjusted(differences(aligned, [0], permuted=False, pairs=own))[0].p_holm for own in pairs]
    )


def complete(items: pl.DataFrame) -> pl.DataFrame:
    """Return items with all columns of :data:`~probsense.analysis.comparison.scores.ITEMS`, unknown where they were
    missing."""
    return Scores("", "", "", "", items, pl.DataFrame({"score": np.zeros(items.height)})).items


def _numbered(names: pl.Series) -> NDArray[np.int64]:
    return names.rank("dense").to_numpy().astype(np.int64) - 1


def in_parts(studies: int, answers: int) -> Iterator[int]:
    """Share studies out so that those that are in memory together have :data:`CELLS` answers or less."""
    step = max(CELLS // max(answers, 1), 1)
    while studies > 0:
        yield min(step, studies)
        studies -= step


MOST: Final = 50_000


def plan_options(
    words: Words,
    unit: str,
    siblings: int,
    usual: Answering,
    given: Mapping[str, float | None],
    pilot: Sequence[Answered],
) -> Planned:
    """Plan a study of questions with options.

    Parameters
    ----------
    words : Words
        Those of the task.
    unit : str
        What the task calls a question, in the singular.
    siblings : int
        How many questions belong together.
    usual : Answering
        The assumptions where nothing is known.
    given : Mapping of str to float or None
        What the user assumes, by the name of the attribute of
        :class:`~probsense.tasks.shared.planning.Answering`; None where the pilot or the usual assumption counts.
    pilot : sequence of Answered
        Runs of the task.

    Raises
    ------
    InputError
        For an assumption that is impossible.
    """
    told, notes = pilot_answering([plain_scores(run) for run in pilot])
    known = {name: value for name, value in given.items() if value is not None}
    assumed = {"accuracy": usual.accuracy, "alike": usual.alike, "shared": usual.shared}
    assumed |= {name: value for name, value in told.items() if name in assumed} | known
    if siblings == 1:
        assumed["alike"] = 0.0
    least = least_alike(assumed["accuracy"], siblings)
    if "alike" in known and assumed["alike"] < least:
        raise InputError(
            f"answers alike by {assumed['alike']:g} at an accuracy of {assumed['accuracy']:g}",
            expected=f"at least {least:.3f}",
        )
    assumed["alike"] = max(assumed["alike"], least)

    @cache
    def layout(size: int) -> pl.DataFrame:
        names = pl.Series("item", np.arange(size).astype(str))
        clusters = pl.Series("cluster", (np.arange(size) // siblings).astype(str))
        return complete(pl.DataFrame([names, clusters]))

    study = HitsStudy(unit, 4 * siblings, MOST, Answering(**assumed), layout, _measured)
    if siblings == 1:
        del assumed["alike"]
    return Planned(
        words.title,
        words.measure("accuracy"),
        assumed["accuracy"],
        {**assumed},
        [Setting({}, study)],
        notes,
    )


def _measured(items: pl.DataFrame, hits: Hits) -> list[Estimate]:
    """Estimate accuracies as :func:`~probsense.tasks.shared.options.option_estimates` does."""
    clusters = items["cluster"].rank("dense").to_numpy()
    return [proportion_estimate("accuracy", {}, own, clusters) for own in hits]
