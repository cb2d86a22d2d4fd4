"""Estimates of a distance between answers, of people, of baselines and of models, overall and in parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.arrays import Floats
from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices import measures
from probsense.analysis.human_choices.estimates import Answers, Values
from probsense.analysis.human_choices.measures import (
    Distributions,
    Member,
    distributions,
    share_within,
    squared_within,
    uniform,
)
from probsense.analysis.inference.estimate import TWO_WAY, Estimate
from probsense.analysis.inference.raters import Linear
from probsense.core.records import Item, Json

Functions = Mapping[str, Callable[[Distributions], Floats]]
"""What is measured of each question, by the name of the measure."""

PLUG_IN: Final = "plug-in"
CORRECTED: Final = "corrected"
NAMES: Final[Mapping[str, str]] = {
    "squared_corrected": "squared_distance_corrected",
    "total_variation": "total_variation",
    "js": "jensen_shannon",
    "root_js": "root_jensen_shannon",
    "kl": "kl",
    "squared": "squared_distance",
    "wasserstein": "wasserstein",
    "expected_agreement": "expected_agreement",
    "top_agreement": "majority_agreement",
    "entropy_difference": "entropy_difference",
}
"""The names under which the measures of the analysis are estimated."""
WITHOUT_BIAS: Final = (
    *("squared_distance_corrected", "expected_agreement", "entropy_difference", "entropy_corrected"),
    *("normalised", "normalised_squared", "normalised_others"),
)
"""Measures that few people do not bias, or that are corrected for them."""
AGREE: Final = 0.8
"""From this share of the most frequent answer on, people count as agreed."""


class SomeQuestions(NamedTuple):
    """Name a part of the questions by a key and its value ("" for all), and tell which they are and how people tell."""

    name: str
    value: str
    chosen: NDArray[np.bool_]
    member: Member | None = None


class Study(NamedTuple):
    """Questions with what people answered.

    Attributes
    ----------
    items : sequence of Item
    people : Distributions
        Beside equal shares of all options.
    clusters : ndarray of str, shape (questions,)
    ordered : ndarray of bool, shape (questions,)
        Whether options form a scale.
    answers : Answers or None
        Who chose what; None if it is not known.
    """

    items: Sequence[Item]
    people: Distributions
    clusters: NDArray[np.str_]
    ordered: NDArray[np.bool_]
    answers: Answers | None

    @classmethod
    def of(cls, items: Sequence[Item]) -> Self:
        """Arrange what people answered to some items; the options of a scale stand in its order."""
        given = padded(items, [item.data["counts"] for item in items])
        known = [np.nan if item.data["people"] is None else item.data["people"] for item in items]
        people = np.array(known, dtype=np.float64)
        # Shares are taken as they were published, rounded as they are.
        shares = given / np.where(np.isnan(people), 1.0, np.nansum(given, axis=1))[:, None]
        exists = ~np.isnan(given)
        pair = distributions(shares, np.where(exists, uniform(exists), np.nan), people=people)
        clusters = np.array([item.cluster for item in items])
        ordered = np.array([bool(item.data["order"]) for item in items])
        return cls(items, pair, clusters, ordered, answers_of(items))

    def beside(
        self, shares: Floats, answers: float | Floats = np.inf, variance: Floats | None = None
    ) -> Distributions:
        """Set shares beside people's, shape (questions, options); NaN in a row without an answer."""
        counts = np.broadcast_to(np.asarray(answers, dtype=np.float64), len(self.items))
        own = np.where(self.people.exists, shares, 0.0)
        return self.people._replace(q=own, answers=counts, variance=variance)

    @property
    def distances(self) -> Functions:
        """The measures that set answers beside people's; scales alone have a Wasserstein distance."""
        known = {name: measures.MEASURES[key] for key, name in NAMES.items()}
        return {name: one.function for name, one in known.items() if self.ordered.any() or not one.ordered}

    def estimates(
        self, pair: Distributions, functions: Functions, by: Mapping[str, Json], *, parts: bool = True
    ) -> list[Estimate]:
        """Estimate the mean of each measure over the questions where it is known, overall and in parts.

        The intervals speak for other people, too, where it is known who answered what. Where people's answers choose
        the part, the corrected squared distance is that of :func:`squared_within`.
        """
        raters = self.answers is not None
        found = []
        everything = SomeQuestions("", "", np.ones(len(self.items), dtype=np.bool_))
        divisions = [everything, *(self.parts() if parts else [])]
        for name, function in functions.items():
            values = linear.measured(function, pair, raters=raters)
            if name == "wasserstein":
                values = values._replace(values=np.where(self.ordered, values.values, np.nan))
            for part in divisions:
                own = values._replace(values=np.where(part.chosen, values.values, np.nan))
                about = {**by, part.name: part.value} if part.name else by
                mean = linear.mean(own, self.clusters, self.answers)
                if part.member is not None and function is measures.squared_corrected:
                    mean = self._within(pair, part.member)
                found += estimated(name, own, mean, about)
        return found

    def _within(self, pair: Distributions, member: Member) -> Linear:
        """Compute the mean corrected squared distance over questions that people's answers put into a part."""
        apart, share = (
            linear.measured(partial(function, member=member), pair, raters=self.answers is not None)
            for function in (squared_within, share_within)
        )
        return linear.ratio(apart, share, self.clusters, self.answers)

    def parts(self) -> list[SomeQuestions]:
        """Divide questions: by data set and group, by whether people agree, and by the entropy of their answers."""
        found = []
        for name in ("data", "group"):
            labels = np.array([item.data[name] for item in self.items], dtype=np.str_)
            if len(known := dict.fromkeys(labels.tolist())) > 1:
                found += [SomeQuestions(name, label or "(none)", labels == label) for label in known]
        low, high = np.quantile(measures.people_entropy(self.people), [1 / 3, 2 / 3]).tolist()
        members: dict[tuple[str, str], Member] = {
            ("majority", f"≥ {AGREE:g}"): lambda pair: np.asarray(measures.majority_share(pair) >= AGREE),
            ("majority", f"< {AGREE:g}"): lambda pair: np.asarray(measures.majority_share(pair) < AGREE),
            ("entropy", "low"): partial(_entropy_within, -np.inf, low),
            ("entropy", "middle"): partial(_entropy_within, low, high),
            ("entropy", "high"): partial(_entropy_within, high, np.inf),
        }
        for (name, value), member in members.items():
            found.append(SomeQuestions(name, value, member(self.people), member))
        return [one for one in found if one.chosen.any() and not (one.member and one.chosen.all())]


