"""First words of answers: how far they are yes or no, which others there are, and in which prompt format they fit."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import Labels, refused, text_class
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json, LabelResponse
from probsense.show.text import joined, listed_shares
from probsense.tasks.base import Examination, Tried

MOST = 0.9
"""The largest share of statements on which other first words may be more probable than yes and than no, if results are
to rest on the answers."""
LEAST = 0.1
"""The smallest mean probability of yes and no together with which results rest on answers."""
OtherWords: TypeAlias = Mapping[str, float]
"""Other first words of one answer, each with its probability."""
SHOWN: Final = 5
"""The most words that are shown for a question."""
LEAST_SHOWN: Final = 0.01
"""A word is shown from this mean probability on."""
STATEMENTS: Final = 12
TRIALS: Final = 5
"""Texts for each question, where a model gives no probabilities."""
ENOUGH: Final = 0.5
"""A model's own format is good enough if yes and no have this share of the probability."""


class Clarity(NamedTuple):
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


def clarity(mass: NDArray[np.float64]) -> Clarity:
    """Sum up the answers to one question.

    Parameters
    ----------
    mass : ndarray, shape (statements, 3)
        Mass of yes, no and other; NaN without data.
    """
    known = mass[~np.isnan(mass[:, 0])]
    on_labels = float(known[:, :2].sum(axis=1).mean()) if len(known) else float("nan")
    return Clarity(len(known), int(refused(known).sum()), on_labels)


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


class Answer(NamedTuple):
    """An answer in one format: its question, the mass of yes, no and other, and the other first words."""

    question: str
    mass: tuple[float, float, float]
    said: OtherWords


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
    said = {name: _clarity_by_question(given) for name, given in answers.items()}
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


def _clarity_by_question(answers: Sequence[Answer]) -> dict[str, Clarity]:
    """Sum up the answers by question."""
    masses: dict[str, list[tuple[float, float, float]]] = {}
    for answer in answers:
        masses.setdefault(answer.question, []).append(answer.mass)
    return {question: clarity(np.array(found)) for question, found in masses.items()}


def _tried(said: Mapping[str, Clarity], answers: Sequence[Answer]) -> Tried:
    words = mean_shares([answer.said for answer in answers])
    shares = " and ".join(f"{100 * one.mass:.1f} % ({question})" for question, one in said.items())
    detail = f"yes or no is the first word with a probability of {shares}"
    masses: dict[str, Json] = {question: one.mass for question, one in said.items()}
    return Tried(
        not any(one.too_little("drop") for one in said.values()),
        f"{detail}; other first words: {listed_shares(words)}" if words else detail,
        {"mass": masses, "other_first_words": dict(words)},
    )
