"""What a page tells of one task: headline, key results, charts and tables, made from what was measured."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from probsense.reporting.coverage import coverage_words, covered, incomplete
from probsense.reporting.formats import as_csv, estimate_rows
from probsense.reporting.part import Part
from probsense.reporting.records import facts_tables, records
from probsense.show.chart import Chart
from probsense.show.charts import drawn, has_values, task_charts
from probsense.show.estimate_charts import measure_kind, measure_table
from probsense.show.groups import group_tables, shown_singly
from probsense.show.key_results import key_results
from probsense.show.measure import Group, KeyResult
from probsense.show.render import can_draw, page_svg
from probsense.show.tables import SHORTCUT_CEILING, Table, kinds, pivot, transpose
from probsense.show.text import plain
from probsense.show.words import Words
from probsense.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart as the page shows it, and its numbers as CSV; ``svg`` is empty if the packages for charts are missing."""

    name: str
    title: str
    meaning: str
    svg: Markup
    numbers: str

    @property
    def file(self) -> str:
        """The name of the file of its numbers."""
        return f"{self.name}.csv"


@dataclass(frozen=True, slots=True)
class Section:
    """A measure as the page shows it: what it means, perhaps a chart, and a table."""

    title: str
    meaning: str
    chart: PageChart | None
    table: Table


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part as the page shows it; the template has a place for each piece."""

    name: str
    file: str
    warnings: Sequence[str]
    headline: str
    key_results: Sequence[KeyResult]
    covered: str
    charts: Sequence[PageChart]
    grouped: Sequence[tuple[Group, Sequence[Table]]]
    leading: Sequence[Section]
    further: Sequence[Section]
    coverage: Table
    notes: Sequence[str]
    facts: Sequence[Table]
    glossary: Sequence[tuple[str, str]]
    numbers: str

    def files(self) -> dict[str, str]:
        """Return all estimates, and the numbers behind each chart, as CSV by the name of the file."""
        charts = [*self.charts, *(section.chart for section in self.leading if section.chart)]
        return {self.file: self.numbers, **{chart.file: chart.numbers for chart in charts}}


def draw(chart: Chart, of: str = "") -> PageChart:
    """Draw a chart for a page and name it after the task that it is about."""
    name = f"{_file_stem(of)}-{chart.name}" if of else chart.name
    svg = page_svg(replace(chart, name=name)) if can_draw() else ""
    return PageChart(name, chart.title, chart.meaning, Markup(svg), chart.table.write_csv())


def _file_stem(name: str) -> str:
    """Turn the name of a task into a part of names of files and elements."""
    return re.sub(r"\W+", "-", name)


def page_part(part: Part, *, charts: bool = True) -> PagePart:
    """Arrange all that there is to tell, without its charts if these are not wanted."""
    words, measured = part.words, part.measured
    coverage, everything = coverage_words(measured.coverage), measured.estimates
    grouped = [
        (group, covered(tables, coverage))
        for group in words.groups
        if (tables := [*map(_turned, group_tables(everything, group, words))])
    ]
    single = shown_singly(everything, words)
    pairs = kinds(single)
    main = pairs[0][1] if pairs else ""
    leading = [pair for pair in pairs if pair[1] == main and pair[0] in words.leading]
    leading = leading or ([] if grouped else pairs[:1])
    results = key_results(everything, words)
    first = {pair: _measure_chart(single, *pair, words) if charts else None for pair in leading}
    own = task_charts(everything, measured.tables, words) if charts else []
    return PagePart(
        name=words.title,
        file=f"{_file_stem(part.name)}.csv",
        warnings=[*map(plain, part.warnings), *incomplete(measured.coverage)],
        headline=results.headline if part.comparable else "",
        key_results=results.models,
        covered=coverage,
        charts=[draw(chart, part.name) for chart in own],
        grouped=grouped,
        leading=[
            _section(single, *pair, words, coverage, draw(chart, part.name) if chart else None)
            for pair, chart in first.items()
        ],
        further=[_section(single, *pair, words, coverage) for pair in pairs if pair not in leading],
        coverage=records("Questions asked and answered", measured.coverage),
        notes=[plain(note) for note in measured.notes],
        facts=facts_tables(part.facts),
        glossary=_glossary(everything, words, {measure for measure, _ in leading}),
        numbers=as_csv(estimate_rows([part])),
    )


def _section(
    estimates: Sequence[Estimate],
    measure: str,
    method: str,
    words: Words,
    coverage: str,
    chart: PageChart | None = None,
) -> Section:
    style = words.measure(measure)
    (table,) = covered([pivot(estimates, measure, method, words)], coverage)
    return Section(title=style.title, meaning=style.meaning, chart=chart, table=_turned(table))


def _measure_chart(estimates: Sequence[Estimate], measure: str, method: str, words: Words) -> Chart | None:
    """Make the chart of a measure; none where no estimate has a value."""
    table = measure_table(drawn(estimates), measure, method, words)
    return measure_kind(measure, words).chart(measure, table) if has_values(table) else None


def _turned(table: Table) -> Table:
    """Turn a table that has more columns of numbers than rows: the page is narrow, and charts have parts as rows."""
    return transpose(table) if len(table.rows) < len(table.columns) - table.heads else table


def _glossary(
    estimates: Sequence[Estimate], words: Words, explained: Collection[str]
) -> list[tuple[str, str]]:
    """Explain the measures that are not explained elsewhere, the methods, and the values of parts such as views."""
    pairs = kinds(estimates)
    measures = [
        (style.title, style.meaning) for style in (words.measure(m) for m, _ in pairs if m not in explained)
    ]
    methods = [(f"Method “{name}”", words.method(name)) for _, name in pairs]
    shown = {(key, str(value)) for estimate in estimates for key, value in estimate.by.items()}
    values = [
        (f"{key.capitalize()} “{value}”", meaning)
        for (key, value), meaning in words.values.items()
        if (key, value) in shown
    ]
    reached = any(not math.isnan(estimate.shortcut_ceiling) for estimate in estimates)
    ceiling = [(SHORTCUT_CEILING, words.shortcut.meaning)] if reached else []
    return [
        (name, meaning) for name, meaning in dict.fromkeys(measures + ceiling + methods + values) if meaning
    ]
