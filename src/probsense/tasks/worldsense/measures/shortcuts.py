"""How far responders get that only count, without building the order, and the best of them in each cell.

A responder of this kind sees which things the story names, how often, on which side of a comparison, and which of them
first; it never joins two facts. Where such a responder is right, a right answer is no sign of reasoning: the best of
them is the shortcut ceiling. A ceiling of few tuples says nothing, since the best of several responders is taken. A set
that is read gives those of its cells that hold :data:`ENOUGH` tuples, and keeps them for the next time. Those of fresh
sets come with the package (``training/questions/ceilings.py`` measures them): who counts sees neither seed nor skin.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.inference.means import clustered_variance
from probsense.core.records import Json
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.questions import trials as sets
from probsense.tasks.worldsense.questions.format import FIRM, WEIGHTS, aligned, cells_in_order, named_cells
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, ParseFailure
from probsense.tasks.worldsense.text.reading import Reader

FOLDS: Final = 10
"""A table of counts answers the tuples of one fold by what it learned from the others."""


class Counts(NamedTuple):
    """How often a story names a thing: as the first or second of two, as the middle or an end of three.

    Of lines, the first two count the parallel and the perpendicular ones.
    """

    won: int = 0
    lost: int = 0
    middle: int = 0
    end: int = 0

    @property
    def named(self) -> int:
        """How often the story names it at all."""
        return sum(self)


_PLACES: Final[Mapping[str, tuple[int, ...]]] = {
    "before": (0, 1),
    "parallel": (0, 0),
    "perpendicular": (1, 1),
    "between": (2, 3, 3),
}


def count_facts(n: int, facts: Iterable[Claim]) -> list[Counts]:
    """Count for each of n things how facts name it."""
    found = [[0, 0, 0, 0] for _ in range(n)]
    for relation, args in facts:
        for thing, place in zip(args, _PLACES[relation], strict=True):
            found[thing][place] += 1
    return [Counts(*row) for row in found]


class Asked(NamedTuple):
    """A trial as responders see it: its cell, its tuple, its gold answer, its question."""

    problem: str
    size: int
    tuple_id: str
    gold: str
    question: ParsedQuestion


class View(NamedTuple):
    """What a question shows to one who counts.

    Attributes
    ----------
    relation : str
        What is claimed ("" where the question asks about the whole story).
    counts : tuple of Counts
        Of the things asked about, in their roles: as the claim names them, but the ends of three sorted. Without a
        claim, of all things, sorted.
    first : int
        Which of the things asked about the story names first, as a place in the claim; 1 is either end of three.
        Without a claim, how often the thing is named that is named first.
    counts_of_first : Counts
        Of that thing.
    """

    relation: str
    counts: tuple[Counts, ...]
    first: int
    counts_of_first: Counts


def view(question: ParsedQuestion) -> View:
    """See a question as one who counts; its names stand in the order in which the story names them."""
    facts = question.facts if question.stated else ()
    counts = count_facts(len(question.names), facts)
    if not question.claims:
        return View("", tuple(sorted(counts)), counts[0].named, counts[0])
    relation, args = question.claims[0]
    if not args:
        return View(relation, (), 0, Counts())
    earliest = min(args)
    if len(args) < 3:
        return View(relation, tuple(counts[i] for i in args), args.index(earliest), counts[earliest])
    middle, *ends = args
    seen = (counts[middle], *sorted(counts[i] for i in ends))
    return View(relation, seen, int(earliest != middle), counts[earliest])


def _named(seen: View) -> tuple[int, ...]:
    named = [counts.named for counts in seen.counts]
    apart = (1 if len(named) == 3 else 2) if seen.relation else 0
    return (*named[:apart], *sorted(named[apart:]))


Key = Callable[[View], Hashable]

_NAMED: Final[Key] = lambda seen: (seen.relation, _named(seen))  # noqa: E731
_COUNTS: Final[Key] = lambda seen: (seen.relation, seen.counts)  # noqa: E731

TABLES: Final[Mapping[str, tuple[Key, ...]]] = {
    "named first": (lambda seen: (seen.relation, len(seen.counts), seen.first),),
    "times named": (_NAMED,),
    "wins and losses": (_NAMED, _COUNTS),
    "wins, losses and first": (_NAMED, _COUNTS, lambda seen: seen),
}
"""Decision tables: what each looks up, the coarse before the fine; the finest key met in other folds decides."""


class Score(NamedTuple):
    """The accuracy of a responder, the standard error of its mean over tuples, and the number of tuples."""

    value: float
    stderr: float
    tuples: int


def answer_by_table(
    trials: Sequence[Asked], seen: Sequence[View], keys: Sequence[Key]
) -> NDArray[np.float64]:
    """Answer by a decision table: each tenth of the tuples is answered by the votes of all others.

    Parameters
    ----------
    trials : sequence of Asked
        Whole tuples.
    seen : sequence of View
        The view of each.
    keys : sequence of callable
        What is looked up, the coarse before the fine. A key with no votes, or with as many for one answer as for the
        other, leaves the decision to a coarser one, and the coarsest to chance.
    """
    number = _numbers(trial.tuple_id for trial in trials)
    fold = number % FOLDS
    vote = np.array([WEIGHTS[t.gold] * (1 if t.gold in FIRM else -1) for t in trials])
    answer = np.full(len(trials), 0.5)
    for key in keys:
        code = _numbers(map(key, seen))
        votes = np.zeros((FOLDS, int(code.max(initial=0)) + 1))
        np.add.at(votes, (fold, code), vote)
        others = votes.sum(0)[code] - votes[fold, code]
        answer = np.where(np.abs(others) > 1e-9, others > 0, answer)
    return answer


def _numbers(values: Iterable[Hashable]) -> NDArray[np.intp]:
    """Number values in order of appearance, equal ones alike."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values], dtype=np.intp)


