"""What pages tell of one task: headline, key results, charts and tables, made from what was measured."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

from markupsafe import Markup

from probsense.analysis.inference.estimate import Estimate
from probsense.results.formats import as_csv, estimate_rows, narrow
from probsense.results.part import Part, all_warnings, coverage_words, findings, voiding_warnings
from probsense.results.profile_rows import budget_chart
from probsense.results.tables import facts_tables, records
from probsense.show.chart import Chart
from probsense.show.charts import chart_of_measure, task_charts
from probsense.show.render import can_draw, page_svg
from probsense.show.tables import SHORTCUT_CEILING, group_tables, kinds, pivot, shown_singly
from probsense.show.text import plain
from probsense.show.words import Table, Words

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


def draw(chart: Chart, of: str = "") -> PageChart:
    """Draw a chart for a page and name it after the task that it is about."""
    name = f"{_file_stem(of)}-{chart.name}" if of else chart.name
    svg = page_svg(replace(chart, name=name)) if can_draw() else ""
    return PageChart(name, chart.title, chart.meaning, Markup(svg), chart.table.write_csv())


def _file_stem(name: str) -> str:
    """Turn the name of a task into a part of names of files and elements."""
    return re.sub(r"\W+", "-", name)


def page_part(part: Part) -> SimpleNamespace:
    """Arrange the results of a task: what leads first and in full, everything else folded.

    Returns
    -------
    SimpleNamespace
        The template has a place for each of its pieces. ``files`` are the texts of files for download by name: all
        estimates and the numbers behind each chart as CSV, and the recipes; ``picture`` is the chart that opens the
        page of this part alone, the first one that is drawn.
    """
    words, measured, name = part.words, part.results, _file_stem(part.name)
    everything = measured.estimates
    single = shown_singly(everything, words)
    pairs = kinds(single)
    groups = [
        Section(anchor(part.name, group.title), group.title, group.meaning, tables=[*map(narrow, tables)])
        for group in words.groups
        if (tables := group_tables(everything, group, words))
    ]
    main = pairs[0][1] if pairs else ""
    leading = [pair for pair in pairs if pair[1] == main and pair[0] in words.leading]
    leading = leading or ([] if groups else pairs[:1])
    further = [narrow(pivot(single, *pair, words)) for pair in pairs if pair not in leading]
    results, curve = findings(part), budget_chart(part)

    def drawn(found: Iterable[Chart]) -> list[Section]:
        return [
            Section(anchor(part.name, chart.name), chart.title, chart.meaning, draw(chart, part.name))
            for chart in found
        ]

    sections = [
        *drawn([curve] if curve else []),
        *(_measure_section(part, single, *pair) for pair in leading),
        *drawn(task_charts(everything, measured.tables, words)),
        *groups,
        *([Section(anchor(part.name, "further"), FURTHER, "", tables=further)] if further else ()),
    ]
    opened = max(len(leading), 1) + (curve is not None)
    charts = [section.chart for section in sections if section.chart]
    return SimpleNamespace(
        anchor=anchor(part.name),
        name=words.title,
        file=f"{name}.csv",
        warnings=all_warnings(part),
        voiding=voiding_warnings(part),
        headline=results.headline,
        key_results=results.models,
        scope=results.scope,
        covered=coverage_words(measured.coverage),
        sections=[replace(each, opened=i < opened) for i, each in enumerate(sections)],
        picture=next((chart for chart in charts if chart.svg), None),
        coverage=records("Questions asked and answered", measured.coverage),
        notes=[plain(note) for note in measured.notes],
        facts=facts_tables(part.facts),
        glossary=_glossary(everything, words, {measure for measure, _ in leading}),
        models=_models(part),
        recipes={
            own.file: f"Recipe: {plain(own.run.model)}, asked by {plain(own.run.method)} (JSON)"
            for own in part.recipes
        },
        files={
            f"{name}.csv": as_csv(estimate_rows([part])),
            **{chart.file: chart.numbers for chart in charts},
            **{own.file: json.dumps(own.to_json(), ensure_ascii=False) for own in part.recipes},
        },
    )


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
        [narrow(pivot(estimates, measure, method, part.words))],
    )


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
