"""The charts of a task: those for which its tables hold something to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from probsense.report.frame_charts import frame_figures
from probsense.report.judgment_charts import judgment_figures
from probsense.report.measure import Figure
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl


def task_figures(tables: Mapping[str, pl.DataFrame], estimates: Sequence[Estimate]) -> list[Figure]:
    """Every chart for which there is a table.

    Parameters
    ----------
    tables : Mapping of str to DataFrame
        By name, as of an :class:`~probsense.tasks.analysis.Analysis`.
    estimates : sequence of Estimate
        Of the same answers.
    """
    return [*judgment_figures(tables, estimates), *frame_figures(tables)]
