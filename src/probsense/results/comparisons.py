"""Comparisons of models: the scores of a run on which they rest, and their tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from probsense.analysis.comparison.compare import Comparison
from probsense.analysis.comparison.differences import Change, Difference, Ranked
from probsense.analysis.comparison.items import PEOPLE, Items
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.runs.run import Run
from probsense.show.measure import ABSENT, HALF_WIDTHS, PERCENT, Measure, Notation, p_value
from probsense.show.tables import reference_rows, write_cells
from probsense.show.text import plain, shorten
from probsense.show.words import Table, Words
from probsense.tasks.base import Answered, Task
from probsense.tasks.registry import words_named


def run_scores(run: Run) -> Scores:
    """Return the scores of a run: those that its task gives each item, or the numbers in its table.

    Parameters
    ----------
    run : Run

    Raises
    ------
    InputError
        If the run has no scores for single items.
    """
    covered = run.covered
    missing = (
        (f"{covered['failed']:,} of {covered['asked']:,} items have no answer",) if covered["failed"] else ()
    )
    return named_scores(
        run.task, run.answered, f"run {run.record.label}", nothing=f"the run {run.id}", notes=missing
    )


def named_scores(
    task: Task, answered: Answered, source: str, *, nothing: str, notes: tuple[str, ...] = ()
) -> Scores:
    """Return the scores of answers under the name of their model.

    Parameters
    ----------
    task : Task
    answered : Answered
    source : str
        Where the answers are from.
    nothing : str
        What an error says has no scores.
    notes : tuple of str
        What to note besides.

    Raises
    ------
    InputError
        If there are no scores for single items.
    """
    items, scores, own, references, people = task.item_scores(answered)
    scores = scores.select(name for name in scores.columns if scores[name].count())
    if not scores.width:
        raise InputError(f"{nothing} of {task.name} has no scores for single items")
    return Scores(
        answered.model,
        answered.method,
        source,
        task.name,
        items,
        scores,
        (*own, *notes),
        references,
        people=people,
    )


PAIRS = 3
"""Pairs of models up to which parts and changed items are shown: more would fill the terminal; the JSON has them."""
TEXT = 60
SHOWN = 10
"""Items of a kind that a terminal shows; JSON and files have all."""


def comparison_tables(found: Comparison, notation: Notation = HALF_WIDTHS) -> list[Table]:
    """Make all tables of a comparison.

    Parameters
    ----------
    found : Comparison
    notation : Notation
        How estimates are written; half-widths only where every interval of the table is symmetric.
    """
    tables, words = [], words_named(found.task)
    few = len(found.differences) <= PAIRS * len(found.measures)
    for measure in found.measures:
        levels = [one for one in found.levels if one.measure == measure]
        ranks = {one.model: one for one in found.ranking if one.measure == measure}
        apart = f"{measure}_difference"
        tables.append(_levels(levels, ranks, words, notation))
        tables.append(
            _differences([d for d in found.differences if d.estimate.measure == apart], words, notation)
        )
        parts = [d for d in found.by_part if d.estimate.measure == apart]
        tables += [_differences(parts, words, notation)] if few and parts else []
    pairs = dict.fromkeys((one.model, one.versus) for one in found.changes) if few else ()
    return [
        *tables,
        *(
            _changed([one for one in found.changes if (one.model, one.versus) == pair], words)
            for pair in pairs
        ),
    ]


def _levels(levels: Sequence[Estimate], ranks: dict[str, Ranked], words: Words, notation: Notation) -> Table:
    """List each model's own estimate; if there are three or more, with its rank and its groups."""
    ranked = bool(ranks) and len(levels) > 2
    style = words.measure(levels[0].measure)
    order = sorted(levels, key=lambda e: ranks[str(e.by["model"])].rank) if ranks else levels
    written, legend = write_cells({str(e.by["model"]): (e, style) for e in order}, notation)
    rows = [
        (plain(name), cell, *((_rank(ranks[name]), group_letters(ranks[name].groups)) if ranked else ()))
        for name, cell in written.items()
    ]
    rows += [(*row, *(("", "") if ranked else ())) for row in reference_rows([(style, levels)])]
    first = levels[0]
    settings = max(one.settings for one in levels)
    told = f" and {settings:,} settings" if settings else ""
    clusters = max(one.clusters for one in levels)  # Where people are fewer, their number stands for it.
    return Table(
        f"{style.heading} on the same {first.n:,} items in {clusters:,} clusters{told}"
        f" ({legend}), {_methods(levels)}",
        ("Model", style.heading, *(("Rank (95 % interval)", "Group") if ranked else ())),
        tuple(rows),
    )


