"""What results look like in a notebook and at a prompt: one form for every kind of result."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from html import escape
from typing import Final, Protocol, runtime_checkable

from probsense.analysis.comparison.compare import Comparison
from probsense.analysis.comparison.items import Items
from probsense.results.charts import charts_of
from probsense.results.comparisons import comparison_tables, items_tables
from probsense.results.formats import narrow
from probsense.results.listing import Runs, runs_table
from probsense.results.part import (
    cautions,
    coverage_words,
    part_of_comparison,
    parts_of_runs,
    voiding_warnings,
)
from probsense.results.profile.models import Profile
from probsense.results.profile.summary import profile_findings, summary_table, task_findings
from probsense.results.tables import distribution_table, quoted, views_table
from probsense.runs.ask.progress import show_waiting
from probsense.runs.distribution import Distribution, notes
from probsense.runs.run import Run
from probsense.show.render import can_draw
from probsense.show.tables import Table, brief_tables, print_tables
from probsense.show.text import counted, plain, shorten
from probsense.show.words import Estimates
from probsense.tasks.registry import words_named

LONGEST: Final = 1400
"""The largest number of characters of a text for a prompt."""
WIDTH: Final = 100
"""Its width."""
ROWS: Final = 50
"""The largest number of rows of a table in a notebook."""
TRIED: Final = 15
"""The largest number of rows in a text for a prompt."""
FIGURE: Final = 20
"""The largest number of characters of a cell that is kept on one line."""
NAME: Final = 40
"""The largest number of characters of a name in a text for a prompt."""
_LINE, _WARNINGS = 160, 2

_EDGE = "1px solid rgba(128,128,128,.5)"
_PLAIN = "background:transparent;color:inherit;"
_CELL = f"{_PLAIN}border:0;padding:.2em .8em .2em 0;vertical-align:top;"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a result looks like.

    Attributes
    ----------
    title : str
        What it is, in one line.
    facts : str
        What else defines it, in one line.
    warnings : sequence of str
        What must be said before any figure.
    tables : sequence of Table
        A prompt shows the first one alone.
    open : int
        The number of tables that stand open; the others are folded.
    notes : sequence of str
        What a reader should know, folded.
    calls : sequence of (str, str)
        What to call next, and what it gives.
    found : sequence of str
        What was found, in sentences; a prompt shows the first ones.
    """

    title: str
    facts: str = ""
    warnings: Sequence[str] = ()
    tables: Sequence[Table] = ()
    open: int = 1
    notes: Sequence[str] = ()
    calls: Sequence[tuple[str, str]] = ()
    found: Sequence[str] = ()

    def html(self) -> str:
        """Write it for a notebook, in the colours of the page around it, without scripts or links to anything."""
        more = [narrow(table) for table in self.tables[self.open :]]
        parts = [
            f'<p style="margin:.2em 0"><strong>{_text(self.title)}</strong>'
            + (f"<br>{_text(self.facts)}" if self.facts else "")
            + "</p>",
            *(
                f'<p style="margin:.4em 0;padding-left:.6em;border-left:.25em solid #d55e00">{_text(one)}</p>'
                for one in self.warnings
            ),
            *map(_line, self.found),
            *map(_table, map(narrow, self.tables[: self.open])),
            _folded(counted(len(more), "more table"), map(_table, more)),
            _folded(
                counted(len(self.notes), "note"),
                map(_line, self.notes),
            ),
        ]
        if self.calls:
            named = " · ".join(
                f'<code style="{_PLAIN}">{_text(call)}</code> {_text(gives)}' for call, gives in self.calls
            )
            parts.append(f'<p style="margin:.4em 0;font-size:.9em;opacity:.8">Next: {named}</p>')
        return f'<div style="{_PLAIN}max-width:72em">{"".join(parts)}</div>'

    def text(self) -> str:
        """Write it for a prompt, in at most :data:`LONGEST` characters: as much of the first table as they hold."""
        head = [shorten(plain(line), _LINE) for line in (self.title, self.facts) if line]
        head += [f"! {shorten(plain(warning), _LINE)}" for warning in self.warnings[:_WARNINGS]]
        head += [shorten(plain(one), _LINE) for one in self.found[:_WARNINGS]]
        calls = "; ".join(f"{call} {gives}" for call, gives in self.calls)
        end = [f"next: {shorten(calls, 2 * _LINE)}"] if calls else []
        left = LONGEST - sum(len(line) + 1 for line in (*head, *end))
        tried = ((table, range(min(len(table.rows), TRIED), 0, -1)) for table in self.tables[:1])
        drawn = (_drawn(table, number) for table, numbers in tried for number in numbers)
        fitting = next((table for table in drawn if len(table) < left), None)
        return "\n".join([*head, *([fitting] if fitting else []), *end])


