"""What a reader of the figures must know: whom intervals speak for, and which answers count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from probsense.analysis.distributions import option_views as views
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_FORMS, OVER_SETTINGS
from probsense.core.records import Json
from probsense.tasks.worldsense.questions.results import MANY


def why_these_skins_only(found: Sequence[Estimate]) -> str:
    """Say why no overall interval speaks for other skins; "" if every one of them does."""
    lacking = {one[1:] for one in _overall(found, "stratified") - _overall(found, OVER_SETTINGS)}
    if not lacking:
        return ""
    seen = {(e.by.get("model"), e.by.get("prompting"), e.by["skin"]) for e in found if "skin" in e.by}
    skins = max(min(sum(one[:2] == who for one in seen) for who in lacking), 1)
    if skins < ENOUGH:
        what = "1 skin is" if skins == 1 else f"{skins} skins are"
        return f"{what} too few to speak for others (at least {ENOUGH} are needed)"
    return "a problem of one size was asked in a single skin"


def widest(found: Sequence[Estimate]) -> str:
    """Name the method whose overall intervals speak for most, among those that every figure over questions has."""
    if why_these_skins_only(found):
        return "stratified"
    return OVER_FORMS if _overall(found, OVER_FORMS) == _overall(found, OVER_SETTINGS) else OVER_SETTINGS


def _overall(found: Sequence[Estimate], method: str) -> set[tuple[Json, Json, Json]]:
    """List the overall figures of a method: measure, model and prompting."""
    return {
        (e.measure, e.by.get("model"), e.by.get("prompting"))
        for e in found
        if e.method == method and not {"problem", "skin"} & set(e.by)
    }


def skins_only_notes(found: Sequence[Estimate]) -> list[str]:
    """Write a note on intervals that do not speak for other skins; none if all overall ones do."""
    why = why_these_skins_only(found)
    return [f"intervals speak for other questions in the same skins only: {why}"] if why else []


def no_width_notes(found: Iterable[Estimate]) -> list[str]:
    """Note where all tuples scored alike, as with one answer to everything: the published error is 0 there.

    The published intervals stay as they are, for they are part of what was published. The other methods widen theirs by
    what was never seen (:func:`probsense.analysis.inference.bounds.bounded`).
    """
    alike: dict[tuple[str, str, float], list[str]] = {}
    for e in found:
        whole = (e.measure, e.method) == ("accuracy", "published") and not {"size", "skin"} & set(e.by)
        if whole and e.low == e.high:
            alike.setdefault((str(e.by["prompting"]), str(e.by["model"]), e.value), []).append(
                str(e.by.get("problem", ""))
            )
    notes = []
    for (prompting, model, value), problems in alike.items():
        where = "" if "" in problems else f" of {', '.join(problems)}"
        why = ", as with a constant answer" if value == 0.5 else ""
        notes.append(
            f"{prompting}, {model}: all tuples{where} have an accuracy of {value * 100:.3g} %"
            f"{why}, so the published interval has no width; the others allow for tuples that were not asked"
        )
    return notes


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
