"""The words of WorldSense, and the opening sentences of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH
from probsense.show.key_results import accuracy_results
from probsense.show.measure import KeyResults
from probsense.show.words import Words, read_words
from probsense.tasks.worldsense.measures.notes import WHOM, widest


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put accuracies into sentences, with the intervals that speak for most of those every model has."""
    method = widest(estimates)
    chosen = [e for e in estimates if e.method == method or method == "stratified"]
    return accuracy_results(chosen, words)._replace(scope=f"Intervals speak for {WHOM[method]}.")


WORDS: Final = read_words("probsense.tasks.worldsense", given={"enough": ENOUGH}, key_results=key_results)
"""What tables, charts and pages say of the task."""
