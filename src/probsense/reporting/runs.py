"""The report of finished runs: of one instrument or several, of any number of models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.report.figures import run_figures
from probsense.report.html import write_report
from probsense.report.instrument import Part
from probsense.report.profile import title_of
from probsense.report.questions import questions

if TYPE_CHECKING:
    from probsense.run.evaluate import Run


def report_runs(path: Path | str, runs: Sequence[Run]) -> None:
    """Write one page about runs, whole or not at all.

    Parameters
    ----------
    path : Path or str
        The HTML file.
    runs : sequence of Run
        At least one.
    """
    from probsense.run.stored import told_apart

    by_task: dict[str, list[Run]] = {}
    for run in told_apart(runs):
        by_task.setdefault(run.record.task, []).append(run)
    write_report(
        Path(path),
        f"ProbSense: {', '.join(map(title_of, by_task))}",
        [_part(task, own) for task, own in by_task.items()],
        [questions(title_of(task), own) for task, own in by_task.items()],
    )


def _part(task: str, runs: Sequence[Run]) -> Part:
    return Part(
        task,
        [estimate for run in runs for estimate in run.summary()],
        coverage=[run.coverage() for run in runs],
        notes=[note for run in runs for note in run.notes()],
        facts=[run.facts() for run in runs],
        figures=run_figures(runs),
        warnings=_warnings(task, runs),
    )


def _warnings(task: str, runs: Sequence[Run]) -> list[str]:
    """That figures do not compare, and what the examination of a model found wrong."""
    asked = {frozenset((item.id, item.cluster) for item in run.items) for run in runs}
    unlike = f"The runs of {title_of(task)} were not asked the same questions: their figures do not compare."
    failed = [
        f"{run.model}: the examination found that the {finding.name} is not as it should be: {finding.detail}"
        for run in runs
        for finding in run.findings
        if finding.ok is False
    ]
    return [*([unlike] if len(asked) > 1 else []), *dict.fromkeys(failed)]
