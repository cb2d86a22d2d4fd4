"""Estimates of a distance between answers, of people, of baselines and of models, overall and in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import divergence
from probsense.analysis.human_choices import floors, halves
from probsense.analysis.human_choices.distributions import Distributions, distributions, smoothed, uniform
from probsense.analysis.human_choices.measures import MEASURES, entropy, majority_share, people_entropy
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Item, Json
from probsense.tasks.choices.items import Floats, people_of

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
    "squared_distance_corrected",
    "expected_agreement",
    "entropy_difference",
    "entropy_corrected",
)
"""Measures that few people do not bias, or that are corrected for them."""
PEOPLE, HALVES, UNIFORM, MAJORITY = "people", "halves", "uniform", "majority"
BASELINES: Final = (PEOPLE, HALVES, UNIFORM, MAJORITY)
SPLITS: Final = 100
AGREE: Final = 0.8
"""From this share of the most frequent answer on, people count as agreed."""


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
    """

    items: Sequence[Item]
    people: Distributions
    clusters: NDArray[np.str_]
    ordered: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_]) -> Study:
        """Keep some of the questions."""
        items = [item for item, kept in zip(self.items, chosen.tolist(), strict=True) if kept]
        return Study(items, self.people.where(chosen), self.clusters[chosen], self.ordered[chosen])

    def beside(self, shares: Floats, answers: float | Floats = np.inf) -> Distributions:
        """Set shares beside people's, shape (questions, options); NaN in a row without an answer."""
        counts = np.broadcast_to(np.asarray(answers, dtype=np.float64), len(self.items))
        return self.people._replace(q=np.where(self.people.exists, shares, 0.0), answers=counts)


def study_of(items: Sequence[Item]) -> Study:
    """Arrange what people answered to some items."""
    known = people_of(items)
    exists = ~np.isnan(known.shares)
    pair = distributions(known.shares, np.where(exists, uniform(exists), np.nan), people=known.counts)
    return Study(items, pair, np.array([item.cluster for item in items]), known.ordered)


def values_of(study: Study, pair: Distributions) -> dict[str, Floats]:
    """Compute all measures of answers beside people's, shape (questions,) each; NaN where one is unknown."""
    found = {name: MEASURES[known].function(pair) for known, name in NAMES.items()}
    found["wasserstein"] = np.where(study.ordered, found["wasserstein"], np.nan)
    return found


def estimates(
    study: Study, values: Mapping[str, Floats], by: Mapping[str, Json], *, parts: bool = True
) -> list[Estimate]:
    """Estimate the mean of each measure over the questions where it is known, overall and in parts."""
    found = _means(study, values, by)
    for name, value, chosen in parts_of(study) if parts else ():
        own = {measure: one[chosen] for measure, one in values.items()}
        found += _means(study.where(chosen), own, {**by, name: value})
    return found


def _means(study: Study, values: Mapping[str, Floats], by: Mapping[str, Json]) -> list[Estimate]:
    found = []
    for name, own in values.items():
        known = np.isfinite(own)
        if known.any():
            one = mean_estimate(name, by, own[known], study.clusters[known])
            found.append(replace(one, method=CORRECTED if name in WITHOUT_BIAS else PLUG_IN))
    return found


def parts_of(study: Study) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Divide questions: by data set and group, by whether people agree, and by the entropy of their answers."""
    found = []
    for name in ("data", "group"):
        labels = np.array([item.data[name] for item in study.items], dtype=np.str_)
        if len(known := dict.fromkeys(labels.tolist())) > 1:
            found += [(name, label or "(none)", labels == label) for label in known]
    agreed = majority_share(study.people) >= AGREE
    if 0 < agreed.sum() < len(agreed):
        found += [("majority", f"≥ {AGREE:g}", agreed), ("majority", f"< {AGREE:g}", ~agreed)]
    spread = people_entropy(study.people)
    low, high = np.quantile(spread, [1 / 3, 2 / 3])
    if low < high:
        found += [
            ("entropy", "low", spread <= low),
            ("entropy", "middle", (spread > low) & (spread <= high)),
            ("entropy", "high", spread > high),
        ]
    return [one for one in found if one[2].any()]


def people_estimates(study: Study, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how far people agree with one another."""
    shares = study.people.p
    values = {
        "entropy": entropy(shares),
        "entropy_corrected": np.where(study.people.people > 0, people_entropy(study.people), np.nan),
        "majority_share": majority_share(study.people),
    }
    return estimates(study, values, {**by, "model": PEOPLE}, parts=False)


def baseline_estimates(
    study: Study, by: Mapping[str, Json], rng: np.random.Generator, *, halved: bool = False
) -> list[Estimate]:
    """Estimate the distances of other people, of halves of the people, and of answers that need no model.

    Parameters
    ----------
    study : Study
    by : Mapping
        What else the estimates describe.
    rng : numpy.random.Generator
        For the distances between halves that no sum gives.
    halved : bool
        Whether to add the distances between halves.

    Returns
    -------
    list of Estimate
        With "model": "people" (another sample of as many people), "halves" (one half of the people from the other),
        "uniform" (equal shares) and "majority" (all of it on the most frequent answers).
    """
    top = majority_values(study.people)
    pairs = {
        UNIFORM: study.people,
        MAJORITY: study.beside(top, np.nan_to_num(study.people.people, nan=np.inf)),
    }
    known = {
        PEOPLE: {NAMES[name]: values for name, values in floors.floors(study.people, rng).items()},
        **({HALVES: halves_values(study.people, rng)} if halved else {}),
        **{name: values_of(study, pair) for name, pair in pairs.items()},
    }
    found = []
    for name, values in known.items():
        if "wasserstein" in values:
            values = {**values, "wasserstein": np.where(study.ordered, values["wasserstein"], np.nan)}
        found += estimates(study, values, {**by, "model": name})
    return found


def majority_values(pair: Distributions) -> Floats:
    """Give everything to the most frequent answer, the first of equals."""
    return np.asarray(np.arange(pair.p.shape[1]) == pair.p.argmax(axis=1)[:, None], dtype=np.float64)


def halves_values(pair: Distributions, rng: np.random.Generator) -> dict[str, Floats]:
    """Compute the expected distances between one half of the people and the other, shape (questions,) each.

    The corrected squared distance is that of a half from everybody, corrected for the noise of the other half. The
    root of the Jensen–Shannon divergence and KL, whose second half is smoothed, are means over random halves.
    """
    n = np.where(pair.people >= 2, pair.people, np.nan)
    found = {NAMES[name]: function(pair) for name, function in halves.HALVES.items()}
    noise = n / ((n - 1) * np.floor(n / 2)) * (pair.p * (1 - pair.p)).sum(axis=1)
    found["squared_distance_corrected"] = found["squared_distance"] - noise
    found["root_jensen_shannon"] = halves.root_js(pair, rng)
    found["kl"] = _kl_between_halves(pair, rng)
    return found


def _kl_between_halves(pair: Distributions, rng: np.random.Generator) -> Floats:
    found = np.full(len(pair.p), np.nan)
    known = pair.people >= 2
    if known.any():
        own = pair.where(known)
        counts = np.round(own.p * own.people[:, None]).astype(np.int64)
        size = counts.sum(axis=1) - counts.sum(axis=1) // 2
        total = np.zeros(len(counts))
        for first, second in halves.random_halves(counts, rng, SPLITS):
            total += divergence.kl(first, smoothed(second, size.astype(np.float64), own.exists))
        found[known] = total / SPLITS
    return found
