"""Counts the forms of a set: one of few forms is learned by heart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probsense.tasks.worldsense.questions.format import PROBLEMS, in_order


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of the questions of a problem and size.

    Attributes
    ----------
    problem : str
    size : int
    trials, forms : int
        How many there are.
    most : float
        Share of the trials that have the most frequent form.
    """

    problem: str
    size: int
    trials: int
    forms: int
    most: float


def count_forms(questions: Iterable[tuple[str, int, str]]) -> tuple[Forms, ...]:
    """Count forms by problem and size.

    Parameters
    ----------
    questions : iterable of (str, int, str)
        Problem, size and form of each trial.
    """
    cells: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for problem, size, form in questions:
        cells[problem, size][form] += 1
    order = in_order((problem for problem, _ in cells), PROBLEMS)
    return tuple(
        Forms(*cell, found.total(), len(found), max(found.values()) / found.total())
        for cell, found in sorted(cells.items(), key=lambda row: (order.index(row[0][0]), row[0][1]))
    )


def forms_table(counts: Sequence[Forms]) -> list[str]:
    """Write a line for each problem, with its forms at each size and the share of the most frequent one."""
    sizes = sorted({one.size for one in counts})
    problems = list(dict.fromkeys(one.problem for one in counts))
    told = {(one.problem, one.size): f"{one.forms:,} ({one.most:.3f})" for one in counts}
    rows = [
        ["forms (share of the most frequent)", *(f"size {size}" for size in sizes)],
        *([problem, *(told.get((problem, size), "") for size in sizes)] for problem in problems),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
