"""Makes what studies of people whose true answers are known share: designs, judged statements, and the long count."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counting import Floats, Rng
from probsense.analysis.agreement.people import People
from probsense.tasks.judgments.people.study import AmongPeople

RIGHT, MANY = 0.8, 20_000
"""How often a model sides with most of everybody, and statements behind a true correlation."""


class Design(NamedTuple):
    """How many people and statements there are, and how many people rate each statement."""

    people: int
    statements: int
    raters: int

    def ratings(self, rng: Rng) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Draw who rates what: the person and the statement of each rating."""
        order = rng.random((self.people, self.statements)).argsort(axis=0).argsort(axis=0)
        person, statement = np.nonzero(order < self.raters)
        return person, statement


DESIGNS = (Design(40, 60, 8), Design(150, 200, 19))


def among_people(
    models: Sequence[str], people: People, first: Floats, second: Floats | None = None
) -> AmongPeople:
    """Set models beside people; ``first`` and ``second`` are probabilities of yes, shape (models, statements)."""
    unknown = np.full((*first.shape, 3), np.nan)
    mass = {"q1": _mass(first), "q2": unknown if second is None else _mass(second), "q3": unknown}
    names = tuple(map(str, range(people.people)))
    return AmongPeople(tuple(models), np.arange(people.statements), mass, "split", False, people, names)


def _mass(yes: Floats) -> Floats:
    return np.stack([yes, 1 - yes, np.zeros_like(yes)], axis=2)


def count(
    outcome: Callable[[str, Design, int], dict],
    worlds: Iterable[str],
    designs: Iterable[Design],
    table: Callable[[list[dict]], str],
    about: str | None,
    out: Path,
) -> None:
    """Draw the studies that the command asks for and that are not there yet, and print the table of all."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--world", choices=[*worlds], action="append", help="only this one; may come again")
    parser.add_argument("--out", type=Path, default=out)
    wish = parser.parse_args()
    lines = [json.loads(line) for line in wish.out.read_text().splitlines()] if wish.out.exists() else []
    done = {(line["world"], tuple(line["design"]), line["study"]) for line in lines}
    with wish.out.open("a") as stream:
        for number in range(wish.studies):
            for name in wish.world or worlds:
                for design in designs:
                    if (name, design, number) in done:
                        continue
                    found = outcome(name, design, number)
                    line = {"world": name, "design": [*design], "study": number, "found": found}
                    lines.append(line)
                    print(json.dumps(line), file=stream, flush=True)
    print(table(lines))
