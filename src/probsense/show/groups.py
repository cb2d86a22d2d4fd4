"""Groups of measures side by side in one table, and which measures are shown by themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import Group
from probsense.show.notation import HALF_WIDTHS, Notation, level, suited
from probsense.show.tables import ABSENT, Table, kinds, pivot, subject_keys, subject_of
from probsense.show.text import heading, plain
from probsense.show.words import Words

PUBLISHED = "published"
"""How the names of methods begin that reproduce published values."""


def side_by_side(
    estimates: Sequence[Estimate], group: Group, words: Words, notation: Notation = HALF_WIDTHS
) -> Table | None:
    """Set the overall estimates of a group of measures side by side: a row for each subject, a column for each measure.

    Parameters
    ----------
    estimates : sequence of Estimate
        If several estimate one measure of one subject, the first one counts.
    group : Group
    words : Words
        Those of the task.
    notation : Notation
        How estimates are written; half-widths only where every interval of the table is symmetric.

    Returns
    -------
    Table or None
        Rows in the order of the first measure; None if there is no such estimate.
    """
    chosen = [e for e in estimates if e.measure in group.measures and words.is_overall(e)]
    if not chosen:
        return None
    _, keys = subject_keys(chosen, "")
    cells = {(subject_of(e, keys), e.measure): e for e in reversed(chosen)}
    measures = [name for name in group.measures if any(name == measure for _, measure in cells)]

    def rank(subject: tuple[str, ...]) -> float:
        first = cells.get((subject, measures[0]))
        if first is None or math.isnan(first.value):
            return math.inf
        return first.value if group.lowest_first else -first.value

    subjects = sorted(dict.fromkeys(subject_of(e, keys) for e in chosen), key=rank)
    styles = [words.measure(name) for name in measures]
    levels = dict.fromkeys(map(level, chosen))
    methods = dict.fromkeys(plain(e.method) for e in chosen)
    notation = suited(notation, ((e, words.measure(e.measure)) for e in cells.values()))
    return Table(
        f"{group.title} ({notation.legend.format('/'.join(levels))}), method “{'”, “'.join(methods)}”",
        (
            *map(heading, keys),
            *(style.heading for style in styles),
        ),
        tuple(
            (
                *map(plain, subject),
                *(
                    notation.cell(cells[subject, name], style) if (subject, name) in cells else ABSENT
                    for name, style in zip(measures, styles, strict=True)
                ),
            )
            for subject in subjects
        ),
        heads=len(keys),
        across="Measure",
    )


def group_tables(
    estimates: Sequence[Estimate], group: Group, words: Words, notation: Notation = HALF_WIDTHS
) -> list[Table]:
    """Make the tables of a group of measures: one by the task's own methods, and one for each published method."""
    published = dict.fromkeys(e.method for e in estimates if e.method.startswith(PUBLISHED))
    own = [e for e in estimates if e.method not in published]
    chosen = [own, *([e for e in estimates if e.method == method] for method in published)]
    tables = [side_by_side(each, group, words, notation) for each in chosen]
    return [table for table in tables if table is not None]


def shown_singly(estimates: Iterable[Estimate], words: Words) -> list[Estimate]:
    """Select what gets a table of its own: not what a group shows, no differences of models, not each of many parts."""
    grouped = {name for group in words.groups for name in group.measures}
    return [
        e
        for e in estimates
        if "versus" not in e.by
        and not (e.measure in grouped and words.is_overall(e))
        and all(e.measure in kept for part, kept in words.by_part.items() if part in e.by)
    ]


def brief_tables(
    estimates: Sequence[Estimate], words: Words, notation: Notation = HALF_WIDTHS
) -> list[Table]:
    """Make all tables of a terminal: groups of measures first, then one for each other measure and method."""
    hidden = set(words.page_only)
    brief = [e for e in estimates if not {e.measure, e.method, *e.by} & hidden]
    single = shown_singly(brief, words)
    groups = [group for group in words.groups if not group.detail]
    return [
        *(table for group in groups for table in group_tables(brief, group, words, notation)),
        *(pivot(single, measure, method, words, notation) for measure, method in kinds(single)),
    ]
