"""Requests in the shapes of known tasks of lm-evaluation-harness, made without their data.

Lengths follow the originals; the words are drawn from a short list, each as probable as any other, so that texts begin
alike by chance as seldom as real ones. What the harness repeats is repeated here: an MMLU subject has the same worked
examples for each of its questions, and ARC draws others for each question.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import workloads

Arguments: TypeAlias = tuple[str, ...]
"""What the harness asks by one request: a context and a continuation, or a text."""

WORDS = sorted(
    {
        word.lower()
        for phrases in (
            *(workloads.WHO, workloads.WHAT, workloads.WHEN, workloads.WHERE),
            *(workloads.ADJECTIVES, workloads.NOUNS),
        )
        for phrase in phrases
        for word in phrase.split()
    }
)
LETTERS = "ABCD"


@dataclass(frozen=True)
class Task:
    """A task of the harness.

    Attributes
    ----------
    make : callable
        Makes the requests of a number of documents; those of fewer documents are the first of them.
    options : int
        Requests of a document, of which the most probable is its answer; 1 where nothing is chosen.
    rolling : bool
        Whether whole texts are scored.
    """

    make: Callable[[int], list[Arguments]]
    options: int
    rolling: bool = False


def _words(draws: random.Random, fewest: int, most: int) -> str:
    return " ".join(draws.choices(WORDS, k=draws.randint(fewest, most)))


def hellaswag(documents: int) -> list[Arguments]:
    """Make contexts of some 60 words with four endings of some 24 each."""
    draws = random.Random(1)
    found = []
    for _ in range(documents):
        context = _words(draws, 30, 90).capitalize()
        found += [(context, f" {_words(draws, 16, 32)}.") for _ in LETTERS]
    return found


def mmlu(documents: int) -> list[Arguments]:
    """Make questions of two subjects in turn, each after the five worked examples of its subject."""
    draws = random.Random(2)

    def question() -> str:
        options = "\n".join(f"{letter}. {_words(draws, 4, 12)}" for letter in LETTERS)
        return f"{_words(draws, 20, 60).capitalize()}?\n{options}\nAnswer:"

    before = []
    for _ in range(2):
        subject = (
            f"The following are multiple choice questions (with answers) about {_words(draws, 2, 3)}.\n\n"
        )
        before.append(subject + "".join(f"{question()} {draws.choice(LETTERS)}\n\n" for _ in range(5)))
    return [
        (asked, f" {letter}")
        for i in range(documents)
        for asked in [before[i % 2] + question()]
        for letter in LETTERS
    ]


def arc(documents: int) -> list[Arguments]:
    """Make questions with four short answers, each after 25 worked examples, drawn for each question from 400."""
    draws = random.Random(3)

    def question() -> str:
        return f"Question: {_words(draws, 12, 30).capitalize()}?\nAnswer:"

    examples = [f"{question()} {_words(draws, 1, 8)}\n\n" for _ in range(400)]
    return [
        (context, f" {_words(draws, 1, 8)}")
        for _ in range(documents)
        for context in ["".join(draws.sample(examples, 25)) + question()]
        for _ in LETTERS
    ]


def orders(documents: int) -> list[Arguments]:
    """Make questions with two lettered answers of some 10 words: two documents ask each, in both orders of these."""
    draws = random.Random(7)
    found: list[Arguments] = []
    for i in range(documents):
        if i % 2 == 0:
            question = f"{_words(draws, 12, 30).capitalize()}?"
            answers = [_words(draws, 6, 14) for _ in range(2)]
        first, second = answers[:: -1 if i % 2 else 1]
        asked = f"{question}\n\nA. {first}\nB. {second}\n\nAnswer with a letter alone.\nAnswer:"
        found += [(asked, f" {letter}") for letter in LETTERS[:2]]
    return found


def lambada(documents: int) -> list[Arguments]:
    """Make passages of some 75 words, and their last word."""
    draws = random.Random(4)
    return [(_words(draws, 60, 90).capitalize(), f" {draws.choice(WORDS)}") for _ in range(documents)]


def blimp(documents: int) -> list[Arguments]:
    """Make pairs of whole sentences of some 8 words that differ in one of them."""
    draws = random.Random(5)
    found = []
    for _ in range(documents):
        words = _words(draws, 6, 11).split()
        at = draws.randrange(1, len(words))
        for word in draws.sample(WORDS, 2):
            found.append(("", " ".join([*words[:at], word, *words[at + 1 :]]).capitalize() + "."))
    return found


def wikitext(documents: int) -> list[Arguments]:
    """Make texts of some 3,000 words, one for 50 documents of the other tasks."""
    draws = random.Random(6)
    return [(_words(draws, 2_500, 3_500),) for _ in range(-(-documents // 50))]


TASKS: Mapping[str, Task] = {
    "hellaswag": Task(hellaswag, 4),
    "mmlu-5-shot": Task(mmlu, 4),
    "arc-25-shot": Task(arc, 4),
    "letters-in-two-orders": Task(orders, 2),
    "lambada": Task(lambada, 1),
    "blimp": Task(blimp, 2),
    "wikitext": Task(wikitext, 1, rolling=True),
}


def texts() -> list[str]:
    """List texts of every task, to train a tokenizer on."""
    return ["".join(arguments) for task in TASKS.values() for arguments in task.make(10)]


def choices(logprobs: Sequence[float], options: int) -> list[int]:
    """Return the most probable option of each document."""
    parts = (logprobs[i : i + options] for i in range(0, len(logprobs), options))
    return [max(range(len(part)), key=part.__getitem__) for part in parts]
