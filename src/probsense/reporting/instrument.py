"""What a page tells of one instrument: headline, findings, charts and tables, made from its figures."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from probsense.records import Json
from probsense.report.charts.figure import Figure
from probsense.report.charts.measures import measure_table
from probsense.report.charts.render import can_draw, page_svg
from probsense.report.coverage import coverage_words, covered, incomplete
from probsense.report.figures import drawn, measure_kind
from probsense.report.findings import findings, first_findings, headline
from probsense.report.formats import Figures, as_csv, figure_rows
from probsense.report.frame_findings import frame_findings
from probsense.report.groups import GROUPS, group_tables, shown_singly
from probsense.report.judgment_findings import judgment_findings, judgment_headline
from probsense.report.measure import Finding, Group
from probsense.report.profile import title_of
from probsense.report.records import facts_tables, records
from probsense.report.tables import Table, kinds, pivot, transpose
from probsense.report.words import VIEWS, measure_of, method_meaning, plain
from probsense.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Part:
    """What there is to tell of one instrument.

    Attributes
    ----------
    name : str
        What the instrument is called.
    estimates : sequence of Estimate
        For any number of models.
    coverage : sequence of mapping
        One row for each model (and problem, ...): who, how many were asked, how many answered. Columns are
        the keys, words first, in the order in which they come.
    notes : sequence of str
        What the reader should know besides.
    facts : sequence of mapping
        One for each run: how it was done. Nested mappings are spread out.
    figures : sequence of Figure
        Charts.
    warnings : sequence of str
        What must be said before anything else.
    """

    name: str
    estimates: Sequence[Estimate]
    coverage: Sequence[Mapping[str, Json]] = ()
    notes: Sequence[str] = ()
    facts: Sequence[Mapping[str, Json]] = ()
    figures: Sequence[Figure] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart as the page shows it (``svg`` is empty where the packages for that are missing); its numbers as CSV."""

    name: str
    title: str
    meaning: str
    svg: Markup
    numbers: str

    @property
    def file(self) -> str:
        """Name of the file of its numbers."""
        return f"{self.name}.csv"


@dataclass(frozen=True, slots=True)
class Section:
    """A measure as the page shows it: what it means, a chart (may be None) and a table."""

    title: str
    meaning: str
    chart: Drawn | None
    table: Table


@dataclass(frozen=True, slots=True)
class Instrument:
    """A part as the page shows it: see the template for where each piece goes."""

    name: str
    file: str
    warnings: Sequence[str]
    headline: str
    findings: Sequence[Finding]
    covered: str
    figures: Sequence[Drawn]
    grouped: Sequence[tuple[Group, Sequence[Table]]]
    leading: Sequence[Section]
    further: Sequence[Section]
    coverage: Table
    notes: Sequence[str]
    facts: Sequence[Table]
    glossary: Sequence[tuple[str, str]]
    numbers: str

    def files(self) -> dict[str, str]:
        """All figures, and the numbers behind each chart, as CSV by the name of the file."""
        charts = [*self.figures, *(section.chart for section in self.leading if section.chart)]
        return {self.file: self.numbers, **{chart.file: chart.numbers for chart in charts}}


def draw(figure: Figure, of: str = "") -> Drawn:
    """A chart, named after the instrument that it is of."""
    name = f"{_file_stem(of)}-{figure.name}" if of else figure.name
    svg = page_svg(replace(figure, name=name)) if can_draw() else ""
    return Drawn(name, figure.title, figure.meaning, Markup(svg), figure.table.write_csv())


def _file_stem(name: str) -> str:
    """The name of an instrument as a part of names of files and elements."""
    return re.sub(r"\W+", "-", name)


def instrument(part: Part) -> Instrument:
    """Arrange all that there is to tell."""
    words = coverage_words(part.coverage)
    grouped = [
        (group, covered(tables, words))
        for group in GROUPS
        if (tables := [*map(_turned, group_tables(part.estimates, group))])
    ]
    everything, single = part.estimates, shown_singly(part.estimates)
    pairs = kinds(single)
    main = pairs[0][1] if pairs else ""
    leading = [
        (measure, method) for measure, method in pairs if method == main and measure in ("accuracy", "bias")
    ]
    leading = leading or ([] if grouped else pairs[:1])
    return Instrument(
        name=title_of(part.name),
        file=f"{_file_stem(part.name)}.csv",
        warnings=[*map(plain, part.warnings), *incomplete(part.coverage)],
        headline=headline(single, main) or judgment_headline(everything),
        findings=findings(single, main)
        or judgment_findings(everything)
        or frame_findings(everything)
        or first_findings(single),
        covered=words,
        figures=[draw(figure, part.name) for figure in part.figures],
        grouped=grouped,
        leading=[
            _section(single, *pair, words, chart=draw(_figure(single, *pair), part.name)) for pair in leading
        ],
        further=[_section(single, *pair, words) for pair in pairs if pair not in leading],
        coverage=records("Questions asked and answered", part.coverage),
        notes=[plain(note) for note in part.notes],
        facts=facts_tables(part.facts),
        glossary=_glossary(everything, kinds(everything), {measure for measure, _ in leading}),
        numbers=as_csv(figure_rows({part.name: Figures(everything, part.coverage, part.notes)})),
    )


def _section(
    estimates: Sequence[Estimate], measure: str, method: str, words: str, chart: Drawn | None = None
) -> Section:
    style = measure_of(measure)
    (table,) = covered([pivot(estimates, measure, method)], words)
    return Section(title=style.title, meaning=style.meaning, chart=chart, table=_turned(table))


def _figure(estimates: Sequence[Estimate], measure: str, method: str) -> Figure:
    return measure_kind(measure).figure(measure, measure_table(drawn(estimates), measure, method))


def _turned(table: Table) -> Table:
    """With more rows than columns of figures: the page is narrow, and charts have parts as rows."""
    return transpose(table) if len(table.rows) < len(table.columns) - table.heads else table


def _glossary(
    estimates: Sequence[Estimate], pairs: Sequence[tuple[str, str]], explained: Collection[str]
) -> list[tuple[str, str]]:
    """What the measures that are not explained elsewhere, the views and the methods mean."""
    measures = [
        (measure_of(name).title, measure_of(name).meaning) for name, _ in pairs if name not in explained
    ]
    methods = [
        (f"Method “{name}”", meaning) for measure, name in pairs if (meaning := method_meaning(measure, name))
    ]
    shown = {estimate.by.get("view") for estimate in estimates}
    views = [(f"View “{name}”", meaning) for name, meaning in VIEWS.items() if name in shown]
    return [(name, meaning) for name, meaning in dict.fromkeys(measures + views + methods) if meaning]
