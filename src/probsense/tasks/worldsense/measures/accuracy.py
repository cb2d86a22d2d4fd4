"""Accuracy and bias of answers to WorldSense trials, from the few rows of :mod:`measures.scores`.

Every method makes estimates overall (no "problem" in ``by``), by problem, and by problem and size. Section numbers are
those of the WorldSense specification.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import polars as pl

from probsense.analysis.inference import means
from probsense.analysis.inference.estimate import Estimate, t_p_value, t_quantile
from probsense.tasks.worldsense.measures import scores
from probsense.tasks.worldsense.measures.shortcuts import NO_CEILINGS
from probsense.tasks.worldsense.questions.format import (
    FORM,
    MODELS,
    PROBLEMS,
    PROMPTINGS,
    in_order,
)

CONF95 = 1.96
"""The half width of the published intervals in standard errors (section 2.5)."""

METHODS: Mapping[str, tuple[str, str, str]] = {
    "published": ("stratified", means.OVER_SETTINGS, means.OVER_FORMS),
    "corrected": ("corrected", f"corrected {means.OVER_SETTINGS}", f"corrected {means.OVER_FORMS}"),
    "twins": ("stratified", means.OVER_SETTINGS, means.OVER_FORMS),
}
"""By what answers are judged, the methods whose intervals are over questions, over skins, and over skins and forms."""

_HALF_BY_CHANCE = (("accuracy", "published"), ("accuracy", "stratified"), ("twin_accuracy", "stratified"))
"""With the weights of answers, guessing and every constant answer score one half by the published golds. Shortcut
ceilings are known of the same figures."""


def estimates(frame: pl.DataFrame, ceilings: pl.DataFrame = NO_CEILINGS) -> list[Estimate]:
    """Return every figure of :func:`by_method`, the stratified ones first: their intervals are those to believe."""
    found = by_method(scores.cell_means(frame, ceilings), scores.form_means(frame))
    return sorted(found, key=lambda estimate: estimate.method != "stratified")


def by_method(table: pl.DataFrame, forms: pl.DataFrame) -> list[Estimate]:
    """Estimate every figure by every method: published, stratified, corrected where it applies; the latter two also
    over skins, and over skins and forms, where there are enough of them; the same for twins, if there are any; by skin;
    and by depth.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cell_means`.
    forms : DataFrame
        As from :func:`form_means`.
    """
    found = published(table)
    for judge in METHODS:
        over_questions = stratified(table, judge)
        found += over_questions + over_drawn(forms, over_questions, judge)
    return found + by_skin(table) + by_depth(table)


def published(table: pl.DataFrame) -> list[Estimate]:
    """Estimate accuracy and bias as the benchmark's authors do (section 2), but each prompting apart (Q1).

    Cells are averaged over sizes, then over problems, every cell cut to the size of the smallest. ``n`` counts the
    tuples left, and the variance is the total one, which includes the variance between cells. A cell with a single
    tuple leaves the interval unknown (Q5).

    Parameters
    ----------
    table : DataFrame
        As from :func:`cell_means`.
    """
    m, v = pl.col("value"), pl.col("v")
    judged = _judged(table, "published").filter(pl.col("measure") != "strict_accuracy")
    start = judged.with_columns(v="variance", n="tuples")
    step = [
        m.mean(),
        (v + (m - m.mean()) ** 2).mean(),  # Of the reference, q - m'^2, but rounding can make that negative.
        pl.col("n").min() * pl.len(),
    ]
    error = {"stderr": (v / pl.col("n")).sqrt(), "freedom": pl.lit(None, pl.Float64)}
    return _by_level(start, step, error, "published")


def stratified(table: pl.DataFrame, judge: str = "published") -> list[Estimate]:
    """Estimate means over problems of means over sizes, with stratified errors (Q9).

    The standard error is sqrt(sum_p sum_s v_ps / n_ps / S_p^2) / P: cells are fixed, tuples are drawn within
    them. ``n`` counts trials. The interval takes Student's t with Satterthwaite's degrees of freedom, as
    :func:`probsense.analysis.inference.means.stratified_mean` does; where all tuples are right, or none is, it has no
    width (:func:`probsense.analysis.inference.bounded.bounded` gives it one).

    Parameters
    ----------
    table : DataFrame
        As from :func:`cell_means`.
    judge : {"published", "corrected", "twins"}
        "published" gives accuracy, bias and strict accuracy. "corrected" gives accuracy and strict accuracy by
        corrected golds (Q12), if there are any; a trial keeps the weight of its published gold, so that the weights of
        a tuple still sum to 1. "twins" gives the accuracy on twins, and that on their trials less it: every tuple has a
        difference of its own, and p-values are by Student's t, with the error and the degrees of freedom of the
        interval.
    """
    return _stratified(_judged(table, judge), METHODS[judge][0])


def over_drawn(rows: pl.DataFrame, estimates: Sequence[Estimate], judge: str) -> list[Estimate]:
    """Give estimates intervals over questions and skins, and further ones over these and forms.

    Skins are settings drawn by chance, in which a problem of a size can be harder or easier in one wording or both: the
    error is that of :func:`probsense.analysis.inference.means.settings_error`. The two wordings themselves are fixed.
    Forms are drawn by chance, too, and crossed with skins (:func:`probsense.analysis.inference.means.crossed_error`).
    They are of fixed kinds, by their right answers: a tuple has one of each, so a model that leans towards an answer is
    not uncertain for that.

    Parameters
    ----------
    rows : DataFrame
        As from :func:`form_means`.
    estimates : sequence of Estimate
        Those with intervals over questions.
    judge : {"published", "corrected", "twins"}
        What they are judged by, as in the rows.

    Returns
    -------
    list of Estimate
        Those over skins, then those over forms, too; without the figures of fewer than
        :data:`~probsense.analysis.inference.means.ENOUGH` skins or forms in all, those that have a problem and size in
        a single one, and those with a trial of which the skin or the form is unknown.
    """
    cells = rows.filter(judge=judge).with_columns(stratum=pl.concat_str("problem", "size", separator=" "))
    groups = cells.partition_by("measure", *scores.WHO, as_dict=True)
    found: list[Estimate] = []
    for estimate in estimates:
        own = groups.get((estimate.measure, *(estimate.by[key] for key in scores.WHO)), cells.clear())
        for key in {"problem", "size"} & set(estimate.by):
            own = own.filter(pl.col(key) == estimate.by[key])
        sizes = own.select("stratum", "problem").unique()
        shares = dict(sizes.select("stratum", 1 / pl.len().over("problem")).iter_rows())
        told = (own["mean"], own["weight"], own["stratum"], own["skin"])
        for drawn, method in zip(("skin", FORM), METHODS[judge][1:], strict=True):
            if own[drawn].null_count() or own[drawn].n_unique() < means.ENOUGH:
                break
            if drawn == "skin":
                error = means.settings_error(*told, shares)
            else:
                error = means.crossed_error(*told, own[FORM].rank("dense"), shares, own["gold"])
            if math.isnan(error.variance):
                break
            estimate = means.over_settings(estimate, error, method)
            found.append(estimate)
    return sorted(found, key=lambda one: METHODS[judge].index(one.method))


def by_skin(table: pl.DataFrame) -> list[Estimate]:
    """Estimate the overall figures of :func:`stratified` for the tuples of each skin, where there are several.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cell_means`.
    """
    overall = (e for e in _apart(table, "skin", *_LEVELS) if "problem" not in e.by)
    return sorted(overall, key=lambda e: str(e.by["skin"]))


def by_depth(table: pl.DataFrame) -> list[Estimate]:
    """Estimate the figures of :func:`stratified` for each depth of inference of a problem, where it has several.

    The figures are by problem and depth, as means over the sizes that have the depth, and by problem, size and depth.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cell_means`.
    """
    several = pl.col("depth").drop_nulls().n_unique().over("problem") > 1
    return _apart(table.filter(several), "depth", *_LEVELS[:2])


def _apart(table: pl.DataFrame, column: str, *levels: tuple[str, ...]) -> list[Estimate]:
    """Estimate figures of :func:`stratified` for each value of a column that divides cells."""
    known = table.filter(pl.col(column).is_not_null(), judge="published").rename({"mean": "value"})
    return _stratified(known, "stratified", [(*level, column) for level in levels])


def _judged(table: pl.DataFrame, judge: str) -> pl.DataFrame:
    whole = pl.all_horizontal(pl.col(column).is_null() for column in scores.FURTHER)
    return table.filter(whole, judge=judge).rename({"mean": "value"})


_Levels: TypeAlias = Sequence[tuple[str, ...]]
_LEVELS: _Levels = (("problem", "size"), ("problem",), ())


def _stratified(table: pl.DataFrame, method: str, levels: _Levels = _LEVELS) -> list[Estimate]:
    e2, tuples = pl.col("variance") / pl.col("tuples"), pl.col("tuples")
    start = table.with_columns(n="trials", e2=e2, e4=e2**2 / (tuples - 1))
    # The squared error of the mean of k independent figures, and the terms of its degrees of freedom.
    step = [
        pl.col("value").mean(),
        pl.col("e2").sum() / pl.len() ** 2,
        pl.col("e4").sum() / pl.len() ** 4,
        pl.col("n").sum(),
    ]
    error = {"stderr": pl.col("e2").sqrt(), "freedom": pl.col("e2") ** 2 / pl.col("e4")}
    return _by_level(start, step, error, method, levels)


def _by_level(
    table: pl.DataFrame,
    step: Sequence[pl.Expr],
    error: Mapping[str, pl.Expr],
    method: str,
    levels: _Levels = _LEVELS,
) -> list[Estimate]:
    """Estimate at every level, the finest first; ``step`` averages from each to the next: over sizes, then problems.

    So does a responder that counts: its error is that of independent figures.
    """
    found: list[Estimate] = []
    shortcut = [pl.col("ceiling").mean(), (pl.col("ceiling_stderr") ** 2).sum().sqrt() / pl.len()]
    for level in levels:
        if level != levels[0]:
            groups = table.group_by("measure", *scores.WHO, *level, maintain_order=True)
            table = groups.agg(*step, *shortcut, pl.col("tuples").sum())
        found = _rows(table.with_columns(**error), level, method) + found
    return found


def _rows(table: pl.DataFrame, level: Sequence[str], method: str) -> list[Estimate]:
    ranks = {
        "measure": scores.MEASURES,
        "prompting": in_order(table["prompting"], PROMPTINGS),
        "model": in_order(table["model"], MODELS),
        "problem": [*PROBLEMS],
    }
    rows = sorted(
        table.iter_rows(named=True),
        key=lambda row: [
            ranks[c].index(row[c]) if c in ranks else row[c] for c in ("measure", *scores.WHO, *level)
        ],
    )
    found = []
    for row in rows:
        measure, value, stderr, freedom = (row[name] for name in ("measure", "value", "stderr", "freedom"))
        half = (CONF95 if freedom is None else t_quantile(freedom, 0.95)) * stderr if stderr else 0.0
        tested = stderr and measure == "twin_difference"
        p = float(t_p_value(value / stderr, freedom)) if tested else math.nan
        judged = (measure, method) in _HALF_BY_CHANCE
        found.append(
            Estimate(
                measure=measure,
                by={c: row[c] for c in ("model", "prompting", *level)},
                value=value,
                stderr=stderr,
                low=value - half,
                high=value + half,
                level=0.95,
                n=row["n"],
                clusters=row["tuples"],
                method=method,
                chance=0.5 if judged else math.nan,
                shortcut_ceiling=row["ceiling"] if judged else math.nan,
                shortcut_stderr=row["ceiling_stderr"] if judged else math.nan,
                p=p,
                no_interval="too few questions" if math.isnan(half) and row["tuples"] > 1 else "",
            )
        )
    return found
