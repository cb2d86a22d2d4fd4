"""The report of analysed records, and their charts as files."""

from __future__ import annotations

from pathlib import Path

from probsense.files import writing
from probsense.report.charts.render import can_draw, file_bytes
from probsense.report.figures import leading_figures, task_figures
from probsense.report.html import write_report
from probsense.report.instrument import Part
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
    part = Part(
        analysis.task,
        analysis.estimates,
        coverage=analysis.coverage,
        notes=analysis.notes,
        facts=[analysis.run],
        figures=task_figures(analysis.tables, analysis.estimates),
    )
    write_report(path, title, [part])


def write_figures(folder: Path, analysis: Analysis) -> list[Path]:
    """Write every table of an analysis as CSV, and every chart as SVG beside the table that it is drawn from.

    Where nothing can be drawn there are the tables; ``probsense figure`` makes the charts from them.

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
    figures = [*leading_figures(analysis.estimates), *task_figures(analysis.tables, analysis.estimates)]
    tables = {**{figure.name: figure.table for figure in figures}, **analysis.tables}
    files = {folder / f"{name}.csv": table.write_csv().encode() for name, table in tables.items()}
    if can_draw():
        files |= {folder / f"{figure.name}.svg": file_bytes(figure, "svg") for figure in figures}
    for path, content in files.items():
        with writing(path) as stream:
            stream.write(content)
    return [*files]
