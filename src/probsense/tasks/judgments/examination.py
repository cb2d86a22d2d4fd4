"""In which prompt format a model gives yes or no as the first word, from its answers about a few statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from probsense.core.records import Json
from probsense.show.text import listed_shares
from probsense.tasks.base import Examination, Tried
from probsense.tasks.judgments.first_words import Said, mean_shares
from probsense.tasks.judgments.silence import LEAST, Spoken, spoken

STATEMENTS: Final = 12
TRIALS: Final = 5
"""Texts for each question, where a model gives no probabilities."""
ENOUGH: Final = 0.5
"""A model's own format is good enough if yes and no have this share of the probability."""


class Answer(NamedTuple):
    """An answer in one format: its question, the mass of yes, no and other, and the other first words."""

    question: str
    mass: tuple[float, float, float]
    said: Said


def examined(answers: Mapping[str, Sequence[Answer]]) -> Examination:
    """Choose a prompt format.

    It is the model's own, which comes first, if yes and no have at least :data:`ENOUGH` of the probability there;
    otherwise the one in which they have most. Where other words still come first too often to be split, the run has to
    drop them.

    Parameters
    ----------
    answers : Mapping of str to sequence of Answer
        By prompt format.

    Returns
    -------
    Examination
    """
    said = {name: _spoken(given) for name, given in answers.items()}
    tried = {name: _tried(said[name], given) for name, given in answers.items()}
    least = {name: min(one.mass for one in by_question.values()) for name, by_question in said.items()}
    own = next(iter(least))
    best = own if least[own] >= ENOUGH else max(least, key=least.__getitem__)
    share = f"yes and no have at least {100 * least[best]:.1f} % of the probability of the first word"
    if not tried[best].fits:
        why = f"no prompt format fits: in the best one, {best}, {share}, and {100 * LEAST:.0f} % are needed"
        return Examination(tried, None, {}, why)
    dropped = any(one.too_little("split") for one in said[best].values())
    options: dict[str, Json] = {"other": "drop"} if dropped else {}
    advice = f"prompt format {best}, in which {share}"
    return Examination(
        tried, best, options, f"{advice}; drop the other words, which come first" if dropped else advice
    )


def _spoken(answers: Sequence[Answer]) -> dict[str, Spoken]:
    """Sum up the answers by question."""
    masses: dict[str, list[tuple[float, float, float]]] = {}
    for answer in answers:
        masses.setdefault(answer.question, []).append(answer.mass)
    return {question: spoken(np.array(found)) for question, found in masses.items()}


def _tried(said: Mapping[str, Spoken], answers: Sequence[Answer]) -> Tried:
    words = mean_shares([answer.said for answer in answers])
    shares = " and ".join(f"{100 * one.mass:.1f} % ({question})" for question, one in said.items())
    detail = f"yes or no is the first word with a probability of {shares}"
    masses: dict[str, Json] = {question: one.mass for question, one in said.items()}
    return Tried(
        not any(one.too_little("drop") for one in said.values()),
        f"{detail}; other first words: {listed_shares(words)}" if words else detail,
        {"mass": masses, "other_first_words": dict(words)},
    )
