"""The workloads of the timings: five sets of requests, made without a model or the network.

A request here has no suffix, so that every scorer answers the same question: how probable is this option after this
prefix?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from probsense.core.records import ScoreRequest
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas
from probsense.tasks.worldsense.task import WorldSense

Pair: TypeAlias = tuple[str, str]
"""A prefix and one option after it."""

WHO = ("Children", "Grandparents", "Nurses", "Neighbours", "Bakers", "Students", "Drivers", "Gardeners")
WHAT = (
    "drink something hot",
    "wear warm gloves",
    "lock the front door",
    "look for an umbrella",
    "turn on a lamp",
    "put milk in the fridge",
    "wash their hands",
    "open a window",
    "carry a heavy basket",
    "sit down on a bench",
)
WHEN = (
    "when it snows",
    "before they go to bed",
    "after a long walk",
    "early in the morning",
    "once the sun has set",
    "while the soup is boiling",
    "on a rainy day",
    "when guests arrive",
)
WHERE = ("at home", "in a small town", "by the sea", "in the mountains", "near the station")
ADJECTIVES = ("clean", "warm", "wooden", "quiet", "large", "sharp", "small", "bright")
NOUNS = ("blanket", "kettle", "ladder", "towel", "basket", "lantern", "spoon", "coat", "bucket", "chair")
PLACES = ("", "", " from the cellar")

QUESTIONS = (
    "Do you think that this is so?",
    "Would most other people say that this is so?",
    "Is this something that everybody knows?",
)
EXAMPLES = 11
"""How many worked examples the few-shot prompt has: they make some 600 tokens."""


@dataclass(frozen=True)
class Workload:
    """Requests, and the number of items (trials, sentences, statements, questions) for which they are timed.

    Attributes
    ----------
    make : callable
        Makes the requests of a number of items.
    full : int
        The number of items in the whole set.
    few : Mapping
        The number of items that are timed by default, by model.
    whole : bool
        Whether ours is timed on the whole set too, since its savings grow with the set.
    """

    make: Callable[[int], list[ScoreRequest]]
    full: int
    few: Mapping[str, int]
    whole: bool = False


def workloads(winogrande_file: Path | None = None) -> dict[str, Workload]:
    """Make all workloads by name; Winogrande from a published file, or from the schemas of the package."""
    schemas = partial(winogrande, winogrande_file or PACKAGED)
    return {
        "worldsense": Workload(worldsense, 1500, {"gpt2": 24, "llama": 60}),
        "winogrande": Workload(schemas, 800, {"gpt2": 30, "llama": 60}),
        "statements": Workload(statements, 400, {"gpt2": 8, "llama": 40}),
        "few-shot": Workload(few_shot, 200, {"gpt2": 2, "llama": 4}, whole=True),
        "unshared": Workload(unshared, 400, {"gpt2": 80, "llama": 80}),
    }


def pairs(requests: Sequence[ScoreRequest]) -> list[Pair]:
    """Pair every option with its prefix."""
    return [(request.prefix, option) for request in requests for option in request.options]


def texts(sets: Mapping[str, Workload]) -> list[str]:
    """Yield every text of some workloads, to train a tokenizer on."""
    return [prefix + option for each in sets.values() for prefix, option in pairs(each.make(each.full))]


def worldsense(items: int) -> list[ScoreRequest]:
    """Make requests from generated trials, as the task asks them: whole tuples, at most this number of trials."""
    task = WorldSense(tuples=1 + items // 2000, limit=items)
    return [request for item in task.items() for request in task.requests(item, "options", {})]


def winogrande(path: Path, items: int) -> list[ScoreRequest]:
    """Make partial-scoring requests: the end of a sentence after each option, for as many sentences as there are."""
    found: list[ScoreRequest] = []
    for schema in read_schemas(path):
        before, _, after = schema.data["sentence"].partition("_")
        if after and len(found) < 2 * items:
            found += [ScoreRequest(before + option, (after,)) for option in schema.data["options"]]
    return found


def statements(items: int) -> list[ScoreRequest]:
    """Ask three questions about each of some everyday statements, for an answer of yes or no."""
    prompt = 'Here is a statement about everyday life: "{} {} {} {}." {} Answer with one word, yes or no:'
    drawn = _some([*product(WHO, WHAT, WHEN, WHERE)], items, 1)
    return [
        ScoreRequest(prompt.format(*parts, question), (" yes", " no"))
        for parts in drawn
        for question in QUESTIONS
    ]


def few_shot(items: int) -> list[ScoreRequest]:
    """Ask questions with four options each, after a prompt of worked examples that all share."""
    drawn = _some([*product(WHO, WHAT, WHEN, WHERE)], EXAMPLES + items, 2)
    answers = [" a " + " ".join(words) for words in product(ADJECTIVES, NOUNS)]
    rng = np.random.default_rng(3)
    asked = [
        (
            f"Question: {who} {what} {when}, and others {where} do the same. "
            "Some of them have forgotten a thing that they need for it, and ask you to fetch it for them. "
            "Which of these things do you bring?\nAnswer:",
            tuple(answers[i] + rng.choice(PLACES) for i in rng.permutation(len(answers))[:4]),
        )
        for who, what, when, where in drawn
    ]
    shared = "".join(f"{question}{options[0]}\n\n" for question, options in asked[:EXAMPLES])
    return [ScoreRequest(shared + question, options) for question, options in asked[EXAMPLES:]]


def unshared(items: int) -> list[ScoreRequest]:
    """Ask for the next word of lists in an order of their own, so that requests share next to nothing."""
    rng = np.random.default_rng(4)
    lists = (rng.permutation([*ADJECTIVES, *NOUNS]) for _ in range(items))
    return [
        ScoreRequest(", ".join(words[:8]).capitalize() + " and", (" " + words[8],))
        for words in (order.tolist() for order in lists)
    ]


def _some(population: Sequence[tuple[str, ...]], count: int, seed: int) -> list[tuple[str, ...]]:
    """Draw that number of distinct members; a larger draw begins with the same ones."""
    order = np.random.default_rng(seed).permutation(len(population))
    return [population[i] for i in order[:count]]
