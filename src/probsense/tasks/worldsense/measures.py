"""Accuracy and bias of answers to WorldSense trials: pure functions from a tidy table to estimates.

The table has one row per answered trial: model, prompting, key, tuple_id, problem, size, expected_len (the
number of trials of the tuple), gold and resp (null or "" for no valid answer). A key occurs once for a model
and prompting. Where it has a further column, corrected (the right response, null where that is the published
gold), answers are judged by that too; with skin, each skin has figures of its own, and with depth (of inference, null
where it is not known), each depth has; with twin (the response to the trial's twin, "" for no valid one, null where it
is unknown), trials and twins are compared.

:func:`cells` does the work on rows: it drops tuples that are not complete and sums up the others by problem
and size. The methods make estimates of its few rows: overall (no "problem" in ``by``), by problem, and by
problem and size. Section numbers are those of the WorldSense specification.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_SETTINGS, over_settings, settings_error
from probsense.analysis.inference.proportions import Ends, wilson
from probsense.analysis.inference.quantiles import t_p_value, t_quantile
from probsense.tasks.worldsense.ceilings import Ceilings
from probsense.tasks.worldsense.order import models_in_order, problems_in_order, promptings_in_order

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

CONF95 = 1.96
"""The half width of the published intervals in standard errors (section 2.5)."""

CORRECTED_OVER_SETTINGS = "corrected over settings"
"""The method of corrected figures whose intervals speak for other skins, too."""

_WHO = ("prompting", "model")
_FURTHER: Mapping[str, pl.DataType] = {"skin": pl.String(), "depth": pl.Int64()}
"""What cells can be divided by beside problem and size, one at a time."""
_MEASURES = ("accuracy", "bias", "strict_accuracy")
_TWINS = ("twin_accuracy", "twin_difference")
_SIGNED = ("bias", "twin_difference")
_CHANCE = {
    ("accuracy", "published"): 0.5,
    ("accuracy", "stratified"): 0.5,
    ("twin_accuracy", "stratified"): 0.5,
}
"""With the weights of answers, guessing and every constant answer score one half by the published golds. Shortcut
ceilings are known of the same figures."""

# Section 2.3, by the place of a response in this list.
_RESPONSES = ("TRUE", "FALSE", "POSSIBLE", "IMPOSSIBLE", "1", "2", "3")
_FOLD = pl.Series([0, 1, 2, 3, 4, 4, 5], dtype=pl.Int8)
_BIAS = pl.Series([1, -1, 1, -1, 1, 1, -1], dtype=pl.Float64)
_WEIGHT = pl.Series([0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.5], dtype=pl.Float64)


def estimates(frame: pl.DataFrame, ceilings: Ceilings | None = None) -> list[Estimate]:
    """Return every figure of :func:`by_method`, the stratified ones first: their intervals are those to believe."""
    return sorted(by_method(cells(frame, ceilings)), key=lambda estimate: estimate.method != "stratified")


def by_method(table: pl.DataFrame) -> list[Estimate]:
    """Estimate every figure by every method: published, stratified, corrected where it applies; the latter two also
    over skins where there are enough of them; the same for twins, if there are any; by skin; and by depth.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    found = published(table)
    for judge, over_questions, method in (
        ("published", stratified(table), OVER_SETTINGS),
        ("corrected", corrected(table), CORRECTED_OVER_SETTINGS),
        ("twins", twins(table), OVER_SETTINGS),
    ):
        found += over_questions + over_skins(table, over_questions, judge, method)
    return found + by_skin(table) + by_depth(table)


def scored(frame: Frame) -> Frame:
    """Give each trial its weight in its tuple, and its answer a score by every measure.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        The table described above.

    Returns
    -------
    DataFrame or LazyFrame
        A row for each trial: model, prompting, tuple_id, problem, size, skin and depth (null where unknown),
        expected_len, weight (which sums to 1 in a complete tuple), and for every judge ("published" or "corrected"
        golds, or "twins") and measure a column "JUDGE MEASURE".
    """
    columns = frame.lazy().collect_schema().names()
    code = {c: _code(c) for c in ("gold", "resp", "corrected", "twin") if c in columns}
    cell = (*_WHO, "tuple_id", "problem", "size", *_FURTHER, "expected_len")
    known = frame.with_columns(
        pl.lit(None, kind).alias(c) for c, kind in _FURTHER.items() if c not in columns
    )
    paired = pl.col("twin").is_not_null() if "twin" in columns else pl.lit(False)
    coded, resp = known.select(*cell, paired=paired, **code), pl.col("resp")
    scores = {"published bias": _look_up(_BIAS, "resp").fill_null(0.0)}
    for judge, right in _judges(columns).items():
        hit = (_look_up(_FOLD, "resp") == _look_up(_FOLD, right)).fill_null(False)
        scores |= {f"{judge} accuracy": hit, f"{judge} strict_accuracy": (resp == right).fill_null(False)}
    if "twin" in code:
        twin = (_look_up(_FOLD, "twin") == _look_up(_FOLD, "gold")).fill_null(False).cast(pl.Int8)
        further = scores["published accuracy"].cast(pl.Int8) - twin
        values = zip(_TWINS, (twin, further), strict=True)
        scores |= {f"twins {name}": pl.when("paired").then(value) for name, value in values}
    return coded.select(*cell, weight=_look_up(_WEIGHT, "gold"), **scores)


