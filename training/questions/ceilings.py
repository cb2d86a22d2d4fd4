"""Measures what counting reaches in fresh sets.

    PYTHONPATH=training python -m questions.ceilings FILE

It takes some minutes and writes the table that ``measures/shortcuts.py`` of WorldSense reads, for each regime, problem
and size, from tuples of a seed that hardly anybody chooses. It is run anew whenever a responder may reach something
else, or a set draws other tuples.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product

import polars as pl

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import REGIMES, SIZES, Design, cells, generate
from probsense.tasks.worldsense.measures.shortcuts import Score, shortcuts, whole_tuples
from probsense.tasks.worldsense.questions.format import GOLDS
from probsense.tasks.worldsense.questions.trials import Trial
from probsense.tasks.worldsense.text.reading import packaged_reader

DRAWN = 1000
"""Tuples of each problem and size, at least."""


def ceiling(regime: str, problem: str, size: int) -> Score | None:
    """Find the shortcut ceiling of a problem and size; None where there are too few different tuples."""
    fields = ("problemname", "problemsize", "tuple_ID", "goldresp_obfusc", "Key", "text")
    try:
        one = Design(2**62, (size,), (problem,), regime=regime)
        design = replace(one, tuples=-(-DRAWN // len(cells(one))))
        records = [[record[field] for field in fields] for own in generate(design) for record in own]
    except InputError:
        return None
    trials = (Trial(*cell, GOLDS[word], key, text) for *cell, word, key, text in records)
    (found,) = shortcuts(whole_tuples(trials, packaged_reader()))
    return found.ceiling


def main() -> None:
    """Write the file."""
    kinds = product(REGIMES, PROBLEMS, SIZES)
    rows = [(*kind, *score) for kind in kinds if (score := ceiling(*kind))]
    columns = ["regime", "problem", "size", *Score._fields]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(sys.argv[1])


if __name__ == "__main__":
    main()
