"""How often intervals of a model's agreement with most of everybody hold it, if few people rate each statement.

    python benchmarks/studies/interval_coverage/few_raters.py [--studies N]

Statements and people are drawn from worlds in which everybody's majority is known. The intervals are those of corrected
scores, and of the two-way bootstrap, which is about the majority of the people asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit

from counting import Floats, Rng, among_people, held
from probsense.analysis.agreement.people import People
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.estimates import Settings
from probsense.tasks.judgments.measures.individuals import against_people

RIGHT: Final = 0.8
"""How often the model sides with most of everybody."""
MEASURES: Final = {"consensus_corrected": "corrected", "consensus": "two-way bootstrap"}
SETTINGS: Final = Settings(draws=200)


class Design(NamedTuple):
    """How many people and statements there are, and how many people rate each statement."""

    people: int
    statements: int
    raters: int


class World(NamedTuple):
    """How statements are drawn.

    Attributes
    ----------
    statements : callable
        Draws the locations of a number of statements, shape (groups of people, statements), in log odds.
    groups : tuple of float
        Share of people of each group.
    """

    statements: Callable[[Rng, int], Floats]
    groups: tuple[float, ...] = (1.0,)


def _normal(rng: Rng, n: int) -> Floats:
    return 0.6 + 1.2 * rng.normal(size=(1, n))


def _heavy(rng: Rng, n: int) -> Floats:
    return 0.6 + 0.8 * rng.standard_t(2.5, size=(1, n))


def _two(rng: Rng, n: int) -> Floats:
    first = _normal(rng, n)
    return np.concatenate([first, np.where(rng.random(n) < 0.3, -first, first)])


WORLDS: Final[Mapping[str, World]] = {
    "as described": World(_normal),
    "heavy tails of statements (t, 2.5)": World(_heavy),
    "two groups (70 and 30 % of people), opposed on 30 % of statements": World(_two, (0.7, 0.3)),
}
DESIGNS: Final = (Design(40, 60, 8), Design(150, 200, 19))


def _said(rng: Rng, location: Floats) -> Floats:
    """Draw each person's probability of yes from locations of shape (people, statements)."""
    return np.asarray(expit(location + 0.6 * rng.normal(size=(len(location), 1))))


def majority_of(world: World, location: Floats) -> Floats:
    """Compute what most of everybody say about each statement, by the share of many people."""
    rng = np.random.default_rng(0)
    by_group = [_said(rng, np.repeat(group[None], 2000, axis=0)).mean(axis=0) for group in location]
    return (np.array(world.groups) @ by_group > 0.5).astype(np.float64)


def study(world: World, design: Design, rng: Rng) -> dict[str, Estimate]:
    """Draw a study, and return the model's scores by measure."""
    location = world.statements(rng, design.statements)
    most = majority_of(world, location)
    chance = _said(rng, location[rng.choice(len(location), size=design.people, p=world.groups)])
    order = rng.random((design.people, design.statements)).argsort(axis=0).argsort(axis=0)
    person, statement = np.nonzero(order < design.raters)
    yes = (rng.random(len(person)) < chance[person, statement]).astype(np.float64)
    people = People(statement, person, yes, np.full(len(yes), np.nan), design.statements, design.people)
    said = np.where(rng.random(design.statements) < RIGHT, most, 1 - most)
    found = against_people(among_people(("m",), people, said[None]), SETTINGS)
    return {e.measure: e for e in found if e.by == {"model": "m"} and e.measure in MEASURES}


def main() -> None:
    """Print how often the intervals hold the truth."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    print("| | " + " | ".join(MEASURES.values()) + " |")
    print("|---|" + "---:|" * len(MEASURES))
    for name, world in WORLDS.items():
        for design in DESIGNS:
            rng = np.random.default_rng([*design])
            found = [study(world, design, rng) for _ in range(studies)]
            shares = (
                held([one[m].low for one in found], [one[m].high for one in found], RIGHT) for m in MEASURES
            )
            size = f"{design.people} × {design.statements}, {design.raters}"
            print(f"| {name}: {size} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |")


if __name__ == "__main__":
    main()