def _drawn(table: Table, number: int) -> str:
    """Draw the first rows of a table in letters."""
    from rich.console import Console

    names = tuple(shorten(plain(name), NAME) for name in table.columns)
    rows = tuple(tuple(shorten(plain(cell), NAME) for cell in row) for row in table.rows[:number])
    stream = io.StringIO()
    print_tables(
        Console(file=stream, width=WIDTH, color_system=None, force_jupyter=False),
        [replace(table, title=shorten(plain(table.title), _LINE), columns=names, rows=rows)],
    )
    lines = [line.rstrip() for line in stream.getvalue().rstrip().splitlines()]
    return "\n".join([*lines, *_rest(len(table.rows) - number)])


def _rest(left: int) -> list[str]:
    """Say how many rows are not shown, if there are any."""
    return [f"… {counted(left, 'more row')}"] if left > 0 else []


def _text(text: str) -> str:
    return escape(plain(text))


def _line(text: str) -> str:
    return f'<p style="margin:.2em 0">{_text(text)}</p>'


def _table(table: Table) -> str:
    return (
        f'<p style="margin:.5em 0 .1em;font-weight:600">{_text(table.title)}</p>'
        f'<div style="overflow-x:auto"><table style="{_PLAIN}border-collapse:collapse;margin:0;font-size:.9em"'
        f' aria-label="{_text(table.title)}">'
        f"<thead>{_row(table, table.columns, 'th', f'border-bottom:{_EDGE};font-weight:600;')}</thead>"
        f"<tbody>{''.join(_row(table, row, 'td') for row in table.rows[:ROWS])}</tbody></table>"
        + "".join(map(_line, _rest(len(table.rows) - ROWS)))
        + "</div>"
    )


def _row(table: Table, cells: Sequence[str], tag: str, more: str = "") -> str:
    styles = (
        f"text-align:{'left' if left else 'right'}{';white-space:nowrap' * (len(cell) <= FIGURE)}"
        for cell, left in zip(cells, table.left, strict=True)
    )
    return (
        f'<tr style="{_PLAIN}">'
        + "".join(
            f'<{tag} style="{_CELL}{more}{style}">{_text(cell)}</{tag}>'
            for cell, style in zip(cells, styles, strict=True)
        )
        + "</tr>"
    )


def _folded(summary: str, parts: Iterable[str]) -> str:
    inside = "".join(parts)
    return f'<details style="margin:.3em 0"><summary>{summary}</summary>{inside}</details>' if inside else ""


@runtime_checkable
class HasCell(Protocol):
    """A result of a layer above this one, which says itself what it looks like."""

    def cell(self) -> Cell:
        """Say what it looks like."""


@singledispatch
def cell(result: object) -> Cell:
    """Say what a result looks like.

    Parameters
    ----------
    result : Run, Estimates, Comparison, Items, Distribution, Profile or Runs
        Or any object that brings its own look along, as :class:`HasCell`.
    """
    if isinstance(result, HasCell):
        return result.cell()
    raise TypeError(f"nothing says what a {type(result).__name__} looks like")