def answers_of(items: Sequence[Item]) -> Answers | None:
    """Arrange who chose what, with the options of a scale in its order; None if it is not known of all questions."""
    if not all(item.data["raters"] for item in items):
        return None
    places = [np.argsort(np.argsort(item.data["order"])).tolist() for item in items]
    rows = [
        (row, places[row][option] if places[row] else option, who)
        for row, item in enumerate(items)
        for who, option in item.data["raters"]
    ]
    question, option, who = zip(*rows, strict=True)
    _, rater = np.unique(np.array(who, dtype=np.str_), return_inverse=True)
    return Answers(np.array(question), np.array(option), rater)


def padded(items: Sequence[Item], values: Sequence[Sequence[float] | Floats]) -> Floats:
    """Arrange a value for each option, shape (questions, options): NaN for none, and scales in their order."""
    found = np.full((len(items), max(len(own) for own in values)), np.nan)
    for row, (item, own) in enumerate(zip(items, values, strict=True)):
        order = item.data["order"]
        found[row, : len(own)] = np.asarray(own)[np.argsort(order)] if order else own
    return found


def estimated(name: str, values: Values, found: Linear, by: Mapping[str, Json]) -> list[Estimate]:
    """Make the estimate of a value that follows from those of questions; none if it is unknown."""
    known = int((~np.isnan(values.values)).sum())
    if not known or not np.isfinite(found.value):
        return []
    one = linear.estimate(name, by, found, known)
    method = CORRECTED if name in WITHOUT_BIAS else PLUG_IN
    return [replace(one, method=f"{method}, two-way" if one.method == TWO_WAY else method)]


def _entropy_within(low: float, high: float, pair: Distributions) -> NDArray[np.bool_]:
    found = measures.people_entropy(pair)
    return np.asarray((found > low) & (found <= high))