def cells(frame: Frame, ceilings: Ceilings | None = None) -> pl.DataFrame:
    """Sum up the complete tuples of every prompting, model, problem and size.

    A tuple's accuracy is the weighted mean of its trials' accuracies (weight .25 for the golds "1" and "2", .5 for
    all others), with "1" and "2" taken for one response. Its bias is the weighted mean of the signs of the responses,
    0 for no valid one (section 2.3 and 2.4). Strict accuracy takes "1" and "2" for two (Q10).

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        The table described above. The rows of a LazyFrame are never in memory all at once, but its tuples are.
    ceilings : mapping, optional
        The shortcut ceilings of problems and sizes.

    Returns
    -------
    DataFrame
        model, prompting, problem, size, skin (null for all of them; each by itself where there are several), depth (the
        same), judge ("published" or "corrected" golds, or "twins", for tuples with all their twins), measure, mean and
        variance (of the measure over tuples, ddof 1, NaN for one tuple), tuples, trials; ceiling and ceiling_stderr (of
        problem and size; NaN where unknown, and for single depths).
    """
    rows = scored(frame.lazy())
    names = [name for name in rows.collect_schema().names() if " " in name]
    weight, streamed = pl.col("weight"), isinstance(frame, pl.LazyFrame)
    summed_up = (
        rows.with_columns(pl.col(names) * weight)
        .group_by(*_WHO, "tuple_id", maintain_order=not streamed)
        .agg(
            pl.col("problem", "size", *_FURTHER, "expected_len").first(),
            pl.len().cast(pl.Int64).alias("trials"),
            *(
                pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum() / weight.sum())
                for name in names
            ),
        )
        .filter(pl.col("trials") == pl.col("expected_len"))
    )
    tuples = summed_up.collect(engine="streaming" if streamed else "in-memory")
    if streamed:
        # The last digits of a sum depend on the order, and tuples come in any.
        tuples = tuples.sort(*_WHO, "tuple_id")
    whole = tuples.with_columns(pl.lit(None, kind).alias(column) for column, kind in _FURTHER.items())
    parts = [whole] + [
        whole.with_columns(tuples[column]).filter(pl.col(column).is_not_null())
        for column in _FURTHER
        if tuples[column].drop_nulls().n_unique() > 1
    ]
    summed = pl.concat(
        part.group_by(*_WHO, "problem", "size", *_FURTHER, maintain_order=True)
        .agg(
            pl.lit(name.split(" ")[0]).alias("judge"),
            pl.lit(name.split(" ")[1]).alias("measure"),
            pl.col(name).mean().alias("mean"),
            # One value has no variance; NaN, unlike null, spreads to everything computed from it.
            pl.col(name).var().fill_null(math.nan).alias("variance"),
            pl.col(name).count().cast(pl.Int64).alias("tuples"),
            pl.col("trials").filter(pl.col(name).is_not_null()).sum(),
        )
        .filter(pl.col("tuples") > 0)
        for part in parts
        for name in names
    )
    return summed.join(
        _ceilings(ceilings or {}), on=["problem", "size"], how="left", maintain_order="left"
    ).with_columns(
        # A ceiling is that of all depths together.
        pl.when(pl.col("depth").is_null()).then(pl.col("ceiling", "ceiling_stderr")).fill_null(math.nan)
    )


def _ceilings(ceilings: Ceilings) -> pl.DataFrame:
    known = [(*cell, score.value, score.stderr) for cell, score in ceilings.items()]
    schema = {"problem": pl.String, "size": pl.Int64, "ceiling": pl.Float64, "ceiling_stderr": pl.Float64}
    return pl.DataFrame(known, schema=schema, orient="row")


