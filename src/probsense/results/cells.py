"""What each kind of result looks like in a notebook and at a prompt."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Protocol, runtime_checkable

from probsense.analysis.comparison.compare import Comparison
from probsense.results.cell import Cell
from probsense.results.comparisons import comparison_tables
from probsense.results.coverage import coverage_words
from probsense.results.distributions import distribution_table, quoted, views_table
from probsense.results.listing import runs_table
from probsense.results.part import all_warnings, part_of_comparison, parts_of_runs, task_warnings
from probsense.results.profile import left_out, profile_entries, profile_table
from probsense.results.profiled import Profile
from probsense.results.runs_frame import Runs
from probsense.results.sources import charts_of
from probsense.runs.ask.progress import show_waiting
from probsense.runs.distribution import Distribution, notes
from probsense.runs.run import Run
from probsense.show.estimates import Estimates
from probsense.show.groups import brief_tables
from probsense.show.render import can_draw
from probsense.show.text import counted
from probsense.tasks.registry import words_named


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
    result : Run, Estimates, Comparison, Distribution, Profile or Runs
        Or any object that brings its own look along, as :class:`HasCell`.
    """
    if isinstance(result, HasCell):
        return result.cell()
    raise TypeError(f"nothing says what a {type(result).__name__} looks like")


@cell.register
def _(run: Run) -> Cell:
    # Comparing texts with people's answers takes long.
    with show_waiting(f"measuring {run.record.task}, {run.model}", quiet="measured" in vars(run)):
        (part,) = parts_of_runs([run])
    coverage = coverage_words(part.measured.coverage)
    entries = profile_entries([part])
    tables = [profile_table([part], "Main estimates")] if entries else []
    tables += brief_tables(part.measured.estimates, part.words)
    charts = [chart.name for chart in charts_of(part)] if can_draw() else []
    return Cell(
        f"{part.words.title}: {run.model}, asked by {run.method}",
        f"{coverage}; run {run.record.label}",
        [*all_warnings(part), *([] if entries else left_out([part]))],
        tables,
        notes=part.measured.notes,
        calls=[
            ("run.estimates()", "every estimate"),
            *([("run.table()", "every question")] if run.measured.table is not None else []),
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
        task_warnings(parts),
        [profile.short_table()],
        notes=profile.left_out,
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
