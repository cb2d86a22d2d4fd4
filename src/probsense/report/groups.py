"""Groups of measures side by side in one table, and which measures are shown by themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from probsense.report import frame_words, judgment_words
from probsense.report.measure import Group
from probsense.report.tables import ABSENT, PARTS, Table, heading, kinds, pivot, subject_keys, subject_of
from probsense.report.words import HALF_WIDTHS, Notation, measure_of, plain
from probsense.stats.estimate import Estimate

GROUPS = (*frame_words.GROUPS, *judgment_words.GROUPS)
DETAILS = {*judgment_words.DETAILS, *frame_words.DETAILS}
"""Parts, methods and measures that are for the page and the JSON: a terminal would be full of them."""

PUBLISHED = "published"
"""How the names of methods begin by which figures were published."""


def is_overall(estimate: Estimate) -> bool:
    """Whether it speaks of all answers of one subject."""
    return not {*PARTS, "versus"} & set(estimate.by)


def side_by_side(
    estimates: Sequence[Estimate], group: Group, notation: Notation = HALF_WIDTHS
) -> Table | None:
    """The overall figures of a group of measures: a row for each subject, a column for each measure.

    Parameters
    ----------
    estimates : sequence of Estimate
        Of a measure and subject, the first one counts.
    group : Group
    notation : Notation
        How figures are written.

    Returns
    -------
    Table or None
        Rows in the order of the first measure; None if there is no such figure.
    """
    chosen = [e for e in estimates if e.measure in group.measures and is_overall(e)]
    if not chosen:
        return None
    _, keys = subject_keys(chosen, "")
    cells = {(subject_of(e, keys), e.measure): e for e in reversed(chosen)}
    measures = [name for name in group.measures if any(name == measure for _, measure in cells)]

    def rank(subject: tuple[str, ...]) -> float:
        first = cells.get((subject, measures[0]))
        return math.inf if first is None else first.value if group.lowest_first else -first.value

    subjects = sorted(dict.fromkeys(subject_of(e, keys) for e in chosen), key=rank)
    styles = [measure_of(name) for name in measures]
    levels = dict.fromkeys(f"{e.level * 100:g} %" for e in chosen)
    methods = dict.fromkeys(plain(e.method) for e in chosen)
    return Table(
        f"{group.title} ({notation.legend.format('/'.join(levels))}), method “{'”, “'.join(methods)}”",
        (
            *map(heading, keys),
            *(f"{style.title} in %" if style.unit == " %" else style.title for style in styles),
        ),
        tuple(
            (
                *map(plain, subject),
                *(
                    notation.cell(cells[subject, name]) if (subject, name) in cells else ABSENT
                    for name in measures
                ),
            )
            for subject in subjects
        ),
        heads=len(keys),
        across="Measure",
    )


def group_tables(
    estimates: Sequence[Estimate], group: Group, notation: Notation = HALF_WIDTHS
) -> list[Table]:
    """The tables of a group of measures: one, and one for each published method."""
    published = dict.fromkeys(e.method for e in estimates if e.method.startswith(PUBLISHED))
    own = [e for e in estimates if e.method not in published]
    chosen = [own, *([e for e in estimates if e.method == method] for method in published)]
    tables = [side_by_side(each, group, notation) for each in chosen]
    return [table for table in tables if table is not None]


def shown_singly(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Those that no group of measures shows; comparisons of two models, and most figures of frames, are too many."""
    grouped = {name for group in GROUPS for name in group.measures}
    return [
        e
        for e in estimates
        if "versus" not in e.by
        and not (e.measure in grouped and is_overall(e))
        and not ("frame" in e.by and e.measure not in frame_words.BY_FRAME)
    ]


def brief_tables(estimates: Sequence[Estimate], notation: Notation = HALF_WIDTHS) -> list[Table]:
    """All tables for a terminal: groups of measures first, then one for each other measure and method."""
    brief = [e for e in estimates if not {e.measure, e.method, *e.by} & DETAILS]
    single = shown_singly(brief)
    return [
        *(table for group in GROUPS if not group.detail for table in group_tables(brief, group, notation)),
        *(pivot(single, measure, method, notation) for measure, method in kinds(single)),
    ]
