"""Scores the answers to WorldSense trials, each by itself, and sums them up by problems and sizes.

The table of rows has one row per answered trial: model, prompting, key, tuple_id, problem, size, expected_len (the
number of trials of the tuple), skin, depth (of inference) and form (each null where it is not known), gold and resp
(null or "" for no valid answer). A key occurs once for a model and prompting. Where it has a further column, corrected
(the right response, null where that is the published gold), answers are judged by that too; with twin (the response to
the trial's twin, "" for no valid one, null where it is unknown), trials and twins are compared. Section numbers are
those of the WorldSense specification.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from probsense.analysis.comparison.scores import ItemScores, References
from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Item
from probsense.tasks.worldsense.measures.shortcuts import NO_CEILINGS
from probsense.tasks.worldsense.questions.format import FIRM, FORM, WEIGHTS
from probsense.tasks.worldsense.questions.trials import SCHEMA

if TYPE_CHECKING:
    from probsense.tasks.base import Answered

WHO = ("prompting", "model")

FURTHER: Mapping[str, pl.DataType] = {"skin": pl.String(), "depth": pl.Int64()}
"""What cells can be divided by beside problem and size, one at a time."""

_FOLD = {"TRUE": 0, "FALSE": 1, "POSSIBLE": 2, "IMPOSSIBLE": 3, "1": 4, "2": 4, "3": 5}
"""Responses with one number are taken for one (section 2.3)."""
_BIAS = {response: 1 if response in FIRM else -1 for response in _FOLD}


def _look_up(table: Mapping[str, int], response: pl.Expr) -> pl.Expr:
    """Look up a response; null for one that no question allows."""
    return response.replace_strict(table, default=None, return_dtype=pl.Int8)


def _hit(given: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Tell whether a response is taken for the right one."""
    return (_look_up(_FOLD, given) == _look_up(_FOLD, right)).fill_null(False)


_RESP = pl.col("resp")
_GOLD = pl.col("gold")
_RIGHT = pl.coalesce("corrected", "gold")
_TWIN = pl.col("twin")
_TWIN_HIT = pl.when(_TWIN.is_not_null()).then(_hit(_TWIN, _GOLD).cast(pl.Int8))

SCORES: Mapping[str, Mapping[str, pl.Expr]] = {
    "published": {
        "accuracy": _hit(_RESP, _GOLD),
        "bias": _look_up(_BIAS, _RESP).fill_null(0),
        "strict_accuracy": (_RESP == _GOLD).fill_null(False),
    },
    "corrected": {"accuracy": _hit(_RESP, _RIGHT), "strict_accuracy": (_RESP == _RIGHT).fill_null(False)},
    "twins": {"twin_accuracy": _TWIN_HIT, "twin_difference": _hit(_RESP, _GOLD).cast(pl.Int8) - _TWIN_HIT},
}
"""The scores of a trial's answer by every measure, null where it has none: judged by the published golds, by the
corrected ones, and with the answer to its twin."""

MEASURES = tuple(dict.fromkeys(measure for measures in SCORES.values() for measure in measures))
"""The measures in the order in which they are shown."""

_NEEDED = {"corrected": "corrected", "twins": "twin"}
"""The column without which there is nothing to judge by."""


def _whole_tuples(frame: pl.DataFrame) -> pl.DataFrame:
    """List the scores of trials by each judge and measure, without tuples that lack a trial or a score.

    Each has its weight in its tuple, which sums to 1.
    """
    cell = (*WHO, "tuple_id", "problem", "size", *FURTHER, FORM, "expected_len", "gold")
    known = frame.with_columns(weight=pl.col("gold").replace_strict(WEIGHTS))
    rows = [
        known.select(
            *cell, "weight", judge=pl.lit(judge), measure=pl.lit(measure), value=score.cast(pl.Float64)
        )
        for judge, measures in SCORES.items()
        for measure, score in measures.items()
        if _NEEDED.get(judge, "gold") in frame
    ]
    whole = pl.col("value").count() == pl.col("expected_len").first()
    return pl.concat(rows).filter(whole.over(*WHO, "tuple_id", "judge", "measure"))


_MEAN = (pl.col("value") * pl.col("weight")).sum() / pl.col("weight").sum()


def cell_means(frame: pl.DataFrame, ceilings: pl.DataFrame = NO_CEILINGS) -> pl.DataFrame:
    """Sum up the complete tuples of every prompting, model, problem and size.

    A tuple's accuracy is the weighted mean of its trials' accuracies (weight .25 for the golds "1" and "2", .5 for
    all others), with "1" and "2" taken for one response. Its bias is the weighted mean of the signs of the responses,
    0 for no valid one (section 2.3 and 2.4). Strict accuracy takes "1" and "2" for two (Q10).

    Parameters
    ----------
    frame : DataFrame
        The table described above.
    ceilings : DataFrame
        The shortcut ceilings of problems and sizes.

    Returns
    -------
    DataFrame
        model, prompting, problem, size, skin (null for all of them; each by itself where there are several), depth (the
        same), judge ("published" or "corrected" golds, or "twins", for tuples with all their twins), measure, mean and
        variance (of the measure over tuples, ddof 1, NaN for one tuple), tuples, trials; ceiling and ceiling_stderr (of
        problem and size; NaN where unknown, and for single depths).
    """
    tuples = (
        _whole_tuples(frame)
        .group_by(*WHO, "tuple_id", "judge", "measure", maintain_order=True)
        .agg(pl.col("problem", "size", *FURTHER).first(), trials=pl.len(), mean=_MEAN)
    )
    whole = tuples.with_columns(pl.lit(None, kind).alias(column) for column, kind in FURTHER.items())
    parts = [whole] + [
        whole.with_columns(tuples[column]).filter(pl.col(column).is_not_null())
        for column in FURTHER
        if tuples[column].drop_nulls().n_unique() > 1
    ]
    summed = pl.concat(parts).group_by(
        *WHO, "problem", "size", *FURTHER, "judge", "measure", maintain_order=True
    )
    # One value has no variance; NaN, unlike null, spreads to everything computed from it.
    means = summed.agg(
        pl.col("mean").mean(),
        pl.col("mean").var().fill_null(math.nan).alias("variance"),
        pl.len().alias("tuples"),
        pl.col("trials").sum(),
    )
    # A ceiling is that of all depths together.
    known = pl.when(pl.col("depth").is_null()).then(pl.col("ceiling", "ceiling_stderr"))
    named = ceilings.select("problem", "size", ceiling="value", ceiling_stderr="stderr")
    joined = means.join(named, on=["problem", "size"], how="left", maintain_order="left")
    return joined.with_columns(known.fill_null(math.nan))