def _differences(found: Sequence[Difference], words: Words, notation: Notation) -> Table:
    """List the differences of two models each, with their tests."""
    first = found[0].estimate
    style = words.difference(first.measure.removesuffix("_difference"))
    written, legend = write_cells({i: (one.estimate, style) for i, one in enumerate(found)}, notation)
    columns = {"Difference": [*written.values()], **_columns(found, style)}
    part = "part" in first.by
    # By part there are many rows, and what they are read for comes first.
    shown = ("Difference", "p", "p (Holm)", "p (BH)", "Detectable") if part else tuple(columns)
    chosen = {name: columns[name] for name in shown if name in columns}
    names = {"Part": [plain(one.estimate.by["part"]) for one in found]} if part else {}
    names["Models"] = [
        f"{plain(one.estimate.by['model'])} − {plain(one.estimate.by['versus'])}" for one in found
    ]
    unit = " in points" if style.unit == PERCENT else ""
    return Table.of(
        f"{style.title}, paired differences{' by part' if part else ''}{unit}"
        f" ({legend}), {_methods(one.estimate for one in found)}",
        names | chosen,
        len(names),
        across="Quantity",
    )


def _columns(found: Sequence[Difference], style: Measure) -> dict[str, list[str]]:
    """Make the columns of tests: adjusted p-values if there are several, and tests that apply."""
    adjusted = {"p (Holm)": "p_holm", "p (BH)": "p_bh"} if found[1:] else {}
    tests = {"p": "p", **adjusted, "p (signs)": "p_permutation", "p (McNemar)": "p_mcnemar"}
    found_by = {title: [getattr(one, name) for one in found] for title, name in tests.items()}
    return {
        title: [*map(p_value, values)]
        for title, values in found_by.items()
        if title == "p" or not all(map(math.isnan, values))
    } | {
        "Effect d_z": ["?" if math.isnan(one.effect) else f"{one.effect:z.2f}" for one in found],
        "Detectable": [style.number(one.detectable) for one in found],
        "Higher / lower / equal": [f"{one.higher:,} / {one.lower:,} / {one.equal:,}" for one in found],
    }


def _methods(estimates: Iterable[Estimate]) -> str:
    names = dict.fromkeys(plain(one.method) for one in estimates)
    return f"method “{'”, “'.join(names)}”"


def _changed(changes: Sequence[Change], words: Words) -> Table:
    """List the items on which two models differ most, and what they answered; leave out empty columns."""
    first = changes[0]
    model, versus, style = plain(first.model), plain(first.versus), words.measure(first.measure)
    columns: dict[str, list[str | None]] = {
        "Item": [one.item for one in changes],
        "Part": [one.part for one in changes],
        "Right": [one.gold for one in changes],
        model: [one.labels[0] for one in changes],
        versus: [one.labels[1] for one in changes],
        style.title: [" → ".join(map(style.number, reversed(one.scores))) for one in changes],
        "Text": [one.text for one in changes],
    }
    known = {
        name: [ABSENT if cell is None else _in_a_line(cell) for cell in cells]
        for name, cells in columns.items()
        if any(cell is not None for cell in cells)
    }
    return Table.of(f"Items that changed most, from {versus} to {model}", known, across="Item", texts=1)


def _in_a_line(text: str) -> str:
    return shorten(plain(" ".join(text.split())), TEXT)


def items_tables(found: Items) -> list[Table]:
    """Make the table of an analysis of items: the first of them, whose labels may be wrong."""
    title = words_named(found.task).measure(found.measure).title
    of = f"{title}, {found.frame.height:,} items of {found.task}, {len(found.models)} models"
    rows = found.frame.head(SHOWN).to_dicts()
    columns = {
        "Item": [plain(row["item"]) for row in rows],
        "Right in %": [_item_cell(row["right"], 100, 0) for row in rows],
        "r with the rest": [_item_cell(row["rest_correlation"], 1, 2) for row in rows],
    }
    if PEOPLE in found.frame:
        columns["People in %"] = [_item_cell(row[PEOPLE], 100, 0) for row in rows]
    columns["Text"] = [_in_a_line(row["text"] or "") for row in rows]
    return [Table.of(f"{of}: lowest correlation with the other items first", columns, across="Item", texts=1)]


def _item_cell(value: float | None, scale: float, digits: int) -> str:
    return ABSENT if value is None else f"{scale * value:z.{digits}f}"


def _rank(one: Ranked) -> str:
    return f"{one.rank:g} ({one.low:g}–{one.high:g})"


def group_letters(groups: Sequence[int]) -> str:
    """Name the groups of a model by letters, those beyond the 26th by numbers."""
    return " ".join(chr(ord("a") + group) if group < 26 else str(group + 1) for group in groups)
