"""The opening words of a page: what each model achieves, with an interval that speaks for other skins where it can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from probsense.show.key_results import accuracy_results
from probsense.show.measure import KeyResults
from probsense.show.words import Words
from probsense.stats.estimate import Estimate
from probsense.stats.settings import OVER_SETTINGS
from probsense.tasks.worldsense.skins_only import why_these_skins_only


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put accuracies into sentences, with intervals over questions and skins if every model has one."""
    why = why_these_skins_only(estimates)
    chosen = estimates if why else [e for e in estimates if e.method == OVER_SETTINGS]
    found = accuracy_results(chosen, words)
    scope = (
        f"Intervals speak for other questions in the same skins only: {why}."
        if why
        else "Intervals speak for other questions in other skins, too."
    )
    return found._replace(models=[replace(one, rest=f"{one.rest} {scope}".strip()) for one in found.models])