def form_means(frame: pl.DataFrame) -> pl.DataFrame:
    """Sum up the trials of complete tuples by problem, size, skin, form and right answer.

    Parameters
    ----------
    frame : DataFrame
        The table described above.

    Returns
    -------
    DataFrame
        model, prompting, problem, size, skin, form, gold, judge, measure, mean and weight (the sum of the weights of
        its trials). Skin and form are null where they are unknown.
    """
    cell = (*WHO, "problem", "size", "skin", FORM, "gold", "judge", "measure")
    means = _whole_tuples(frame).group_by(*cell, maintain_order=True)
    return means.agg(_MEAN.alias("mean"), pl.col("weight").sum())


_SCORED = {name: SCORES["published"][name] for name in ("accuracy", "strict_accuracy", "bias")}
"""The scores of single trials, in their order."""
_CELL = ("problem", "size", "skin", "depth", FORM, "text")


def references(estimates: Iterable[Estimate]) -> dict[str, References]:
    """Take what accuracy is set against from its overall estimate."""
    return {
        e.measure: References(e.chance, e.shortcut_ceiling, e.shortcut_stderr)
        for e in estimates
        if (e.measure, e.method) == ("accuracy", "stratified") and e.by.keys() <= {"model", "prompting"}
    }


def trial_scores(frame: pl.DataFrame) -> ItemScores:
    """Turn trials into items: siblings of a tuple are a cluster, a problem is a part, its size within it a stratum, a
    skin a setting, and what is left of a question without its names a form.

    Tuples that are not complete are left out, as from all estimates of WorldSense, and counted in a note.

    Parameters
    ----------
    frame : DataFrame
        The table described above. It may also have the text of each trial, and p_gold, which is a score, too.

    Returns
    -------
    ItemScores
        Their mean is the estimate of the method "over forms", or else "over settings", or else "stratified".
    """
    whole = pl.len().over("tuple_id") == pl.col("expected_len")
    kept = frame.filter(whole)
    items = kept.select(
        "^text$",
        item=pl.col("key").cast(pl.String),
        cluster="tuple_id",
        part="problem",
        stratum=pl.concat_str("problem", "size", separator=" "),
        setting="skin",
        form=FORM,
        weight=pl.col("gold").replace_strict(WEIGHTS),
        gold="gold",
        label="resp",
    )
    broken = frame.height - kept.height
    notes = (f"{broken:,} trials belong to tuples that are not complete, and are left out",) if broken else ()
    return ItemScores(items, kept.with_columns(**_SCORED).select(*_SCORED, "^p_gold$"), notes)


def choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
    """Score people's answers to trials, with whether each is the right one as the probability of that.

    Answers have no scores where nobody answered another trial of the tuple.

    Parameters
    ----------
    items : sequence of Item
        One for each answer; a trial may come often.
    chosen : sequence of int
        The index of each answer among those that the trial allows.
    """
    rows = []
    for item, choice in zip(items, chosen, strict=True):
        allowed, cell = item.data["expected"], (item.data.get(key) for key in _CELL)
        rows.append((item.id, item.cluster, item.gold, allowed[choice], len(allowed), *cell))
    named = {**dict.fromkeys(("key", "tuple_id", "gold", "resp"), pl.String()), "expected_len": pl.Int64()}
    frame = pl.DataFrame(rows, schema={**named, **{name: SCHEMA[name] for name in _CELL}}, orient="row")
    once = trial_scores(frame.unique("key", keep="first", maintain_order=True))
    known = once.items.drop("label")
    answers = frame.select("resp", item="key").rename({"resp": "label"})
    whole = answers["item"].is_in(known["item"].to_list())
    scores = frame.select(
        pl.when(whole).then(score.cast(pl.Float64)).alias(name) for name, score in _SCORED.items()
    )
    return ItemScores(
        answers.join(known, on="item", how="left", maintain_order="left"),
        scores.with_columns(p_gold="strict_accuracy"),
        once.notes,
    )


def run_item_scores(answered: Answered) -> ItemScores:
    """Score the trials of a run, with their texts and the probability of the right answer."""
    assert answered.results.table is not None
    texts = {item.id: item.data["text"] for item in answered.items}
    table = answered.results.table.rename({"id": "key"}).drop("corrected")
    found = trial_scores(table.with_columns(text=pl.col("key").replace_strict(texts, return_dtype=pl.String)))
    return found._replace(references=references(answered.results.estimates))
