"""The words of choices, and the opening sentences of a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from probsense.analysis.human_choices.floors import NOISY
from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import KeyResult, KeyResults, sentence, short
from probsense.show.words import Words, read_words
from probsense.tasks.choices.measures.baselines import BASE, HALVES, MAJORITY, PEOPLE, UNIFORM
from probsense.tasks.shared.plain import PLAIN_WORDS

SHOWN: Final = 5
"""The most models that get a sentence each."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say how far each model is from people, the nearest first, beside equal shares and another sample of people.

    The total variation leads or, where few people answered, the corrected squared distance, which they do not bias.

    Parameters
    ----------
    estimates : sequence of Estimate
        If several estimate one measure of one model, the first one counts.
    words : Words
        Those of the task.
    """
    found = {
        (str(e.by.get("model")), e.measure): e
        for e in reversed(estimates)
        if words.is_overall(e) and not math.isnan(e.value)
    }
    leading = "squared_distance_corrected" if _few(found) else "total_variation"
    distances = {model: one for (model, measure), one in found.items() if measure == leading}
    style, how = words.measure(leading), words.sentence(leading)
    models = sorted((m for m in distances if words.is_model(m)), key=lambda m: (distances[m].value, m))
    said = []
    for model in models[:SHOWN]:
        own = distances[model]
        rest = ""
        if leading == BASE and PEOPLE in distances:
            theirs = short(distances[PEOPLE].value, own, how.unit or style.unit)
            rest = f"Another sample of as many people would have to move {theirs}."
        said.append(KeyResult(model, f"{sentence(own, style, how, distances)}.", rest))
    return KeyResults("", said)


def _few(found: Mapping[tuple[str, str], Estimate]) -> bool:
    """Whether people are so few that their noise makes most of what equal shares are off by."""
    noise, level = (found.get((name, "total_variation")) for name in (PEOPLE, UNIFORM))
    return noise is not None and level is not None and noise.value > NOISY * level.value


_SHARED: Final = {name: PLAIN_WORDS.measures[name] for name in ("squared_distance_corrected", BASE)}
WORDS: Final = read_words(
    "probsense.tasks.choices",
    base=Words(title="Choices", measures=_SHARED, baselines=(PEOPLE, HALVES, UNIFORM, MAJORITY)),
    key_results=key_results,
)
"""The words of the task; the charts have the names of the tables that they are drawn from."""
