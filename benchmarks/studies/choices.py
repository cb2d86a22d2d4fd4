"""Measures the bias of distances from few people, of their noise floors, and how often intervals hold the truth.

    python benchmarks/studies/choices.py [--replications N]

People's answers are drawn from known distributions, which a model misses by chance. It prints the tables
behind docs/statistics.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.human_choices import estimates
from probsense.analysis.human_choices.estimates import Answers, Values, estimate, measured
from probsense.analysis.human_choices.floors import FLOORS, from_uniform, root_js
from probsense.analysis.human_choices.measures import MEASURES, Distributions, distributions

Floats = NDArray[np.float64]
Rng = np.random.Generator

REPLICATIONS = 2000
QUESTIONS = 200
OPTIONS = 4
WORLD = 400_000
"""Questions whose mean is the truth."""
MEANS = (
    "squared_corrected",
    "total_variation",
    "js",
    "wasserstein",
    "expected_agreement",
    "entropy_difference",
)
NORMALISED = ("squared_corrected", "total_variation", "js", "wasserstein")
FLOOR = ("total_variation", "js", "root_js", "kl", "wasserstein")


@dataclass(frozen=True)
class Design:
    """Say how many people answer each question, of how many, and how much they lean to places of their own.

    Attributes
    ----------
    people : int
    pool : int
        How many people there are; 0 if other people answer each question.
    lean : float
        The standard deviation of what each person adds to the log odds of an option, in all questions alike.
    """

    people: int
    pool: int = 0
    lean: float = 0.0

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.people} of {self.pool}" if self.pool else f"{self.people}"


ALONE = tuple(Design(people) for people in (4, 8, 20, 100))
SHARED = (
    Design(4, 4, 0.5),
    Design(8, 8, 0.5),
    Design(8, 40, 0.5),
    Design(20, 60, 0.5),
    Design(100, 300, 0.5),
)
"""Where the same people answer many questions, and intervals are over people, too."""


class Study(NamedTuple):
    """Hold a study: the model beside people, others in its place, who answered, and what everybody's shares would be
    if nobody leaned.
    """

    model: Distributions
    others: Distributions
    answers: Answers
    everybody: Floats


def draw(design: Design, questions: int, rng: Rng) -> Study:
    """Draw questions, of which every fourth has one option less, the model's shares, and two samples of people."""
    exists = np.ones((questions, OPTIONS), dtype=bool)
    exists[::4, -1] = False
    odds = rng.normal(0, 1.3, exists.shape)
    own = np.where(exists, np.exp(0.8 * odds + rng.normal(0, 0.6, exists.shape)), np.nan)
    everybody = np.where(exists, np.exp(odds), 0)

    def answered() -> tuple[Floats, Answers]:
        who = _who(design, questions, rng)
        lean = design.lean * rng.normal(size=(int(who.max()) + 1, OPTIONS)) if design.lean else np.zeros(1)
        utility = odds[:, None] + (lean[who] if design.lean else 0) + rng.gumbel(size=(*who.shape, OPTIONS))
        option = np.where(exists[:, None], utility, -np.inf).argmax(axis=2)
        counts = np.stack([(option == k).sum(axis=1) for k in range(OPTIONS)], axis=1)
        answers = Answers(np.repeat(np.arange(questions), design.people), option.ravel(), who.ravel())
        return np.where(exists, counts, np.nan), answers

    (counts, answers), (others, _) = answered(), answered()
    return Study(
        distributions(counts, own / np.nansum(own, axis=1, keepdims=True)),
        distributions(counts, others / design.people, answers=design.people),
        answers,
        everybody / everybody.sum(axis=1, keepdims=True),
    )


def _who(design: Design, questions: int, rng: Rng) -> NDArray[np.int64]:
    """Draw who answers, shape (questions, people)."""
    if not design.pool:
        return np.arange(questions * design.people).reshape(questions, -1)
    return np.argsort(rng.random((questions, design.pool)), axis=1)[:, : design.people]


