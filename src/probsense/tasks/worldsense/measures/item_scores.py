"""Scores single trials for comparisons: those of a run, and those of published results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from probsense.analysis.comparison.scores import ItemScores, References, Scores
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.worldsense.measures.accuracy import stratified
from probsense.tasks.worldsense.measures.ceilings import folder_ceilings
from probsense.tasks.worldsense.measures.cells import cell_means, scored
from probsense.tasks.worldsense.questions.format import FORM, TRIALS_FILES
from probsense.tasks.worldsense.questions.results import named_results, results_files, settle_files
from probsense.tasks.worldsense.questions.trials import SCHEMA, load_trials, trials_of

if TYPE_CHECKING:
    from probsense.tasks.base import Answered


_COLUMNS = ("accuracy", "strict_accuracy", "bias")
"""The columns of scores, in their order."""


_CELL = ("problem", "size", "skin", "depth", FORM)


def read_scores(path: Path) -> list[Scores]:
    """Read published results: one file, or all those of a test set.

    Parameters
    ----------
    path : Path
        ``PROMPTING___MODEL___results.jsonl``, in a test-set folder's ``results`` or in a folder below it; or the folder
        of the test set. Several files of one model and prompting are one.

    Raises
    ------
    InputError
        For a file that is beside no test set, and for whatever :mod:`probsense.tasks.worldsense` refuses.
    """
    if path.is_dir():
        folder, files = path, results_files(path)
    else:
        files = [named_results(path)]
        folder = next((parent for parent in path.absolute().parents if trials_of(parent)), path)
        if folder == path:
            raise InputError(
                "no test set above this file",
                path=path,
                expected=f"a folder with {' or '.join(TRIALS_FILES)}",
            )
    ceilings, found = folder_ceilings(folder), []
    for file, settled in sorted(settle_files(load_trials(folder), files), key=lambda one: one[0].path):
        items, scores, *_ = trial_scores(settled.frame)
        references = _references(stratified(cell_means(settled.frame, ceilings)))
        notes = (*settled.warnings, *settled.notes)
        who = (file.model, file.prompting, str(file.path), "worldsense")
        found.append(Scores(*who, items, scores, notes, references))
    return found


class ResultsReader:
    """Reads published results: a file beside its test set, or the test set's folder for all of them."""

    kind: ClassVar[str] = "WorldSense results (PROMPTING___MODEL___results.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Whether a path is a test set or a file of results."""
        return bool(trials_of(path)) if path.is_dir() else path.name.endswith("results.jsonl")

    read = staticmethod(read_scores)


def _references(estimates: Iterable[Estimate]) -> dict[str, References]:
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
        The table that :mod:`probsense.tasks.worldsense.measures.cells` describes.

    Returns
    -------
    ItemScores
        Their mean is the estimate of the method "over forms", or else "over settings", or else "stratified".
    """
    whole = pl.len().over("tuple_id") == pl.col("expected_len")
    kept = frame.filter(whole)
    rows, scores = scored(kept), [pl.col(f"published {name}").alias(name) for name in _COLUMNS]
    items = kept.select(
        item=pl.col("key").cast(pl.String),
        cluster="tuple_id",
        part="problem",
        stratum=pl.concat_str("problem", "size", separator=" "),
        setting="skin",
        form=FORM if FORM in kept.columns else pl.lit(None, pl.String),
        weight=rows["weight"],
        gold="gold",
        label="resp",
    )
    broken = frame.height - kept.height
    notes = (f"{broken:,} trials belong to tuples that are not complete, and are left out",) if broken else ()
    return ItemScores(items, rows.select(scores), notes)


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
        rows.append((item.id, item.cluster, *cell, len(allowed), item.gold, allowed[choice]))
    number, text = pl.Int64(), pl.String()
    schema = {"key": text, "tuple_id": text, **{name: SCHEMA[name] for name in _CELL}, "expected_len": number}
    frame = pl.DataFrame(rows, schema={**schema, "gold": text, "resp": text}, orient="row")
    once = trial_scores(frame.unique("key", keep="first", maintain_order=True))
    known = _with_texts(once.items, items).drop("label")
    answers = frame.select("resp", item="key").rename({"resp": "label"})
    whole = answers["item"].is_in(known["item"].to_list())
    scores = scored(frame).select(
        pl.when(whole).then(pl.col(f"published {name}").cast(pl.Float64)).alias(name) for name in _COLUMNS
    )
    return ItemScores(
        answers.join(known, on="item", how="left", maintain_order="left"),
        scores.with_columns(p_gold="strict_accuracy"),
        once.notes,
    )


def run_item_scores(answered: Answered) -> ItemScores:
    """Score the trials of a run, with their texts and the probability of the right answer."""
    assert answered.results.table is not None
    items, scores, notes, *_ = trial_scores(answered.results.table.rename({"id": "key"}).drop("corrected"))
    p_gold = answered.results.table.select("p_gold", item="id")
    return ItemScores(
        _with_texts(items, answered.items),
        scores.with_columns(items.join(p_gold, on="item", how="left", maintain_order="left")["p_gold"]),
        notes,
        _references(answered.results.estimates),
    )


def _with_texts(known: pl.DataFrame, items: Sequence[Item]) -> pl.DataFrame:
    """Add the texts of the trials."""
    texts = {item.id: item.data["text"] for item in items}
    named = pl.DataFrame({"item": list(texts), "text": list(texts.values())})
    return known.join(named, on="item", how="left", maintain_order="left")
