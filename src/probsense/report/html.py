"""One self-contained page about a run: what came out in plain words, tables, charts, and how it was done."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2
from markupsafe import Markup

from probsense.files import writing
from probsense.records import Json
from probsense.report.chart import chart
from probsense.report.coverage import coverage_words, covered, incomplete
from probsense.report.frame_findings import frame_findings
from probsense.report.groups import GROUPS, group_tables, shown_singly
from probsense.report.judgment_findings import judgment_findings, judgment_headline
from probsense.report.measure import Figure, Finding
from probsense.report.records import facts_tables, records
from probsense.report.tables import OVERALL, Grid, Table, grid, kinds, pivot, transpose
from probsense.report.words import VIEWS, measure_of, method_meaning, plain, sentence_value
from probsense.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Section:
    """A measure as the page shows it: what it means, a chart (may be empty) and a table."""

    title: str
    meaning: str
    chart: Markup
    table: Table


def render_report(
    title: str,
    estimates: Sequence[Estimate],
    *,
    coverage: Sequence[Mapping[str, Json]] = (),
    notes: Sequence[str] = (),
    facts: Sequence[Mapping[str, Json]] = (),
    figures: Sequence[Figure] = (),
) -> str:
    """Render the page.

    Parameters
    ----------
    title : str
    estimates : sequence of Estimate
        Of one task, for any number of models.
    coverage : sequence of mapping
        One row for each model (and problem, ...): who, how many were asked, how many answered. Columns are
        the keys, words first, in the order in which they come.
    notes : sequence of str
        What the reader should know besides.
    facts : sequence of mapping
        One for each run: how it was done. Nested mappings are spread out.
    figures : sequence of Figure
        Charts that are drawn already.

    Returns
    -------
    str
        HTML that needs nothing else. Every string in it is escaped.
    """
    words = coverage_words(coverage)
    grouped = [
        (group, covered(tables, words))
        for group in GROUPS
        if (tables := [*map(_turned, group_tables(estimates, group))])
    ]
    everything, estimates = estimates, shown_singly(estimates)
    pairs = kinds(estimates)
    main = pairs[0][1] if pairs else ""
    leading = [
        (measure, method) for measure, method in pairs if method == main and measure in ("accuracy", "bias")
    ]
    leading = leading or ([] if grouped else pairs[:1])
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template("report.html.jinja").render(
        title=plain(title),
        overall=OVERALL,
        warnings=incomplete(coverage),
        covered=words,
        headline=headline(estimates, main) or judgment_headline(everything),
        findings=findings(estimates, main) or judgment_findings(everything) or frame_findings(everything),
        grouped=grouped,
        figures=[replace(figure, svg=Markup(figure.svg)) for figure in figures],
        leading=[_section(estimates, *pair, words, with_chart=True) for pair in leading],
        further=[
            _section(estimates, *pair, words, with_chart=False) for pair in pairs if pair not in leading
        ],
        glossary=_glossary(everything, kinds(everything), {measure for measure, _ in leading}),
        coverage=records("Questions asked and answered", coverage),
        facts=facts_tables(facts),
        notes=[plain(note) for note in notes],
    )


def write_report(
    path: Path,
    title: str,
    estimates: Sequence[Estimate],
    *,
    coverage: Sequence[Mapping[str, Json]] = (),
    notes: Sequence[str] = (),
    facts: Sequence[Mapping[str, Json]] = (),
    figures: Sequence[Figure] = (),
) -> None:
    """Write the page of :func:`render_report` to a file, whole or not at all."""
    page = render_report(title, estimates, coverage=coverage, notes=notes, facts=facts, figures=figures)
    with writing(path) as stream:
        stream.write(page.encode())


def headline(estimates: Sequence[Estimate], method: str) -> str:
    """Which model is best, in one sentence; "" where there is nothing to choose from."""
    arranged = grid(_in_first_view(estimates), "accuracy", method)
    names, overall = arranged.names(), _overall(arranged)
    if len(overall) < 2:
        return ""
    (first, best), *others = overall
    rivals = [(subject, estimate) for subject, estimate in others if not best.low > estimate.high]
    if not rivals:
        return f"{names[first]} is the most accurate of the {len(overall)} compared here."
    unknown = math.isnan(best.low) or any(math.isnan(estimate.high) for _, estimate in rivals)
    reason = (
        "an interval is unknown" if unknown else f"its interval overlaps with that of {names[rivals[0][0]]}"
    )
    return (
        f"{names[first]} has the highest accuracy of the {len(overall)} compared here, but {reason},"
        " so these figures alone do not settle which is best."
    )


def findings(estimates: Sequence[Estimate], method: str) -> list[Finding]:
    """What each model achieved, the best first, whether that is more than chance, and what it hangs on."""
    arranged = grid(_in_first_view(estimates), "accuracy", method)
    names = arranged.names()
    found = []
    for subject, estimate in _overall(arranged):
        others = [e for (who, _), e in arranged.cells.items() if who == subject and e is not estimate]
        said = _against_chance(estimate), _singly(others), _by_other_views(estimates, estimate)
        figure = f"answers {sentence_value(estimate)} of the questions right."
        found.append(Finding(names[subject], figure, " ".join(filter(None, said))))
    return found


def _in_first_view(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Where there are views of the same answers, the estimates under the one that comes first; otherwise all."""
    first = next((e.by["view"] for e in estimates if "view" in e.by), None)
    return [e for e in estimates if e.by.get("view", first) == first]


