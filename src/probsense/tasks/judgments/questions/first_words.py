"""First words of answers: how far they are yes or no, and which others there are."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from probsense.analysis.distributions.clarity import Clarity
from probsense.analysis.distributions.label_mass import Labels, text_class
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json, LabelResponse
from probsense.show.text import joined, listed_shares

OtherWords: TypeAlias = Mapping[str, float]
"""Other first words of one answer, each with its probability."""
SHOWN: Final = 5
"""The most words that are shown for a question."""
LEAST_SHOWN: Final = 0.01
"""A word is shown from this mean probability on."""


def in_words(said: dict[str, Clarity]) -> str:
    """Say how far the answers to some questions are yes or no."""
    known = {one.known for one in said.values()}
    first = [
        f"{one.other_first:,}" + (f" of {one.known:,}" if len(known) > 1 else "") for one in said.values()
    ]
    of = f" of {known.pop():,}" if len(known) == 1 else ""
    return (
        f"yes and no have {masses_in_words(said)} of the probability of the first word, and other words are more"
        f" probable than both on {joined(first)}{of} statements"
    )


def masses_in_words(said: dict[str, Clarity]) -> str:
    return joined([f"{100 * one.mass:.1f} % ({question})" for question, one in said.items()])


def first_tokens(response: LabelResponse) -> OtherWords:
    """Collect the most probable tokens that are neither yes nor no; with or without a blank, a word is the same."""
    found: dict[str, float] = defaultdict(float)
    for text, mass in response.others:
        found[text.replace("▁", " ").strip() or repr(text)] += mass
    return found


def first_words(texts: Sequence[str], labels: Labels) -> OtherWords:
    """Collect the first words of the texts that say neither yes nor no, each with its share of all texts."""
    counts = Counter(_first_word(text) for text in texts if text_class(text, labels) == "other")
    return {word: count / len(texts) for word, count in counts.items()}


def _first_word(text: str) -> str:
    word = next(iter(text.split()), "")
    return word.strip(string.punctuation) or word or "nothing"


def mean_shares(answers: Sequence[OtherWords]) -> list[tuple[str, float]]:
    """Return the words with the largest mean probability, the largest first, each with this mean."""
    total: Counter[str] = Counter()
    for said in answers:
        total.update(said)
    means = [(word, mass / len(answers)) for word, mass in total.most_common(SHOWN)]
    return [(word, mean) for word, mean in means if mean >= LEAST_SHOWN]


def first_word_estimates(said: Mapping[str, Sequence[OtherWords]], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the mean probability of the most probable other first words, over statements.

    Where an answer does not show a word among its most probable ones, its probability counts as 0. So the means are
    lower bounds.

    Parameters
    ----------
    said : Mapping of str to sequence of OtherWords
        By question, the other first words of each answer.
    by : Mapping
        Whose answers they are.
    """
    found = []
    for question, answers in said.items():
        for word, _ in mean_shares(answers):
            values = np.array([one.get(word, 0.0) for one in answers])
            whose = {**by, "question": question, "word": word}
            found.append(mean_estimate("first_word_mass", whose, values, np.arange(len(values))))
    return found


def listed(estimates: Iterable[Estimate]) -> str:
    """List first words with their probability: “I” 31.0 %, “The” 20.4 %."""
    return listed_shares((str(e.by["word"]), e.value) for e in estimates if e.measure == "first_word_mass")


def first_word_notes(estimates: Sequence[Estimate]) -> list[str]:
    """Say with which other words the answers to each question begin."""
    found: dict[str, list[Estimate]] = defaultdict(list)
    for estimate in estimates:
        found[str(estimate.by["question"])].append(estimate)
    return [
        f"answers to {question} begin with other words than yes or no: {listed(words)} (means over statements of the"
        " first tokens' probability)"
        for question, words in found.items()
    ]
