"""What a reader of the figures must know: whom intervals speak for, and which answers count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from probsense.analysis.distributions import option_views as views
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_FORMS, OVER_SETTINGS
from probsense.core.records import Json
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
    """Note where intervals do not speak for other skins, and where a published one has no width, as all scored alike.

    The published intervals stay as they are, for they are part of what was published. The other methods widen theirs by
    what was never seen (:func:`probsense.analysis.inference.bounds.bounded`).
    """
    flat = [
        f"{e.by['prompting']}, {e.by['model']}: all tuples have an accuracy of {e.value * 100:.3g} %, so the published"
        " interval has no width; the others allow for tuples that were not asked"
        for e in found
        if (e.measure, e.method) == ("accuracy", "published") and len(e.by) == 2 and e.low == e.high
    ]
    skins = [f"intervals speak for {WHOM['stratified']}"] if widest(found) == "stratified" else []
    return skins + flat


def coverage_of(table: pl.DataFrame) -> dict[str, Json]:
    """Count the trials and twins asked, and those that got an allowed answer."""
    resp = pl.concat([table["resp"], table["twin"].drop_nulls()])
    return {
        "asked": resp.len(),
        "answered": resp.len(),
        "valid": int((resp != "").sum()),
        "tuples": table["tuple_id"].n_unique(),
    }


def _invalid(table: pl.DataFrame, *, many: bool) -> list[str]:
    """Say how many trials got none of the allowed answers, if that many do, or else if no more do."""
    invalid = table.filter(pl.col("resp") == "").height
    said = f"{invalid:,} of {table.height:,} trials got none of the allowed answers"
    return [said] if invalid and many == (invalid > MANY * table.height) else []


def run_warnings(table: pl.DataFrame) -> list[str]:
    """Warn of many invalid answers, of probability that goes elsewhere, and of trials that do not count."""
    elsewhere = table.filter(pl.col("other") > 0.5).height
    broken = table.filter(pl.len().over("tuple_id") < pl.col("expected_len")).height
    found = _invalid(table, many=True)
    if elsewhere > MANY * table.height:
        found.append(
            f"on {elsewhere:,} of {table.height:,} trials more than half of the probability goes to none of the "
            "allowed answers, which the results compare with one another only"
        )
    if broken:
        found.append(
            f"{broken:,} of {table.height:,} trials belong to tuples that are not complete, and count in no estimate"
        )
    return found


def run_notes(table: pl.DataFrame) -> list[str]:
    """Note a few invalid answers, and near-ties."""
    tied = table.filter(pl.col("margin") < views.NEAR_TIE).height
    twins = table["twin"].drop_nulls()
    found = _invalid(table, many=False)
    if lost := int((twins == "").sum()):
        found.append(f"{lost:,} of {twins.len():,} twins got none of the allowed answers")
    if tied:
        found.append(
            f"{tied:,} of {table.height:,} trials are near-ties (the first option counts as the answer)"
        )
    return found