def _judges(columns: Collection[str]) -> Mapping[str, pl.Expr]:
    judges = {"published": pl.col("gold")}
    if "corrected" in columns:
        judges["corrected"] = pl.coalesce("corrected", "gold")
    return judges


def _code(column: str) -> pl.Expr:
    """Code a response as its place in the list of responses; null for anything else (only in answers)."""
    answers = column in ("resp", "twin")
    return pl.col(column).cast(pl.Enum(_RESPONSES), strict=not answers).to_physical()


def _look_up(table: pl.Series, code: pl.Expr | str) -> pl.Expr:
    places = (pl.col(code) if isinstance(code, str) else code).cast(pl.Int8)
    return places.replace_strict(range(len(table)), table, default=None, return_dtype=table.dtype)


def published(table: pl.DataFrame) -> list[Estimate]:
    """Estimate accuracy and bias as the benchmark's authors do (section 2), but each prompting apart (Q1).

    Cells are averaged over sizes, then over problems, every cell cut to the size of the smallest. ``n`` counts the
    tuples left, and the variance is the total one, which includes the variance between cells. A cell with a single
    tuple leaves the interval unknown (Q5).

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    m, v = pl.col("value"), pl.col("v")
    start = _judged(table, "published", ("accuracy", "bias")).with_columns(v="variance", n="tuples")
    # The reference has q - m'^2 here, which is this mean, but rounding can make it negative.
    step = [m.mean(), (v + (m - m.mean()) ** 2).mean(), pl.col("n").min() * pl.len().cast(pl.Int64)]
    return _by_level(start, step, (v / pl.col("n")).sqrt(), _normal_ends, "published")


def stratified(table: pl.DataFrame) -> list[Estimate]:
    """Estimate accuracy, bias and strict accuracy: means over problems of means over sizes, errors stratified (Q9).

    The standard error is sqrt(sum_p sum_s v_ps / n_ps / S_p^2) / P: cells are fixed, tuples are drawn within
    them. ``n`` counts trials. The interval takes Student's t with Satterthwaite's degrees of freedom, as
    :func:`probsense.analysis.inference.means.stratified_mean` does; where all tuples are right, or none is, it is
    Wilson's, with every tuple as one observation.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    return _stratified(_judged(table, "published", _MEASURES), "stratified")


def corrected(table: pl.DataFrame) -> list[Estimate]:
    """Estimate accuracy and strict accuracy as :func:`stratified` does, judged by corrected golds (Q12).

    A trial keeps the weight of its published gold, so that the weights of a tuple still sum to 1. Without corrected
    golds there are no such figures.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    return _stratified(_judged(table, "corrected", _MEASURES), "corrected")


def twins(table: pl.DataFrame) -> list[Estimate]:
    """Estimate the accuracy on twins, and that on their trials less it, as :func:`stratified` does.

    The differences are paired: every tuple has one of its own. Their p-values are by Student's t, with the error and
    the degrees of freedom of the interval.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    return _stratified(_judged(table, "twins", _TWINS), "stratified")


def over_skins(table: pl.DataFrame, estimates: Sequence[Estimate], judge: str, method: str) -> list[Estimate]:
    """Give estimates intervals over questions and skins.

    Skins are settings drawn by chance, in which a problem of a size can be harder or easier in one wording or both: the
    error is that of :func:`probsense.analysis.inference.means.settings_error`. The two wordings themselves are
    fixed.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    estimates : sequence of Estimate
        Those of :func:`stratified`, :func:`corrected` or :func:`twins`, with intervals over questions.
    judge : {"published", "corrected", "twins"}
        What they are judged by, as in the table.
    method : str
        The method of the results.

    Returns
    -------
    list of Estimate
        Without the figures of fewer than :data:`~probsense.analysis.inference.means.ENOUGH` skins, and those that
        have a problem and size in a single skin.
    """
    known = table.filter(pl.col("skin").is_not_null() & (pl.col("judge") == judge))
    keys = ("measure", *_WHO)
    rows = known.with_columns(stratum=pl.concat_str("problem", "size", separator=" "))
    groups = rows.partition_by(*keys, as_dict=True)
    found = []
    for estimate in estimates:
        group = groups.get((estimate.measure, *(estimate.by[key] for key in _WHO)))
        if group is None:
            continue
        own = group
        for key in {"problem", "size"} & set(estimate.by):
            own = own.filter(pl.col(key) == estimate.by[key])
        sizes = own.select("stratum", "problem").unique()
        shares = dict(sizes.select("stratum", 1 / pl.len().over("problem")).iter_rows())
        if own["skin"].n_unique() >= ENOUGH:
            error = settings_error(own["mean"], own["tuples"], own["stratum"], own["skin"], shares)
            if not math.isnan(error.variance):
                found.append(over_settings(estimate, error, method))
    return found


