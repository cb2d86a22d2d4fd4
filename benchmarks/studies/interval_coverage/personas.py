"""How often the intervals of personas beside people hold the truth.

    python benchmarks/studies/interval_coverage/personas.py [--studies N]

Personas, people and statements are drawn from a world in which two groups differ. The truths are means over large
studies. A correlation and its ceiling depend on the noise of few answers, so theirs come from studies with as many
personas and raters, and more statements.
"""

from __future__ import annotations

import argparse
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit

from counting import Rng, among_people, held
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.subgroups import groups_of
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.people.demographics import Divisions
from probsense.tasks.judgments.personas.answers import answering, persona_answers, spread_estimates
from probsense.tasks.judgments.personas.descriptions import Persona
from probsense.tasks.judgments.personas.groups import group_differences, persona_groups

MEASURES: Final = (
    *("spread_ratio", "between_spread_ratio", "entropy_ratio"),
    *("contrast_r", "contrast_ceiling", "contrast_slope", "contrast_size", "contrast_size of people"),
)
OF_A_DESIGN: Final = ("contrast_r", "contrast_ceiling")
"""Measures whose true values depend on how many people answer."""


class Design(NamedTuple):
    """How many personas, statements and people there are, and how many people rate each statement."""

    personas: int
    statements: int
    people: int
    raters: int


DESIGNS: Final = (Design(10, 40, 60, 60), Design(20, 100, 150, 19), Design(40, 200, 300, 30))
LARGE: Final = Design(400, 600, 400, 400)
MANY: Final = 20
"""How many times the statements of a design the studies have from which a true correlation comes."""


def study(design: Design, rng: Rng) -> dict[str, Estimate]:
    """Draw a study and return its estimates by measure."""
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
    raters_of = People(statement, person, q1, np.full(len(q1), np.nan), statements, people)
    judged, ids = among_people(("model",), raters_of, yes.mean(axis=0)[None]), np.arange(statements)
    cast = [Persona(f"No {k}", "", 1.0, {"side": str(k % 2)}) for k in range(personas)]
    table = pl.DataFrame(
        {
            "persona": [one.name for one in cast for _ in ids],
            "statement_id": np.tile(ids, personas),
            "question": ["q1"] * yes.size,
            "p_yes": yes.ravel(),
            "p_no": 1 - yes.ravel(),
            "p_other": np.zeros(yes.size),
            "n": pl.Series([None] * yes.size, dtype=pl.Int64),
        }
    )
    answers = persona_answers(table, cast, judged)
    divisions = Divisions({"side": groups_of([str(k % 2) for k in range(people)])}, [])
    levels = persona_groups(cast, divisions).levels
    texts = pl.DataFrame({"statement_id": ids, "statement": [""] * statements})
    found = spread_estimates("model", *answering(judged, answers))
    found += group_differences(judged, answers, "model", levels, texts)[0]
    # The size of the difference stands in two rows.
    return {
        e.measure + " of people" * (e.measure == "contrast_size" and e.by["model"] == "people"): e
        for e in found
        if e.measure != "pair_agreement"
    }


def main() -> None:
    """Print how often each interval holds the truth, a row for each measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1000)
    studies: int = parser.parse_args().studies
    rng = np.random.default_rng(0)
    large = [study(LARGE, rng) for _ in range(8)]
    long = {d: [study(d._replace(statements=MANY * d.statements), rng) for _ in range(8)] for d in DESIGNS}
    found = {design: [study(design, rng) for _ in range(studies)] for design in DESIGNS}
    print("| | " + " | ".join(" × ".join(map(str, d[:3])) + f", {d.raters}" for d in DESIGNS) + " |")
    print("|---|" + "---:|" * len(DESIGNS))
    for measure in MEASURES:
        cells = []
        for design, drawn in found.items():
            known = [one[measure].value for one in (long[design] if measure in OF_A_DESIGN else large)]
            own = [one[measure] for one in drawn if measure in one]
            share = held([e.low for e in own], [e.high for e in own], np.mean(known))
            cells.append(f"{100 * share:.1f} %")
        print(f"| `{measure.split()[0]}`{measure[len(measure.split()[0]) :]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
