"""The words of WorldSense: whom intervals speak for, which answers count, and the opening sentences of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from probsense.analysis.distributions import option_views as views
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_FORMS, OVER_SETTINGS
from probsense.core.records import Json
from probsense.show.key_results import accuracy_results
from probsense.show.measure import KeyResults
from probsense.show.words import Words, read_words
from probsense.tasks.results import Results
from probsense.tasks.worldsense.questions.results import MANY

WHOM: Final = {
    OVER_FORMS: "other forms of questions in other skins, too",
    OVER_SETTINGS: "other questions in other skins, too",
    "stratified": "other questions in the same skins only, since it takes at least"
    f" {ENOUGH} skins to speak for others, and several for each problem and size",
}
"""What intervals speak for, by their method, the widest first."""


def widest(found: Sequence[Estimate]) -> str:
    """Name the method whose overall intervals speak for most, among those that every figure over questions has."""
    every = _overall(found, "stratified")
    return next(method for method in WHOM if _overall(found, method) == every)


def _overall(found: Sequence[Estimate], method: str) -> set[tuple[Json, Json, Json]]:
    """List the overall figures of a method: measure, model and prompting."""
    return {
        (e.measure, e.by.get("model"), e.by.get("prompting"))
        for e in found
        if e.method == method and not {"problem", "skin"} & set(e.by)
    }


def figure_notes(found: Sequence[Estimate]) -> list[str]:
    """Note where intervals do not speak for other skins."""
    return [f"intervals speak for {WHOM['stratified']}"] if widest(found) == "stratified" else []


def run_results(table: pl.DataFrame, found: Sequence[Estimate], further: Sequence[str]) -> Results:
    """Make the results of a run: its coverage counts twins, too.

    It warns of many invalid answers, of probability that goes elsewhere, and of trials that do not count.

    Parameters
    ----------
    table : DataFrame
        A row for each trial.
    found : sequence of Estimate
    further : sequence of str
        What else to note.
    """
    n, resp, twins = table.height, table["resp"], table["twin"].drop_nulls()
    invalid, lost = int((resp == "").sum()), int((twins == "").sum())
    elsewhere, tied = int((table["other"] > 0.5).sum()), int((table["margin"] < views.NEAR_TIE).sum())
    broken = table.filter(pl.len().over("tuple_id") < pl.col("expected_len")).height
    none = f"{invalid:,} of {n:,} trials got none of the allowed answers"
    warnings = {
        none: invalid > MANY * n,
        f"on {elsewhere:,} of {n:,} trials more than half of the probability goes to none of the allowed answers, which"
        " the results compare with one another only": elsewhere > MANY * n,
        f"{broken:,} of {n:,} trials belong to tuples that are not complete, and count in no estimate": broken,
    }
    notes = {
        none: 0 < invalid <= MANY * n,
        f"{lost:,} of {twins.len():,} twins got none of the allowed answers": lost,
        f"{tied:,} of {n:,} trials are near-ties (the first option counts as the answer)": tied,
    }
    asked = n + twins.len()
    coverage: dict[str, Json] = {
        "asked": asked,
        "answered": asked,
        "valid": asked - invalid - lost,
        "tuples": table["tuple_id"].n_unique(),
    }
    noted, warned = ([text for text, told in texts.items() if told] for texts in (notes, warnings))
    return Results(found, [coverage], [*noted, *further], table, warnings=warned)


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put accuracies into sentences, with the intervals that speak for most of those every model has."""
    method = widest(estimates)
    chosen = [e for e in estimates if e.method == method or method == "stratified"]
    return accuracy_results(chosen, words)._replace(scope=f"Intervals speak for {WHOM[method]}.")


WORDS: Final = read_words("probsense.tasks.worldsense", given={"enough": ENOUGH}, key_results=key_results)
"""What tables, charts and pages say of the task."""
