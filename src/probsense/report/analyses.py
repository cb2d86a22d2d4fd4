"""The report of analysed records, and their charts as files."""

from __future__ import annotations

from pathlib import Path

from probsense.files import writing
from probsense.report.figures import task_figures
from probsense.report.html import write_report
from probsense.tasks.analysis import Analysis


def report_analysis(path: Path, title: str, analysis: Analysis) -> None:
    """Write one page about an analysis, whole or not at all.

    Parameters
    ----------
    path : Path
        The HTML file.
    title : str
    analysis : Analysis
    """
    write_report(
        path,
        title,
        analysis.estimates,
        coverage=analysis.coverage,
        notes=analysis.notes,
        facts=[analysis.run],
        figures=task_figures(analysis.tables, analysis.estimates),
    )


def write_figures(folder: Path, analysis: Analysis) -> list[Path]:
    """Write every table of an analysis as CSV and the chart that is drawn from it, if there is one, as SVG.

    Parameters
    ----------
    folder : Path
        Made if missing.
    analysis : Analysis

    Returns
    -------
    list of Path
        The files.
    """
    files = {}
    for name, table in analysis.tables.items():
        files[folder / f"{name}.csv"] = table.write_csv().encode()
    for figure in task_figures(analysis.tables, analysis.estimates):
        files[folder / f"{figure.name}.svg"] = figure.svg.encode()
    for path, content in files.items():
        with writing(path) as stream:
            stream.write(content)
    return [*files]
