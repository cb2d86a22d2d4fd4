"""What pages tell of one task: headline, key results, charts and tables, made from what was measured."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from probsense.analysis.inference.estimate import Estimate
from probsense.results.formats import as_csv, estimate_rows
from probsense.results.part import Part, all_warnings, coverage_words, findings, voiding_warnings
from probsense.results.profile_rows import budget_chart
from probsense.results.tables import facts_tables, records
from probsense.runs.reproduce import Recipe
from probsense.show.chart import Chart
from probsense.show.charts import chart_of_measure, task_charts
from probsense.show.measure import Group, KeyResult
from probsense.show.render import can_draw, page_svg
from probsense.show.tables import SHORTCUT_CEILING, Table, group_tables, kinds, pivot, shown_singly, transpose
from probsense.show.text import plain
from probsense.show.words import Words

FURTHER = "The same answers, counted in other ways"
"""The title of the section of all measures that do not lead."""


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
    """A section as the page shows it: what it is about, perhaps a chart, and tables.

    Attributes
    ----------
    anchor : str
        The id of its element, made of names, so that a link to it lasts.
    title, meaning : str
    chart : PageChart or None
    tables : sequence of Table
    opened : bool
        Whether the reader sees it without asking.
    """

    anchor: str
    title: str
    meaning: str
    chart: PageChart | None = None
    tables: Sequence[Table] = ()
    opened: bool = False


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part as the page shows it; the template has a place for each piece."""

    anchor: str
    name: str
    file: str
    warnings: Sequence[str]
    voiding: Sequence[str]
    headline: str
    key_results: Sequence[KeyResult]
    scope: str
    covered: str
    sections: Sequence[Section]
    coverage: Table
    notes: Sequence[str]
    facts: Sequence[Table]
    glossary: Sequence[tuple[str, str]]
    numbers: str
    models: Sequence[str]
    recipes: Mapping[str, tuple[str, str]]

    @property
    def picture(self) -> PageChart | None:
        """The chart that opens the page of this part alone: the first one that is drawn."""
        return next((one.chart for one in self.sections if one.chart and one.chart.svg), None)

    def files(self) -> dict[str, str]:
        """Return all estimates and the numbers behind each chart as CSV, and the recipes, by the name of the file."""
        charts = [section.chart for section in self.sections if section.chart]
        return {
            self.file: self.numbers,
            **{chart.file: chart.numbers for chart in charts},
            **{name: text for name, (_, text) in self.recipes.items()},
        }


def draw(chart: Chart, of: str = "") -> PageChart:
    """Draw a chart for a page and name it after the task that it is about."""
    name = f"{_file_stem(of)}-{chart.name}" if of else chart.name
    svg = page_svg(replace(chart, name=name)) if can_draw() else ""
    return PageChart(name, chart.title, chart.meaning, Markup(svg), chart.table.write_csv())


def _file_stem(name: str) -> str:
    """Turn the name of a task into a part of names of files and elements."""
    return re.sub(r"\W+", "-", name)


def page_part(part: Part) -> PagePart:
    """Arrange all that there is to tell: what leads first and in full, everything else folded."""
    words, measured = part.words, part.results
    everything = measured.estimates
    single = shown_singly(everything, words)
    pairs = kinds(single)
    grouped = [_group_section(part, group) for group in words.groups]
    groups = [section for section in grouped if section.tables]
    main = pairs[0][1] if pairs else ""
    leading = [pair for pair in pairs if pair[1] == main and pair[0] in words.leading]
    leading = leading or ([] if groups else pairs[:1])
    further = [pair for pair in pairs if pair not in leading]
    results = findings(part)

    def drawn(found: Iterable[Chart]) -> list[Section]:
        return [
            Section(anchor(part.name, chart.name), chart.title, chart.meaning, draw(chart, part.name))
            for chart in found
        ]

    curve = drawn([found] if (found := budget_chart(part)) else [])
    sections = [
        *curve,
        *(_measure_section(part, single, *pair) for pair in leading),
        *drawn(task_charts(everything, measured.tables, words)),
        *groups,
        *([_further_section(part, single, further)] if further else ()),
    ]
    return PagePart(
        anchor=anchor(part.name),
        name=words.title,
        file=f"{_file_stem(part.name)}.csv",
        warnings=all_warnings(part),
        voiding=voiding_warnings(part),
        headline=results.headline,
        key_results=results.models,
        scope=results.scope,
        covered=coverage_words(measured.coverage),
        sections=[
            replace(each, anchor=own, opened=i < max(len(leading), 1) + len(curve))
            for i, (each, own) in enumerate(zip(sections, _distinct(sections), strict=True))
        ],
        coverage=records("Questions asked and answered", measured.coverage),
        notes=[plain(note) for note in measured.notes],
        facts=facts_tables(part.facts),
        glossary=_glossary(everything, words, {measure for measure, _ in leading}),
        numbers=as_csv(estimate_rows([part])),
        models=_models(part),
        recipes={own.file: _recipe(own) for own in part.recipes},
    )


def _recipe(own: Recipe) -> tuple[str, str]:
    """Name a recipe and write it."""
    text = json.dumps(own.to_json(), ensure_ascii=False)
    return f"Recipe: {plain(own.model)}, asked by {plain(own.method)} (JSON)", text


def _distinct(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the anchor of each section; one that comes again has a number."""
    seen: Counter[str] = Counter()
    for section in sections:
        seen[section.anchor] += 1
        again = f"-{seen[section.anchor]}" if seen[section.anchor] > 1 else ""
        yield f"{section.anchor}{again}"


def anchor(*names: str) -> str:
    """Make the id of an element out of the names of a task and of what a section of it shows."""
    return "-".join(["task", *map(_file_stem, names)]).lower()


def _models(part: Part) -> list[str]:
    """List the models whose estimates a part has."""
    found = dict.fromkeys(str(e.by["model"]) for e in part.results.estimates if "model" in e.by)
    return [plain(model) for model in found if part.words.is_model(model)]


def _measure_section(part: Part, estimates: Sequence[Estimate], measure: str, method: str) -> Section:
    style = part.words.measure(measure)
    own = chart_of_measure(estimates, measure, method, part.words)
    return Section(
        anchor(part.name, measure),
        style.title,
        f"{style.title} is {style.meaning}." if style.meaning else "",
        draw(own, part.name) if own else None,
        [_turned(pivot(estimates, measure, method, part.words))],
    )


def _group_section(part: Part, group: Group) -> Section:
    tables = [*map(_turned, group_tables(part.results.estimates, group, part.words))]
    return Section(anchor(part.name, group.title), group.title, group.meaning, tables=tables)


def _further_section(part: Part, estimates: Sequence[Estimate], pairs: Sequence[tuple[str, str]]) -> Section:
    tables = [_turned(pivot(estimates, *pair, part.words)) for pair in pairs]
    return Section(anchor(part.name, "further"), FURTHER, "", tables=tables)


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
