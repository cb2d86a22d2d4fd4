"""Estimates as tables: a row for each model, a column for each part or measure, every figure with its uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import (
    ABSENT,
    ENDS,
    HALF_WIDTHS,
    Group,
    Measure,
    Notation,
    is_lopsided,
    level,
)
from probsense.show.text import heading, plain, wrapped
from probsense.show.words import Table, Texts, Words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


K = TypeVar("K")

Subject: TypeAlias = tuple[str, ...]
"""What was measured: the model, after the values of the keys that tell subjects apart."""
OVERALL = "Overall"
CHANCE, SHORTCUT_CEILING = "Chance", "Shortcut ceiling"
REFERENCES: Final = {CHANCE: "chance", SHORTCUT_CEILING: "shortcut_ceiling"}
"""The rows of what estimates are compared with, and what each estimate calls it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The estimates of one measure and method by subject and part.

    Attributes
    ----------
    subject_keys : tuple of str
        Keys of ``by`` that tell subjects apart; the last one is "model".
    subjects : tuple of tuple of str
        What was measured: the values of these keys.
    part : str
        The key of ``by`` that names the parts.
    parts : tuple of str
        Its values; "" is overall.
    cells : dict
        Estimates by subject and part.
    """

    subject_keys: Texts
    subjects: tuple[Subject, ...]
    part: str
    parts: Texts
    cells: dict[tuple[Subject, str], Estimate]

    def names(self) -> dict[Subject, str]:
        """Name each subject in print: by the model, and by what else tells it from the others."""
        return {subject: plain(" · ".join((subject[-1], *subject[:-1]))) for subject in self.subjects}


def grid(estimates: Iterable[Estimate], measure: str, method: str, words: Words) -> Grid:
    """Arrange the estimates of one measure and method.

    A subject is what all of them tell of themselves: the model, and the prompting and any other key where it varies.
    Estimates of less than a part (one size of a problem, …) are left out. Parts keep their order; the overall estimate
    comes first.
    """
    chosen = [e for e in estimates if e.measure == measure and e.method == method]
    part = next((key for key in words.parts if any(key in e.by for e in chosen)), words.parts[0])
    common, keys = subject_keys(chosen, part)
    cells = {
        (subject_of(e, keys), str(e.by.get(part, ""))): e for e in chosen if set(e.by) <= common | {part}
    }
    parts = dict.fromkeys(name for _, name in cells)
    subjects = tuple(dict.fromkeys(subject for subject, _ in cells))
    return Grid(keys, subjects, part, tuple(sorted(parts, key=bool)), cells)


def subject_keys(chosen: Sequence[Estimate], part: str) -> tuple[set[str], Texts]:
    """Find the keys that all estimates have, and those of them that tell subjects apart."""
    common = set.intersection(*(set(e.by) for e in chosen)) - {part} if chosen else set()
    keys = [
        key for key in dict.fromkeys(key for e in chosen for key in e.by) if key in common and key != "model"
    ]
    return common, (*(key for key in keys if len({str(e.by[key]) for e in chosen}) > 1), "model")


def subject_of(estimate: Estimate, keys: Sequence[str]) -> Subject:
    """Name what an estimate describes, by some of its keys."""
    return tuple(str(estimate.by.get(key, "")) for key in keys)


def kinds(estimates: Iterable[Estimate]) -> list[tuple[str, str]]:
    """List the (measure, method) pairs: those of the first method first, then accuracy, else in their order."""
    pairs = list(dict.fromkeys((e.measure, e.method) for e in estimates))
    return sorted(pairs, key=lambda pair: (pair[1] != pairs[0][1], pair[0] != "accuracy"))


def pivot(
    estimates: Iterable[Estimate], measure: str, method: str, words: Words, notation: Notation = HALF_WIDTHS
) -> Table:
    """Make the table of one measure and method.

    Parameters
    ----------
    estimates : iterable of Estimate
    measure, method : str
        Which of them.
    words : Words
        Those of the task.
    notation : Notation
        How estimates are written; half-widths only where every interval of the table is symmetric.

    Returns
    -------
    Table
        One row for each model (and prompting, if there are several); the overall estimate first, then the parts in
        their order. Rows at the end hold what guessing gets and what shortcuts reach, where that is known.
    """
    arranged = grid(estimates, measure, method, words)
    style, cells = words.measure(measure), arranged.cells
    written, legend = write_cells({where: (e, style) for where, e in cells.items()}, notation)
    of_parts = [(style, [e for (_, other), e in cells.items() if other == part]) for part in arranged.parts]
    unnamed = ("",) * (len(arranged.subject_keys) - 1)
    footing = [(*unnamed, *row) for row in reference_rows(of_parts)]
    return Table(
        f"{style.heading} ({legend}), method “{plain(method)}”",
        (*map(heading, arranged.subject_keys), *(plain(part) or OVERALL for part in arranged.parts)),
        (*_rows(arranged.subjects, arranged.parts, written), *footing),
        heads=len(arranged.subject_keys),
        across=heading(arranged.part),
        footing=len(footing),
    )


def write_cells(
    cells: Mapping[K, tuple[Estimate, Measure]], notation: Notation
) -> tuple[Mapping[K, str], str]:
    """Write the cells of a table, and say for its title how.

    Half-widths give way to ends if they would mislead in any cell.
    """
    if notation == HALF_WIDTHS and any(is_lopsided(*each) for each in cells.values()):
        notation = ENDS
    levels = dict.fromkeys(level(estimate) for estimate, _ in cells.values())
    written = {where: notation.cell(*each) for where, each in cells.items()}
    return written, notation.legend.format("/".join(levels) or "?")


def reference_rows(columns: Sequence[tuple[Measure, Sequence[Estimate]]]) -> list[Texts]:
    """Make the rows of what the estimates of each column are compared with, as far as it is known.

    A cell holds a value, or from where to where it goes among the estimates.
    """
    rows = {
        title: [_span(style, [getattr(e, name) for e in own]) for style, own in columns]
        for title, name in REFERENCES.items()
    }
    return [(title, *cells) for title, cells in rows.items() if {*cells} - {ABSENT}]


def _span(style: Measure, values: Iterable[float]) -> str:
    known = sorted({style.number(value) for value in values if isfinite(value)}, key=float)
    return f"{known[0]} to {known[-1]}" if known[1:] else "".join(known) or ABSENT


def _rows(
    subjects: Sequence[Subject], columns: Sequence[str], written: Mapping[tuple[Subject, str], str]
) -> tuple[Texts, ...]:
    """Arrange a row for each subject with its cells, and a dash where there is none."""
    return tuple(
        (*map(plain, subject), *(written.get((subject, column), ABSENT) for column in columns))
        for subject in subjects
    )


def transpose(table: Table) -> Table:
    """Swap rows and columns: parts become rows, models columns."""
    names = tuple(" · ".join(filter(None, reversed(row[: table.heads]))) for row in table.rows)
    figures = zip(*(row[table.heads :] for row in table.rows), strict=True)
    parts = table.columns[table.heads :]
    return Table(
        table.title,
        (table.across, *names),
        tuple((part, *cells) for part, cells in zip(parts, figures, strict=True)),
    )


def print_tables(console: Console, tables: Sequence[Table]) -> None:
    """Print tables so that nothing is cut off, whatever the width of the console.

    A table that is too wide is turned round, or else printed in as few blocks of columns as possible.
    """
    from rich.text import Text

    for table in tables:
        shape = min((table, transpose(table)), key=lambda shape: len(_blocks(shape, console.width)))
        console.print(Text(wrapped(table.title, console.width), style="bold"))
        for block in _blocks(shape, console.width):
            console.print(_rich(shape, block, console.width))
            console.print()


_GAP = 3
"""Blanks between columns, as :func:`_rich` makes them."""


def _widths(table: Table, width: int) -> list[int]:
    """Width of each column. A name takes a third of the console at most, a text half of it; longer ones are folded."""
    from rich.cells import cell_len

    columns = enumerate(zip(table.columns, *table.rows, strict=True))
    first_text = len(table.columns) - table.texts
    return [
        min(max(map(cell_len, column)), max(width // (3 if i < first_text else 2), 1))
        for i, column in columns
    ]


def _blocks(table: Table, width: int) -> list[list[int]]:
    """Split the columns so that each block fits; those with the names of the rows come with every block."""
    widths, heads = _widths(table, width), [*range(table.heads)]
    blocks = [heads]
    for i in range(table.heads, len(table.columns)):
        if blocks[-1] != heads and sum(widths[j] + _GAP for j in (*blocks[-1], i)) - _GAP > width:
            blocks.append(heads)
        blocks[-1] = [*blocks[-1], i]
    return blocks


def fits(table: Table, width: int) -> bool:
    """Whether a table fits a console without being turned round or split."""
    return len(_blocks(table, width)) == 1


def _rich(table: Table, block: Sequence[int], width: int) -> RichTable:
    """Make the table of a block of columns."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False)
    widths = _widths(table, width)
    for i in block:
        # The padding on the right counts as part of the column.
        side: Literal["left", "right"] = "left" if table.left[i] else "right"
        made.add_column(Text(table.columns[i]), justify=side, overflow="fold", max_width=widths[i])
    for row in table.rows:
        made.add_row(*(Text(row[i]) for i in block))
    return made


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

    def rank(subject: Subject) -> float:
        first = cells.get((subject, measures[0]))
        return words.measure(measures[0]).rank(first.value if first else nan)

    subjects = sorted(dict.fromkeys(subject_of(e, keys) for e in chosen), key=rank)
    methods = dict.fromkeys(plain(e.method) for e in chosen)
    shown = {where: (e, words.measure(e.measure)) for where, e in cells.items()}
    written, legend = write_cells(shown, notation)
    return Table(
        f"{group.title} ({legend}), method “{'”, “'.join(methods)}”",
        (*map(heading, keys), *(words.measure(name).heading for name in measures)),
        _rows(subjects, measures, written),
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