def by_skin(table: pl.DataFrame) -> list[Estimate]:
    """Estimate the overall figures of :func:`stratified` for the tuples of each skin, where there are several.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    return [
        replace(estimate, by={**estimate.by, "skin": skin})
        for skin in table["skin"].drop_nulls().unique().sort()
        for estimate in stratified(table.filter(pl.col("skin") == skin).with_columns(skin=None))
        if "problem" not in estimate.by
    ]


def by_depth(table: pl.DataFrame) -> list[Estimate]:
    """Estimate the figures of :func:`stratified` for each depth of inference of a problem, where it has several.

    The figures are by problem and depth, as means over the sizes that have the depth, and by problem, size and depth.

    Parameters
    ----------
    table : DataFrame
        As from :func:`cells`.
    """
    known = table.filter(pl.col("depth").is_not_null() & (pl.col("judge") == "published"))
    several = known.filter(pl.col("depth").n_unique().over("problem") > 1).rename({"mean": "value"})
    return _stratified(several, "stratified", (("problem", "size", "depth"), ("problem", "depth")))


def _judged(table: pl.DataFrame, judge: str, measures: Sequence[str]) -> pl.DataFrame:
    wanted = (pl.col("judge") == judge) & pl.col("measure").is_in(measures)
    wanted &= pl.all_horizontal(pl.col(column).is_null() for column in _FURTHER)
    return table.filter(wanted).rename({"mean": "value"})


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
    return _by_level(start, step, pl.col("e2").sqrt(), _student_ends, method, levels)


def _normal_ends(row: Mapping[str, Any]) -> Ends:
    half = CONF95 * row["stderr"]
    return Ends(row["value"] - half, row["value"] + half)


def _student_ends(row: Mapping[str, Any]) -> Ends:
    value, e2 = row["value"], row["e2"]
    if e2 == 0 and row["measure"] not in _SIGNED and value in (0, 1):
        return wilson(value, row["tuples"], z=t_quantile(row["tuples"] - 1, 0.95))
    half = t_quantile(e2**2 / row["e4"], 0.95) * row["stderr"] if e2 else 0.0
    return Ends(value - half, value + half)


def _p_value(row: Mapping[str, Any]) -> float:
    """Test a mean difference; NaN for other measures, and where differences do not vary or nothing is known of that."""
    if row["measure"] != "twin_difference" or not row["e2"] > 0:
        return math.nan
    return float(t_p_value(row["value"] / row["stderr"], row["e2"] ** 2 / row["e4"]))


def _by_level(
    table: pl.DataFrame,
    step: Sequence[pl.Expr],
    stderr: pl.Expr,
    ends: Callable[[Mapping[str, Any]], Ends],
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
            groups = table.group_by("measure", *_WHO, *level, maintain_order=True)
            table = groups.agg(*step, *shortcut, pl.col("tuples").sum())
        found = _rows(table.with_columns(stderr.alias("stderr")), level, ends, method) + found
    return found


def _rows(
    table: pl.DataFrame, level: Sequence[str], ends: Callable[[Mapping[str, Any]], Ends], method: str
) -> list[Estimate]:
    ranks = {
        "measure": [*_MEASURES, *_TWINS],
        "prompting": promptings_in_order(table["prompting"]),
        "model": models_in_order(table["model"]),
        "problem": problems_in_order(table["problem"]) if level else [],
    }
    rows = sorted(
        table.iter_rows(named=True),
        key=lambda row: [
            ranks[c].index(row[c]) if c in ranks else row[c] for c in ("measure", *_WHO, *level)
        ],
    )
    bounds = [ends(row) for row in rows]
    known = {measure for measure, by in _CHANCE if by == method}
    return [
        Estimate(
            measure=row["measure"],
            by={"model": row["model"], "prompting": row["prompting"], **{c: row[c] for c in level}},
            value=row["value"],
            stderr=row["stderr"],
            low=low,
            high=high,
            level=0.95,
            n=row["n"],
            clusters=row["tuples"],
            method=method,
            chance=_CHANCE.get((row["measure"], method), math.nan),
            shortcut_ceiling=row["ceiling"] if row["measure"] in known else math.nan,
            shortcut_stderr=row["ceiling_stderr"] if row["measure"] in known else math.nan,
            p=_p_value(row),
        )
        for row, (low, high) in zip(rows, bounds, strict=True)
    ]