def _against_chance(estimate: Estimate) -> str:
    if math.isnan(estimate.chance):
        return ""
    verdict = (
        "is above chance"
        if estimate.low > estimate.chance
        else "is below chance"
        if estimate.high < estimate.chance
        else "cannot be told apart from chance"
    )
    return f"That {verdict} ({estimate.chance * 100:.3g} %)."


def _singly(problems: Sequence[Estimate]) -> str:
    if len(problems) < 2 or any(math.isnan(e.chance) for e in problems):
        return ""
    above = sum(e.low > e.chance for e in problems)
    return f"Taken singly, {above} of {len(problems)} problems are above chance."


def _by_other_views(estimates: Sequence[Estimate], chosen: Estimate) -> str:
    others = [
        e.value
        for e in estimates
        if (e.measure, e.method) == (chosen.measure, chosen.method)
        and {**e.by, "view": ""} == {**chosen.by, "view": ""}
        and e.by != chosen.by
    ]
    if not others:
        return ""
    style = measure_of(chosen.measure)
    lowest, highest = style.number(min(others)), style.number(max(others))
    spread = lowest if lowest == highest else f"{lowest} to {highest}"
    return f"By other views of the same scores it is {spread}{style.unit}."


def _overall(arranged: Grid) -> list[tuple[tuple[str, ...], Estimate]]:
    """The overall figure of each subject, the highest first; without one, that of the only part."""
    if "" in arranged.parts:
        where = ""
    elif len(arranged.parts) == 1:
        where = arranged.parts[0]
    else:
        return []
    found = [
        (subject, arranged.cells[subject, where])
        for subject in arranged.subjects
        if (subject, where) in arranged.cells
    ]
    return sorted(found, key=lambda pair: (math.isnan(pair[1].value), -pair[1].value))


def _section(
    estimates: Sequence[Estimate], measure: str, method: str, words: str, *, with_chart: bool
) -> Section:
    style = measure_of(measure)
    (table,) = covered([pivot(estimates, measure, method)], words)
    # Problems and views would be too much for one chart.
    drawn = _in_first_view(estimates) if any("problem" in e.by for e in estimates) else estimates
    return Section(
        title=style.title,
        meaning=style.meaning,
        chart=Markup(chart(drawn, measure, method) if with_chart else ""),
        table=_turned(table),
    )


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


def _breakable(text: str) -> Markup:
    """The text, with places inside a long name where a line may break."""
    return Markup("<wbr>").join(re.split(r"(?<=[.:/_])(?=.)", text))
