"""How often the intervals of personas beside people hold the truth.

    python benchmarks/studies/interval_coverage/personas.py [--studies N]

Personas, people and statements are drawn from a world in which two groups differ. The truths are means over large
studies.
"""

from __future__ import annotations

import argparse
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit

from counting import Rng, held
from probsense.analysis.agreement.groups import groups_of
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.conditions.facets import PERSONA, Level
from probsense.tasks.conditions.measures import Seen
from probsense.tasks.conditions.personas import PeopleInGroups, persona_results

WHO: Final = ("model", "people")
"""Of whom the size of the difference between groups is estimated."""


class Design(NamedTuple):
    """How many personas, statements and people there are, and how many people rate each statement."""

    personas: int
    statements: int
    people: int
    raters: int


DESIGNS: Final = (Design(10, 40, 60, 60), Design(20, 100, 150, 19), Design(40, 200, 300, 30))
LARGE: Final = Design(400, 600, 400, 400)


def study(design: Design, rng: Rng) -> dict[str, Estimate]:
    """Draw a study and return the sizes of the difference between groups, by :data:`WHO`."""
    personas, statements, people, raters = design
    location, shift = rng.normal(0.3, 1.2, statements), rng.normal(0, 0.5, statements)
    sides = [np.where(np.arange(n)[:, None] % 2, shift, -shift) for n in (personas, people)]
    yes = expit(
        0.9 * location
        + rng.normal(0, 0.6, (personas, 1))
        + 0.5 * sides[0]
        + rng.normal(0, 0.6, (personas, statements))
    )
    chance = expit(
        location + rng.normal(0, 0.7, (people, 1)) + sides[1] + rng.normal(0, 0.7, (people, statements))
    )
    asked = rng.permuted(np.arange(people)[:, None].repeat(statements, axis=1), axis=0) < raters
    person, statement = np.nonzero(asked)
    q1 = (rng.random(len(person)) < chance[person, statement]).astype(float)
    cast = [{PERSONA: Level(f"No {k}", "", 1.0, {"side": str(k % 2)})} for k in range(personas)]
    seen = [
        Seen(str(i), np.column_stack([p, 1 - p]), [()] * personas, cast, None, 0.0, [np.inf] * personas)
        for i, p in enumerate(yes.T)
    ]
    groups = {"side": groups_of([str(k % 2) for k in range(people)])}
    asked_people = PeopleInGroups(statement, person, q1, groups, ())
    found = persona_results(seen, asked_people, {"model": "model"}).estimates
    return {str(one.by["model"]): one for one in found}


def main() -> None:
    """Print how often each interval holds the truth, a row for personas and one for people."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1000)
    studies: int = parser.parse_args().studies
    rng = np.random.default_rng(0)
    large = [study(LARGE, rng) for _ in range(8)]
    found = {design: [study(design, rng) for _ in range(studies)] for design in DESIGNS}
    print("| | " + " | ".join(" × ".join(map(str, d[:3])) + f", {d.raters}" for d in DESIGNS) + " |")
    print("|---|" + "---:|" * len(DESIGNS))
    for who in WHO:
        truth, cells = np.mean([one[who].value for one in large]), []
        for drawn in found.values():
            own = [one[who] for one in drawn if who in one and not np.isnan(one[who].low)]
            share = 100 * held([e.low for e in own], [e.high for e in own], truth) if own else None
            cells.append("none is given" if share is None else f"{share:.1f} %")
        print(f"| {who} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
