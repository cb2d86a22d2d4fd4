"""What a terminal shows: one table that sums up a task, or the profile of several, and the findings in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.results.part import Part, covered, findings
from probsense.results.profile_rows import (
    SHARE,
    arranged,
    landmarks,
    profile_entries,
    profile_rows,
    without_entry,
)
from probsense.show.key_results import beats_shortcuts, leading_estimates, overall_of
from probsense.show.measure import (
    ABSENT,
    HALF_WIDTHS,
    PERCENT,
    KeyResult,
    Measure,
    short,
    short_interval,
    verdict,
)
from probsense.show.tables import CHANCE, SHORTCUT_CEILING, brief_tables, fits, reference_rows, write_cells
from probsense.show.text import counted, heading, joined, plain
from probsense.show.words import ILLUSTRATIVE, PEOPLE, Table, Words

MOST: Final = 5
"""Measures that the table shows at most."""
WIDE: Final = 100
"""The width of a table that is shown in no terminal."""
TOLD: Final = 6
"""Models that a terminal tells about one by one."""
Row = Mapping[str, Estimate]


def summary_table(part: Part, width: int = WIDE) -> Table | None:
    """Make the table that sums up what was measured of one task.

    Parameters
    ----------
    part : Part
    width : int
        Characters of a line; the table has as many of the leading measures as fit.

    Returns
    -------
    Table or None
        A row for each model, the best by the first measure first, then rows of chance, of shortcuts and of people as
        far as these are known. Where none of the leading measures is known, it is the first table of the terminal, and
        None without any estimate.
    """
    words, rows = part.words, summary_rows(part)
    measures = [name for name in words.summary if any(name in own for own in rows.values())][:MOST]
    if not measures:
        return next(iter(covered(part, brief_tables(part.results.estimates, words))), None)
    tables = (_table(part, rows, measures[:most]) for most in range(len(measures), 0, -1))
    found = next((table for table in tables if fits(table, width)), None)
    return covered(part, [found or _table(part, rows, measures[:1])])[0]


def _table(part: Part, rows: Mapping[str, Row], measures: Sequence[str]) -> Table:
    words, styles = part.words, {name: part.words.measure(name) for name in measures}
    shown = {
        (who, name): (own[name], style)
        for who, own in rows.items()
        for name, style in styles.items()
        if name in own
    }
    written, legend = write_cells(shown, HALF_WIDTHS)

    def cells(who: str) -> list[str]:
        return [written.get((who, name), ABSENT) for name in measures]

    def rank(name: str) -> float:
        first = rows[name].get(measures[0])
        return styles[measures[0]].rank(first.value if first else math.nan)

    models = {
        name: rows[name]
        for name in sorted(rows, key=rank)
        if _is_model(name, words)
        and (not rows[name] or {*rows[name]} & {*measures} or name.partition(" · ")[0] not in rows)
    }
    raters = [name for name in words.beside if name in rows]
    footing = [
        *reference_rows(
            [(style, [own[name] for own in models.values() if name in own]) for name, style in styles.items()]
        ),
        *((heading(name), *cells(name)) for name in raters),
        *([] if PEOPLE in raters else _people(words, styles)),
    ]
    return Table(
        f"{words.title} ({legend})",
        ("Model", *(style.heading for style in styles.values())),
        (*((plain(name), *cells(name)) for name in models), *footing),
        across="Measure",
        footing=len(footing),
    )


def summary_rows(part: Part) -> Mapping[str, Row]:
    """Choose the estimates that stand for the leading measures, by rater and measure.

    A model that was asked has a row even if nothing could be measured.
    """
    words = part.words
    rows: dict[str, dict[str, Estimate]] = {}
    for measure in words.summary:
        arranged, found = leading_estimates(part.results.estimates, measure, words)
        for subject, name in arranged.names().items():
            if subject in found:
                rows.setdefault(name, {})[measure] = found[subject]
        # What one rater has by definition, another has by an estimate of another method.
        for one in overall_of(part.results.estimates, measure, words):
            name = plain(str(one.by.get("model", "")))
            if name in rows or name in words.beside or _is_model(name, words):
                rows.setdefault(name, {}).setdefault(measure, one)
    for row in part.results.coverage:
        name = plain(str(row.get("model", "")))
        if name and not any(name == known or known.startswith(f"{name} · ") for known in rows):
            rows[name] = {}
    return rows


def _is_model(name: str, words: Words) -> bool:
    return words.is_model(name) and name not in (PEOPLE, words.people)


def _people(words: Words, styles: Mapping[str, Measure]) -> list[tuple[str, ...]]:
    """Make the row of people where their place is the same for all questions."""
    places = {name: words.people_at(name) for name in styles}
    cells = [ABSENT if math.isnan(place) else styles[name].number(place) for name, place in places.items()]
    return [] if {*cells} == {ABSENT} else [(heading(words.people), *cells)]


def task_findings(part: Part) -> list[str]:
    """Write what was found as lines: about all models, about the first few, and what all intervals speak for."""
    found = findings(part)
    each = [_line_of(one) for one in found.models[:TOLD]]
    more = len(found.models) - TOLD
    rest = f"The page tells of {counted(more, 'more model')}." if more > 0 else ""
    return [line for line in (found.headline, *each, rest, found.scope) if line]


def _line_of(one: KeyResult) -> str:
    return " ".join(filter(None, (plain(one.model), one.said, one.rest)))


VERDICTS: Final = {
    "above": "is above guessing in",
    "below": "is below guessing in",
    "same": "guesses in",
    "unsure": "cannot be told from guessing in",
}
"""What is said of a model by where its interval lies beside chance."""


PLACES: Final = {
    CHANCE: "guessing gets",
    SHORTCUT_CEILING: "shortcuts reach",
    heading(PEOPLE): "people are at",
    heading(ILLUSTRATIVE): "made-up people are at",
}
"""What is said of a place that is known in one row alone."""


def profile_summary(parts: Sequence[Part]) -> tuple[Table, Sequence[str]]:
    """Make the one table that a terminal shows of a profile, and the lines that belong below it.

    Parameters
    ----------
    parts : sequence of Part

    Returns
    -------
    table : Table
        A row for each task, a column for each model. Figures are rounded as in sentences.
    lines : sequence of str
        What is known of a single row, such as its shortcut ceiling, and therefore has no column.
    """
    rows, places, lines = profile_rows(parts), dict[str, Sequence[str]](), list[str]()
    for place, cells in landmarks(rows).items():
        known = [(name, cell) for name, cell in zip(rows, cells, strict=True) if cell != ABSENT]
        if known[1:] or len(rows) == 1:
            places[place] = cells
        else:
            lines += [f"In “{name}”, {PLACES[place]} {cell} %." for name, cell in known]
    return arranged(rows, places, short_cell), lines


def short_cell(estimate: Estimate) -> str:
    """Write a share in per cent with the ends of its interval, rounded as in sentences."""
    value = short(estimate.value, estimate, PERCENT, suffix=False)
    return f"{value} {short_interval(estimate, SHARE, PERCENT)}"


def profile_results(parts: Iterable[Part]) -> list[KeyResult]:
    """Say of each model in which tasks it is above guessing, and where nothing could be measured.

    Returns
    -------
    list of KeyResult
        The models of the profile in their order. Tasks without chance count where no task has any.
    """
    parts = [*parts]
    entries, found = profile_entries(parts), list[KeyResult]()
    missing = {part.words.title: without_entry(part) for part in parts}
    named = [*(entry.model for entry in entries), *(model for own in missing.values() for model in own)]
    for model in dict.fromkeys(named):
        own = [entry for entry in entries if entry.model == model]
        tasks: dict[str, list[str]] = {}
        for entry in own:
            if not math.isnan(entry.estimate.chance):
                kind = verdict(entry.estimate, entry.estimate.chance)
                reached = kind == "above" and not beats_shortcuts(entry.estimate)
                tasks.setdefault(kind, []).append(f"{entry.task}{' (as shortcuts are)' if reached else ''}")
        said = [f"{words} {joined(tasks[kind])}" for kind, words in VERDICTS.items() if kind in tasks]
        values = [
            f"{entry.task} {short(entry.estimate.value, entry.estimate, PERCENT)}"
            f" {short_interval(entry.estimate, SHARE, PERCENT)}"
            for entry in own
        ]
        none = [f"{task} ({whys[model]})" for task, whys in missing.items() if model in whys]
        first = "; ".join(said) or (f"stands at {joined(values)}" if values else "has no result")
        found.append(KeyResult(model, f"{first}.", f"No result in {'; '.join(none)}." if none else ""))
    return found


def profile_findings(parts: Iterable[Part]) -> list[str]:
    """Write as lines what :func:`profile_results` says."""
    return [*map(_line_of, profile_results(parts))]
