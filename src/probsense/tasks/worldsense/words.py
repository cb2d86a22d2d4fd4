"""The words of WorldSense, and the opening sentences of a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH
from probsense.show.key_results import accuracy_results
from probsense.show.measure import KeyResults, in_sentence, p_value
from probsense.show.tables import grid
from probsense.show.words import Words, read_words
from probsense.tasks.worldsense.measures.notes import WHOM, widest


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put accuracies into sentences, with the intervals that speak for most of those every model has."""
    method = widest(estimates)
    chosen = [e for e in estimates if e.method == method or method == "stratified"]
    found = accuracy_results(chosen, words)
    paired = grid(chosen, "twin_difference", method, words)
    twins = {
        name: _on_twins(paired.cells[subject, ""], words)
        for subject, name in paired.names().items()
        if (subject, "") in paired.cells
    }
    return found._replace(
        models=[
            replace(one, rest=" ".join(filter(None, (one.rest, twins.get(one.model)))))
            for one in found.models
        ],
        scope=f"Intervals speak for {WHOM[method]}.",
    )


def _on_twins(estimate: Estimate, words: Words) -> str:
    """Say how far apart set and twins are."""
    said = in_sentence(estimate, words.measure("twin_difference"))
    tested = "" if math.isnan(estimate.p) else f", p {p_value(estimate.p)}"
    return f"Accuracy on the set less that on its twins with other names: {said}{tested}."


WORDS: Final = read_words("probsense.tasks.worldsense", given={"enough": ENOUGH}, key_results=key_results)
"""What tables, charts and pages say of the task."""
