"""Models that say next to nothing: which they are, and what is left out because their answers are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import refused
from probsense.analysis.inference.estimate import Estimate
from probsense.show.text import joined
from probsense.tasks.judgments.judged import Judged

MOST = 0.9
"""The largest share of statements on which other first words may be more probable than yes and than no, if results are
to rest on answers of which other ones are split."""
LEAST = 0.1
"""The smallest mean probability of yes and no together with which results rest on answers."""
ANSWERS = ("yes_mass", "other_mass", "other_rate", "first_word_mass")
"""Measures of the answers themselves, which hold whatever the answers are."""
RULE = "results that rest on yes and no are left out"


class Spoken(NamedTuple):
    """How far the answers of a model to one question are yes or no.

    Attributes
    ----------
    known : int
        Statements with an answer.
    other_first : int
        Those on which other first words together are more probable than yes and than no.
    mass : float
        Mean probability of yes and no together; NaN without an answer.
    """

    known: int
    other_first: int
    mass: float

    def too_little(self, policy: str) -> bool:
        """Whether results would rest on answers that are not there, if this becomes of other answers.

        Halves of other answers are no answers, and neither are shares of next to nothing. Where other answers count as
        wrong or for themselves, nothing rests on what is not there.
        """
        if not self.known:
            return False
        return (policy in ("split", "drop") and self.mass < LEAST) or (
            policy == "split" and self.other_first > MOST * self.known
        )


def spoken(mass: NDArray[np.float64]) -> Spoken:
    """Sum up the answers to one question.

    Parameters
    ----------
    mass : ndarray, shape (statements, 3)
        Mass of yes, no and other; NaN without data.
    """
    known = mass[~np.isnan(mass[:, 0])]
    on_labels = float(known[:, :2].sum(axis=1).mean()) if len(known) else float("nan")
    return Spoken(len(known), int(refused(known).sum()), on_labels)


def silent_models(judged: Judged) -> dict[str, str]:
    """Find the models that say too little, in answer to the first or second question, for what becomes of the rest.

    Parameters
    ----------
    judged : Judged

    Returns
    -------
    dict of str to str
        By model, a note for the reader.
    """
    return {model: f"{in_words(little)}; {RULE}" for model, little in _silent(judged)}


def withheld(judged: Judged) -> dict[str, str]:
    """Say in short why the models that say too little lack results; the notes of :func:`silent_models` say more."""
    return {
        model: f"yes and no have only {_masses(little)} of the probability"
        for model, little in _silent(judged)
    }


def _silent(judged: Judged) -> Iterator[tuple[str, dict[str, Spoken]]]:
    """Yield the models that say too little, with the questions to which they do."""
    for i, model in enumerate(judged.models):
        said = {question: spoken(judged.mass[question][i]) for question in ("q1", "q2")}
        little = {question: one for question, one in said.items() if one.too_little(judged.policy)}
        if little:
            yield model, little


def in_words(said: dict[str, Spoken]) -> str:
    """Say how far the answers to some questions are yes or no."""
    known = {one.known for one in said.values()}
    first = [
        f"{one.other_first:,}" + (f" of {one.known:,}" if len(known) > 1 else "") for one in said.values()
    ]
    of = f" of {known.pop():,}" if len(known) == 1 else ""
    return (
        f"yes and no have {_masses(said)} of the probability of the first word, and other words are more probable than"
        f" both on {joined(first)}{of} statements"
    )


def _masses(said: dict[str, Spoken]) -> str:
    return joined([f"{100 * one.mass:.1f} % ({question})" for question, one in said.items()])


def about_answers(estimate: Estimate, silent: Sequence[str]) -> bool:
    """Whether an estimate does not rest on the answers of silent models."""
    named = {estimate.by.get("model"), estimate.by.get("versus")}
    return estimate.measure in ANSWERS or not named & set(silent)
