"""Answers of a run: texts in place of probabilities, what each answer amounts to, and which words
stand first in place of yes and no."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.distributions.label_mass import Labels, dirichlet_interval, text_class, trial_mass
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Item, Json, LabelResponse, SampleResponse
from probsense.show.text import listed_shares
from probsense.tasks.judgments.questions.raw import ANSWER

MAX_TOKENS = 8
"""The length of a sampled text: its first word counts, and something may stand before it."""
COLUMNS: Final = {
    "id": pl.String(),
    **ANSWER,
    "n": pl.Int64(),
    "low_yes": pl.Float64(),
    "high_yes": pl.Float64(),
    "source": pl.String(),
    "note": pl.String(),
}
"""Columns of a run's table: what was asked, and the answer; the number of texts, null where none were counted; the
bounds of top k tokens or the 95 % interval of texts, null where the whole vocabulary is known; where the answer comes
from; a note on how it was read, "" for none."""
Row: TypeAlias = tuple[float, float, float, int | None, float | None, float | None, str, str]
"""The last eight of the columns."""
Answer: TypeAlias = LabelResponse | SampleResponse
Given: TypeAlias = tuple[Item, Answer, Labels]
"""An item, the answer to it, and the words of its labels."""


def answer_table(given: Iterable[Given]) -> pl.DataFrame:
    """Tabulate answers, one row for each item, with the columns :data:`COLUMNS`."""
    rows = (
        (item.id, item.data["statement_id"], item.data["question"], *read_answer(answer, labels))
        for item, answer, labels in given
    )
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def read_answer(response: Answer, words: Labels) -> Row:
    """Read the mass of both labels, or count the texts that say yes, no and something else.

    Parameters
    ----------
    response : LabelResponse or SampleResponse
    words : sequence of (name, words)
        The labels, with the words that stand for each.
    """
    match response:
        case LabelResponse(mass=mass, other=other):
            # What the most probable tokens leave out may be anything.
            bounds = response.bounds["yes"] if response.bounds else (None, None)
            return mass["yes"], mass["no"], other, None, *bounds, response.source, response.note
        case SampleResponse(texts=texts):
            classes = Counter(text_class(text, words) for text in texts)
            counts = np.array([classes[name] for name in ("yes", "no", "other")])
            low, high = (float(end[0]) for end in dirichlet_interval(counts))
            yes, no, rest = trial_mass(counts).tolist()
            return yes, no, rest, len(texts), low, high, "sampled", ""


OtherWords: TypeAlias = Mapping[str, float]
"""Other first words of one answer, each with its probability."""
SHOWN: Final = 5
"""The most words that are shown for a question."""
LEAST_SHOWN: Final = 0.01
"""A word is shown from this mean probability on."""


def other_words(response: Answer, words: Labels) -> OtherWords:
    """Collect the most probable tokens, or the first words of texts, that are neither yes nor no.

    With or without a blank, a token is the same; a word of texts has its share of all texts.
    """
    match response:
        case LabelResponse(others=others):
            found: dict[str, float] = defaultdict(float)
            for text, mass in others:
                found[text.replace("▁", " ").strip() or repr(text)] += mass
            return found
        case SampleResponse(texts=texts):
            counts = Counter(_first_word(text) for text in texts if text_class(text, words) == "other")
            return {word: count / len(texts) for word, count in counts.items()}


def _first_word(text: str) -> str:
    word = next(iter(text.split()), "")
    return word.strip(string.punctuation) or word or "nothing"


def first_word_estimates(given: Iterable[Given], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the mean probability of the most probable other first words, over statements.

    Where an answer does not show a word among its most probable ones, its probability counts as 0. So the means are
    lower bounds.

    Parameters
    ----------
    given : iterable of (Item, Response, Labels)
    by : Mapping
        Whose answers they are.
    """
    answers: dict[str, list[OtherWords]] = defaultdict(list)
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for item, answer, labels in given:
        words = other_words(answer, labels)
        answers[item.data["question"]].append(words)
        totals[item.data["question"]].update(words)
    return [
        mean_estimate(
            "first_word_mass", {**by, "question": question, "word": word}, values, np.arange(len(values))
        )
        for question, total in totals.items()
        for word, _ in total.most_common(SHOWN)
        if (values := np.array([words.get(word, 0.0) for words in answers[question]])).mean() >= LEAST_SHOWN
    ]


def first_word_notes(estimates: Sequence[Estimate]) -> list[str]:
    """Say with which other words the answers to each question begin: “I” 31.0 %, “The” 20.4 %."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for estimate in estimates:
        found[str(estimate.by["question"])][str(estimate.by["word"])] = estimate.value
    return [
        f"answers to {question} begin with other words than yes or no: {listed_shares(words.items())} (means over"
        " statements of the first tokens' probability)"
        for question, words in found.items()
    ]
