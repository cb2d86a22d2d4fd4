"""The report of finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.report.html import write_report
from probsense.report.measure import Figure

if TYPE_CHECKING:
    from probsense.run.evaluate import Run


def report_runs(path: Path, runs: Sequence[Run]) -> None:
    """Write one page about runs of one task, whole or not at all.

    Parameters
    ----------
    path : Path
        The HTML file.
    runs : sequence of Run
        At least one.
    """
    write_report(
        path,
        f"ProbSense: {', '.join(dict.fromkeys(run.record.task for run in runs))}",
        [estimate for run in runs for estimate in run.summary()],
        coverage=[run.coverage() for run in runs],
        notes=[note for run in runs for note in run.notes()],
        facts=[run.facts() for run in runs],
        figures=_figures(runs),
    )


def _figures(runs: Sequence[Run]) -> list[Figure]:
    """Charts of judgments and frames; of several runs, all models are in the same ones."""
    import polars as pl

    from probsense.report.figures import task_figures
    from probsense.tasks.frames.task import Frames
    from probsense.tasks.judgments.task import Judgments

    charted = [(run, run.task) for run in runs if isinstance(run.task, Judgments | Frames)]
    estimates = [estimate for run, _ in charted for estimate in run.summary()]
    parts = [task.tables(run.table(), run.model, run.summary()) for run, task in charted]
    names = dict.fromkeys(name for part in parts for name in part)
    tables = {
        name: pl.concat([part[name] for part in parts if name in part]).unique(maintain_order=True)
        for name in names
    }
    return task_figures(tables, estimates)
