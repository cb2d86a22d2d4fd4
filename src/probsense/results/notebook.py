"""What results look like in a notebook and at a prompt: what was found, and tables, as pages show them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Final

from probsense.analysis.comparison.compare import Comparison
from probsense.analysis.comparison.items import Items
from probsense.results.comparisons import comparison_tables, items_tables
from probsense.results.formats import narrow
from probsense.results.listing import Runs, runs_table
from probsense.results.page.report import render
from probsense.results.part import cautions, coverage_words, parts_of_runs, voiding_warnings
from probsense.results.profile import Profile
from probsense.results.summary import profile_findings, summary_table, task_findings
from probsense.results.tables import distribution_table, quoted, views_table
from probsense.runs.ask.progress import show_waiting
from probsense.runs.run import Run
from probsense.runs.score import Distribution, notes
from probsense.show.tables import brief_tables, print_tables
from probsense.show.text import counted, plain, shorten
from probsense.show.words import Estimates, Table
from probsense.tasks.registry import words_named

WIDTH: Final = 100
"""Characters of a line at a prompt."""
LINE: Final = 160
"""Characters of a sentence there."""
NAME: Final = 40
"""Characters of a cell there."""
ROWS: Final = 50
"""Rows of a table in a notebook."""
FEW: Final = 8
"""Rows of a table, and sentences, at a prompt."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a result looks like.

    Attributes
    ----------
    title : str
        What it is, in one line.
    warnings : sequence of str
        What must be said before any figure.
    found : sequence of str
        What was found, in sentences.
    tables : sequence of Table
        A prompt shows the first one alone.
    notes : sequence of str
        What a reader should know, folded.
    """

    title: str
    warnings: Sequence[str] = ()
    found: Sequence[str] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()

    def html(self) -> str:
        """Write it for a notebook, out of the pieces of a page."""
        return render(
            "cell.html.jinja",
            title=plain(self.title),
            warnings=[*map(plain, self.warnings)],
            found=[*map(plain, self.found)],
            tables=[_first(narrow(table), ROWS) for table in self.tables],
            notes=[*map(plain, self.notes)],
        )

    def text(self) -> str:
        """Write it for a prompt: a few sentences, and the first rows of the first table."""
        said = [self.title, *(f"! {warning}" for warning in self.warnings), *self.found]
        lines = [shorten(plain(line), LINE) for line in said[:FEW]]
        return "\n".join(
            [*lines, *(_drawn(_first(table, FEW, NAME)) for table in self.tables[:1] if table.rows)]
        )


def _first(table: Table, rows: int, letters: int | None = None) -> Table:
    """Keep the first rows of a table, whose title says how many there are, and so many letters of each cell."""

    def cut(text: str) -> str:
        return plain(text) if letters is None else shorten(plain(text), letters)

    left = len(table.rows) - rows
    return replace(
        table,
        title=shorten(plain(table.title), LINE) + (f" (and {counted(left, 'more row')})" if left > 0 else ""),
        columns=tuple(map(cut, table.columns)),
        rows=tuple(tuple(map(cut, row)) for row in table.rows[:rows]),
        footing=table.footing if left <= 0 else 0,
    )


def _drawn(table: Table) -> str:
    """Draw a table in letters."""
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, color_system=None, force_jupyter=False)
    print_tables(console, [table])
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())


@singledispatch
def cell(result: object) -> Cell:
    """Say what a result looks like.

    Parameters
    ----------
    result : Run, Estimates, Comparison, Items, Distribution, Profile or Runs
    """
    raise TypeError(f"nothing says what a {type(result).__name__} looks like")


@cell.register
def _(run: Run) -> Cell:
    # Comparing texts with people's answers takes long.
    with show_waiting(f"measuring {run.record.task}, {run.model}", quiet="results" in vars(run)):
        (part,) = parts_of_runs([run])
    first = summary_table(part)
    coverage = coverage_words(part.results.coverage)
    return Cell(
        f"{part.words.title}: {run.model}, asked by {run.method}; {coverage}; run {run.record.label}",
        voiding_warnings(part),
        task_findings(part),
        brief_tables(part.results.estimates, part.words) if first is None else [first],
        [*cautions(part), *part.results.notes],
    )


@cell.register
def _(found: Estimates) -> Cell:
    return Cell(
        f"{found.words.title}: {counted(len(found), 'estimate')}", tables=brief_tables(found, found.words)
    )


@cell.register
def _(comparison: Comparison) -> Cell:
    models = ", ".join(str(model["name"]) for model in comparison.models)
    return Cell(
        f"{words_named(comparison.task).title}: {models} compared",
        tables=comparison_tables(comparison),
        notes=comparison.notes,
    )


@cell.register
def _(items: Items) -> Cell:
    return Cell(
        f"{words_named(items.task).title}: {items.frame.height:,} items, {counted(len(items.models), 'model')}",
        found=items.findings(),
        tables=items_tables(items),
        notes=items.notes,
    )


@cell.register
def _(distribution: Distribution) -> Cell:
    return Cell(
        f"Distribution over {counted(len(distribution.options), 'option')} after {quoted(distribution.request.prefix)}",
        notes([distribution]),
        tables=[distribution_table(distribution), views_table(distribution)],
    )


@cell.register
def _(profile: Profile) -> Cell:
    parts = profile.parts()
    models = ", ".join(dict.fromkeys(run.model for run in profile.runs))
    tasks, runs = counted(len(parts), "task"), counted(len(profile.runs), "run")
    return Cell(
        f"Commonsense profile of {models}; {tasks}, {runs}",
        profile.voiding,
        profile_findings(parts),
        [profile.short_table()],
        [*profile.warnings, *profile.left_out],
    )


@cell.register
def _(found: Runs) -> Cell:
    stores = ", ".join(dict.fromkeys(f'"{one["store"]}"' for one in found.listed))
    table = replace(runs_table(found.listed), title="Main estimates, with the ends of their intervals")
    return Cell(f"{counted(len(found.listed), 'run')} in {stores}", tables=[table])