def score(trials: Sequence[Asked], answers: NDArray[np.float64]) -> Score:
    """Score answers by accuracy (WorldSense specification, 2.3: "1" and "2" are one answer).

    Parameters
    ----------
    trials : sequence of Asked
        Whole tuples.
    answers : ndarray, shape (trials,)
        1 for TRUE, POSSIBLE, "1" or "2", 0 for the others, 0.5 for a guess.
    """
    firm = np.array([trial.gold in FIRM for trial in trials])
    weight = np.array([WEIGHTS[trial.gold] for trial in trials])
    right = weight * np.where(firm, answers, 1 - answers)
    value = float(right.sum() / weight.sum())
    variance, count = clustered_variance(right - value * weight, _numbers(trial.tuple_id for trial in trials))
    return Score(value, math.sqrt(variance) / float(weight.sum()) if count > 1 else math.nan, count)


class Shortcut(NamedTuple):
    """What responders that build no order reach in one cell.

    Attributes
    ----------
    problem : str
    size : int
    reached : mapping of str to Score
        By the name of the responder.
    """

    problem: str
    size: int
    reached: Mapping[str, Score]

    @property
    def best(self) -> str:
        """The name of the responder with the highest accuracy."""
        return max(self.reached, key=lambda name: self.reached[name].value)

    @property
    def ceiling(self) -> Score:
        """The shortcut ceiling: what the best responder reaches; a constant answer reaches one half."""
        best = self.reached[self.best]
        return best._replace(value=max(best.value, 0.5))


