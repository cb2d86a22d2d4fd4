"""The words of frames, and the first lines of a page about them: how near models come to people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import KeyResult, KeyResults, in_sentence, sentence
from probsense.show.words import ILLUSTRATIVE, PEOPLE, Words, read_words
from probsense.tasks.frames.charts import nearest_and_farthest, nearest_first

SHOWN: Final = 5
"""Models that are told about one by one at most."""

_FIRST: Final = {
    "kl": "a KL divergence from {who}",
    "listed_mass": "a probability of {whose} answers",
}
"""What is told of a model whose nearness to people is not known."""

_ANSWERS: Final[Mapping[str, Mapping[str, str]]] = {
    PEOPLE: {
        "who": "people",
        "whose": "people’s",
        "ones": "people’s",
        "Halves": "Halves of people",
        "shares": "What people and models answer",
    },
    ILLUSTRATIVE: {
        "who": "the illustrative answers",
        "whose": "the illustrative",
        "ones": "the illustrative ones",
        "Halves": "Halves of the illustrative answers",
        "shares": "What models answer, beside the illustrative answers",
    },
}
"""What the answers are called that models are compared with, by the name of their mark."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say where models stand, those that come nearest to people first, and last those that are compared otherwise.

    Parameters
    ----------
    estimates : sequence of Estimate
        Those of all models; if several estimate one measure of one model, the first one counts.
    words : Words
        Those of frames.
    """
    given = _ANSWERS[words.people]
    overall = {(str(e.by.get("model")), e.measure): e for e in reversed(estimates) if words.is_overall(e)}
    near = sorted(
        (math.isnan(e.value), e.value, model)
        for (model, measure), e in overall.items()
        if measure == "normalised"
    )
    found = []
    for *_, model in near[:SHOWN]:
        own = overall[model, "normalised"]
        if math.isnan(own.value):
            said = f"cannot be set against {given['who']}"
        else:
            said = sentence(own, words.measure(own.measure), words.sentence(own.measure), {})
        found.append(KeyResult(model, f"{said}.", ""))
    named = {model for *_, model in near}
    for model in dict.fromkeys(model for model, _ in overall if model not in named):
        first = next((measure for measure in _FIRST if (model, measure) in overall), "")
        if first and len(found) < SHOWN and words.is_model(model):
            value = in_sentence(overall[model, first], words.measure(first))
            said = f"has {_FIRST[first].format(**given)} of {value}, the mean over frames."
            found.append(KeyResult(model, said, ""))
    return KeyResults("", found)


def _words(mark: str) -> Words:
    rows = {"distributions": {"rows": nearest_first}, "forest": {"rows": nearest_and_farthest}}
    given = {"mark": mark, **_ANSWERS[mark]}
    return read_words("probsense.tasks.frames", given=given, charts=rows, key_results=key_results)


WORDS: Final = replace(_words(PEOPLE), illustrative=_words(ILLUSTRATIVE))