@cell.register
def _(run: Run) -> Cell:
    # Comparing texts with people's answers takes long.
    with show_waiting(f"measuring {run.record.task}, {run.model}", quiet="results" in vars(run)):
        (part,) = parts_of_runs([run])
    coverage = coverage_words(part.results.coverage)
    first = summary_table(part)
    tables = [] if first is None else [first]
    tables += [table for table in brief_tables(part.results.estimates, part.words) if table != first]
    charts = [chart.name for chart in charts_of(part)] if can_draw() else []
    return Cell(
        f"{part.words.title}: {run.model}, asked by {run.method}",
        f"{coverage}; run {run.record.label}",
        voiding_warnings(part),
        tables,
        found=task_findings(part),
        notes=[*cautions(part), *part.results.notes],
        calls=[
            ("run.estimates()", "every estimate"),
            *([("run.table()", "every question")] if run.results.table is not None else []),
            *([(f'ps.chart(run, "{charts[0]}")', "a chart")] if charts else []),
            ('ps.report("report.html", run)', "a page"),
        ],
    )


@cell.register
def _(found: Estimates) -> Cell:
    return Cell(
        f"{found.words.title}: {counted(len(found), 'estimate')}",
        tables=brief_tables(found, found.words),
        calls=[("run.estimates()", "every estimate as a frame")],
    )


@cell.register
def _(comparison: Comparison) -> Cell:
    words = words_named(comparison.task)
    charts = charts_of(part_of_comparison(comparison)) if can_draw() else []
    return Cell(
        f"{words.title}: {', '.join(str(model['name']) for model in comparison.models)} compared",
        tables=comparison_tables(comparison),
        open=2,
        notes=comparison.notes,
        calls=[
            ("comparison.estimates()", "every level and difference"),
            ("comparison.table()", "every score"),
            *([(f'ps.chart(comparison, "{charts[0].name}")', "a chart")] if charts else []),
        ],
    )


@cell.register
def _(items: Items) -> Cell:
    return Cell(
        f"{words_named(items.task).title}: {items.frame.height:,} items, {counted(len(items.models), 'model')}",
        tables=items_tables(items),
        notes=items.notes,
        calls=[("items.table()", "every item")],
        found=items.findings(),
    )


@cell.register
def _(distribution: Distribution) -> Cell:
    return Cell(
        f"Distribution over {counted(len(distribution.options), 'option')} after {quoted(distribution.request.prefix)}",
        warnings=notes([distribution]),
        tables=[distribution_table(distribution), views_table(distribution)],
        calls=[
            ("distribution.probabilities", "the shares"),
            ("distribution.views()", "every view"),
            ("distribution.to_json()", "all"),
        ],
    )


@cell.register
def _(profile: Profile) -> Cell:
    parts = profile.parts()
    models = dict.fromkeys(run.model for run in profile.runs)
    return Cell(
        f"Commonsense profile of {', '.join(models)}",
        f"{counted(len(parts), 'task')}, {counted(len(profile.runs), 'run')}",
        profile.voiding,
        [profile.short_table()],
        found=profile_findings(parts),
        notes=[*profile.warnings, *profile.left_out],
        calls=[
            ("profile.table()", "as a frame"),
            ('ps.chart(profile, "profile")', "a chart"),
            ('profile.report("profile.html")', "a page"),
            ("profile.runs[0]", "a run"),
        ],
    )


@cell.register
def _(found: Runs) -> Cell:
    listed = found.listed
    first = listed[0]
    stores = ", ".join(dict.fromkeys(f'"{one.store}"' for one in listed))
    return Cell(
        f"{counted(len(listed), 'run')} in {stores}",
        tables=[replace(runs_table(listed), title="Main estimates, with the ends of their intervals")],
        calls=[
            (f'ps.load_run("{first.record.label}", store="{first.store}")', "a run"),
            (f'ps.report("report.html", {stores})', "a page of all"),
        ],
    )