class ShortcutAudit(NamedTuple):
    """The shortcuts of a set.

    Attributes
    ----------
    trials, parsed : int
        Numbers of all trials, and of those in tuples whose texts the parser all understood.
    cells : list of Shortcut
    """

    trials: int
    parsed: int
    cells: list[Shortcut]

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``probsense audit --shortcuts --json`` prints."""
        cells: Json = [
            {
                "problem": cell.problem,
                "size": cell.size,
                "ceiling": {**cell.ceiling._asdict(), "responder": cell.best},
                "reached": {name: score._asdict() for name, score in cell.reached.items()},
            }
            for cell in self.cells
        ]
        return {"schema": 1, "trials": self.trials, "parsed": self.parsed, "folds": FOLDS, "cells": cells}

    def __str__(self) -> str:
        rows = [["problem", "size", *TABLES, "ceiling"]]
        for cell in self.cells:
            shown = (f"{score.value:.3f}" for score in cell.reached.values())
            best = cell.ceiling
            rows.append([cell.problem, str(cell.size), *shown, f"{best.value:.3f} ± {best.stderr:.3f}"])
        what = (
            f"{self.trials:,} trials, {self.parsed:,} in tuples that are understood. Accuracy of responders that build "
            f"no order (tables by cross-validation in {FOLDS} folds of tuples; ± one standard error):"
        )
        return "\n".join([what, "", *aligned(rows)])


def shortcuts(trials: Iterable[Asked]) -> list[Shortcut]:
    """Find what the responders reach for each problem and size.

    Parameters
    ----------
    trials : iterable of Asked
        Whole tuples.
    """
    cells: dict[tuple[str, int], list[Asked]] = defaultdict(list)
    for trial in trials:
        cells[trial.problem, trial.size].append(trial)
    found = []
    for problem, size in cells_in_order(cells):
        asked = cells[problem, size]
        seen = [view(trial.question) for trial in asked]
        reached = {name: score(asked, answer_by_table(asked, seen, keys)) for name, keys in TABLES.items()}
        found.append(Shortcut(problem, size, reached))
    return found


NO_CEILINGS: Final = pl.DataFrame(
    schema={
        "problem": pl.String,
        "size": pl.Int64,
        "value": pl.Float64,
        "stderr": pl.Float64,
        "tuples": pl.Int64,
    }
)
"""A table of ceilings: the score of each problem and size for which it is known."""

VERSION: Final = 2
"""This number rises whenever responders may reach something else in the same set."""

ENOUGH: Final = 100
"""Tuples of a problem and size that a ceiling needs."""


def audit_shortcuts(folder: Path) -> ShortcutAudit:
    """Find the shortcuts of a test-set folder in the published layout.

    Raises
    ------
    InputError
        As from :func:`read_trials`.
    """
    trials, reader = sets.load_trials(folder), sets.folder_reader(folder)
    asked = whole_tuples(sets.listed(trials, reader), reader)
    return ShortcutAudit(trials.height, len(asked), shortcuts(asked))


def whole_tuples(trials: Iterable[sets.Trial], reader: Reader) -> list[Asked]:
    """Understand trials from their texts, and keep those of tuples that are understood as a whole."""
    asked: list[Asked] = []
    lost: set[str] = set()
    for trial in trials:
        try:
            asked.append(Asked(*trial[:4], reader.read(trial.text, trial.names)))
        except ParseFailure:
            lost.add(trial.tuple_id)
    return [one for one in asked if one.tuple_id not in lost]


def folder_ceilings(folder: Path) -> pl.DataFrame:
    """Find the ceilings of a test-set folder in the published layout, for cells with enough tuples."""

    def compute() -> pl.DataFrame:
        rows = [(cell.problem, cell.size, *cell.ceiling) for cell in audit_shortcuts(folder).cells]
        return pl.DataFrame(rows, schema=NO_CEILINGS.schema, orient="row")

    found = sets.frame_of_folder(folder, f"worldsense-ceilings-{VERSION}", compute)
    return found.filter(pl.col("tuples") >= ENOUGH)


def design_ceilings(design: Design) -> pl.DataFrame:
    """Look up the ceilings of fresh sets of any seed and skins; of chosen depths, none is known."""
    known = pl.read_csv(files(__package__).joinpath("ceilings.csv").read_bytes())
    return NO_CEILINGS if design.depths else known.filter(regime=design.regime).drop("regime")


def ceiling_notes(ceilings: pl.DataFrame, asked: Iterable[tuple[str, int]]) -> list[str]:
    """Note the problems and sizes whose shortcut ceiling is unknown; averages over them have none."""
    wanted, known = {*asked}, {*ceilings.select("problem", "size").rows()}
    if wanted <= known:
        return []
    of = f" of {'; '.join(named_cells(wanted - known))}" if wanted & known else ""
    what = f"no shortcut ceiling is known{of}"
    return [f"{what}: it takes {ENOUGH} tuples of a problem and size whose texts are understood"]
