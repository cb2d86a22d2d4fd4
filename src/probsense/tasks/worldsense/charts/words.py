"""The words of WorldSense, and the opening sentences of a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_FORMS
from probsense.show.key_results import accuracy_results
from probsense.show.measure import KeyResult, KeyResults, in_sentence, p_value
from probsense.show.tables import grid
from probsense.show.words import Words, WordsFile
from probsense.tasks.shared.order_effects import MEASURES as ORDERS
from probsense.tasks.worldsense.adaptive.thresholds import METHOD, NUMBERS, TABLE, TEXTS
from probsense.tasks.worldsense.charts import forms
from probsense.tasks.worldsense.charts.panels import thresholds_chart, worldsense_charts
from probsense.tasks.worldsense.measures.notes import why_these_skins_only, widest


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put accuracies into sentences, with the intervals that speak for most of those every model has, or thresholds."""
    thresholds = [e for e in estimates if e.method == METHOD]
    if thresholds:
        return threshold_results(thresholds, words)
    method = widest(estimates)
    why = why_these_skins_only(estimates)
    chosen = estimates if why else [e for e in estimates if e.method == method]
    found = accuracy_results(chosen, words)
    paired = grid(chosen, "twin_difference", method, words)
    twins = {
        name: _on_twins(paired.cells[subject, ""], words)
        for subject, name in paired.names().items()
        if (subject, "") in paired.cells
    }
    scope = (
        f"Intervals speak for other questions in the same skins only: {why}."
        if why
        else "Intervals speak for other forms of questions in other skins, too."
        if method == OVER_FORMS
        else "Intervals speak for other questions in other skins, too."
    )
    return found._replace(
        models=[
            replace(one, rest=" ".join(filter(None, (one.rest, twins.get(one.model)))))
            for one in found.models
        ],
        scope=scope,
    )


def _on_twins(estimate: Estimate, words: Words) -> str:
    """Say how far apart set and twins are."""
    said = in_sentence(estimate, words.measure("twin_difference"))
    tested = "" if math.isnan(estimate.p) else f", p {p_value(estimate.p)}"
    return f"Accuracy on the set less that on its twins with other names: {said}{tested}."


def threshold_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say at which sizes and depths each model falls to 75 %."""
    said: dict[str, list[str]] = {}
    for estimate in estimates:
        dial = estimate.measure.removesuffix("_at_75")
        if not math.isnan(estimate.value):
            where = f"falls to 75 % at {in_sentence(estimate, words.measure(estimate.measure))}"
        elif math.isnan(estimate.low):
            where = f"is below 75 % even at the smallest {dial}"
        else:
            where = f"is above 75 % even at the largest {dial}"
        said.setdefault(str(estimate.by["model"]), []).append(f"{where} in {estimate.by['problem']}")
    return KeyResults("", [KeyResult(model, f"{', and '.join(parts)}.", "") for model, parts in said.items()])


_FILE: Final = WordsFile("probsense.tasks.worldsense", enough=ENOUGH)
WORDS: Final = _FILE.words(
    measures={**_FILE.measures, **ORDERS},
    key_results=key_results,
    charts={
        **worldsense_charts(("accuracy", "bias"), _FILE),
        forms.TABLE: _FILE.chart(forms.TABLE, forms.forms_chart, forms.TEXTS, forms.NUMBERS),
        TABLE: _FILE.chart(TABLE, thresholds_chart, TEXTS, NUMBERS, unknown=("right",)),
    },
)
"""What tables, charts and pages say of the task: the file ``words.toml``, and what draws."""