def biases(design: Design, replications: int, rng: Rng) -> dict[str, tuple[float, float]]:
    """Compute biases with their standard errors.

    Returns
    -------
    dict of str to (float, float)
        Of the squared distance and the corrected one, as a share of the true one, and of floors, as a share of
        what another sample gave.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(replications):
        study = draw(design, QUESTIONS, rng)
        true = float(((study.everybody - study.model.q) ** 2).sum(axis=1).mean())
        for name in ("squared", "squared_corrected"):
            found.setdefault(name, []).append((float(MEASURES[name].function(study.model).mean()), true))
        floor = {name: own(study.model) for name, own in FLOORS.items()}
        floor["root_js"] = root_js(study.model, rng)
        for name in FLOOR:
            other = float(MEASURES[name].function(study.others).mean())
            found.setdefault(f"{name}, floor", []).append((float(floor[name].mean()), other))
    return {name: _relative(np.array(pairs)) for name, pairs in found.items()}


def _relative(pairs: Floats) -> tuple[float, float]:
    apart, true = pairs[:, 0] - pairs[:, 1], pairs[:, 1].mean()
    return float(apart.mean() / true), float(apart.std(ddof=1) / np.sqrt(len(apart)) / true)


class Truth(NamedTuple):
    """Hold expectations by measure: of the model's distance, of other people's, and of the uniform distribution's."""

    apart: Mapping[str, float]
    floor: Mapping[str, float]
    far: Mapping[str, float]

    def normalised(self, name: str) -> float:
        """Return the normalised distance."""
        return (self.apart[name] - self.floor[name]) / (self.far[name] - self.floor[name])


def truth(design: Design, rng: Rng, questions: int = WORLD) -> Truth:
    """Compute expectations as means over very many questions, each answered by other people."""
    step = max(200_000 // design.people, 1)
    found: list[dict[str, list[float]]] = [{}, {}, {}]
    for _ in range(0, questions, step):
        study = draw(Design(design.people, 0, design.lean), step, rng)
        for name in dict.fromkeys((*MEANS, *NORMALISED)):
            function = MEASURES[name].function
            parts = function(study.model), function(study.others), from_uniform(name, study.model)
            for means, part in zip(found, parts, strict=True):
                means.setdefault(name, []).append(float(part.mean()))
    return Truth(*({name: float(np.mean(own)) for name, own in means.items()} for means in found))


def coverage(design: Design, known: Truth, replications: int, rng: Rng) -> dict[str, tuple[float, float]]:
    """Count how often intervals over questions hold the truth, and those over questions and people."""
    held: dict[str, list[tuple[bool, bool]]] = {}
    for _ in range(replications):
        study = draw(design, QUESTIONS, rng)
        for name, ways in _intervals(study):
            right = known.apart[name] if name in known.apart else known.normalised(name.split(",")[0])
            first, second = (low <= right <= high for low, high in ways)
            held.setdefault(name, []).append((first, second))
    return {name: (_share(own, 0), _share(own, 1)) for name, own in held.items()}


def _share(held: list[tuple[bool, bool]], way: int) -> float:
    return float(np.mean([pair[way] for pair in held]))


def _intervals(study: Study) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Yield both intervals of each estimate by name."""
    pair = study.model
    who = study.answers if len(np.unique(study.answers.rater)) < len(study.answers.rater) else None
    for name in dict.fromkeys((*MEANS, *NORMALISED)):
        bounds = MEASURES[name].bounds
        apart = measured(MEASURES[name].function, pair, raters=who is not None)
        means = [estimates.mean(Values(apart.values)), estimates.mean(apart, None, who)]
        if name in MEANS:
            yield name, [_ends(name, way, bounds) for way in means]
        if name in NORMALISED:
            floor = measured(FLOORS[name], pair, raters=who is not None)
            far = measured(lambda own, name=name: from_uniform(name, own), pair, raters=who is not None)
            plain = estimates.normalised(*(Values(own.values) for own in (apart, floor, far)))
            ways = [plain, estimates.normalised(apart, floor, far, None, who)]
            yield f"{name}, normalised", [_ends(name, way, (-np.inf, np.inf)) for way in ways]


def _ends(name: str, way: estimates.Linear, bounds: tuple[float, float]) -> tuple[float, float]:
    found = estimate(name, {}, way, QUESTIONS, bounds=bounds)
    return found.low, found.high


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    found = [biases(design, wish.replications, np.random.default_rng(wish.seed)) for design in ALONE]
    print("| bias, for people | " + " | ".join(design.name for design in ALONE) + " |")
    print("|---|" + "---:|" * len(ALONE))
    for name in found[0]:
        cells = (f"{100 * own[name][0]:+.2f} ± {200 * own[name][1]:.2f} %" for own in found)
        print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)
    for designs, over in ((ALONE, 0), (SHARED, 1)):
        held = []
        for design in designs:
            rng = np.random.default_rng(wish.seed)
            held.append(coverage(design, truth(design, rng), wish.replications, rng))
        print(f"\n| over {'people, too' if over else 'questions'} | ", end="")
        print(" | ".join(design.name for design in designs) + " |\n|---|" + "---:|" * len(designs))
        for name in held[0]:
            cells = (f"{100 * own[name][over]:.1f} %" for own in held)
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
