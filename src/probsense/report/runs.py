"""The report of finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.report.html import write_report

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
    )
