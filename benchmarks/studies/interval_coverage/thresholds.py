"""Measures how often intervals of adaptive thresholds hold the truth, and how far off the thresholds are.

    python benchmarks/studies/interval_coverage/thresholds.py [--models N]

A simulated model gets each question right with a probability that falls with size from 97 to 50 %, along a logistic
function of a random middle. The same number of tuples spread evenly over the sizes stands beside the adaptive choice.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NamedTuple

import numpy as np

from counting import Rng, held
from probsense.analysis.inference.staircase import (
    CHANCE,
    TARGET,
    Observers,
    Replies,
    Tally,
    dispersion,
    next_level,
    posterior,
    threshold,
)
from probsense.tasks.worldsense.adaptive.series import AT_ONCE

SIZES = range(4, 13)
LAPSE = 0.03
SKINS = 15


class Model(NamedTuple):
    """How answers come about.

    Attributes
    ----------
    name : str
    width : float
        Scale of the logistic function, in sizes.
    alike : bool
        Whether a model either knows all answers of a tuple or guesses each.
    spread : float
        Standard deviation of the probability of a right answer between skins.
    """

    name: str
    width: float
    alike: bool = False
    spread: float = 0.0


MODELS = [
    Model("steep fall (scale .5)", 0.5),
    Model("gentle fall (scale 2)", 2.0),
    Model("gentle fall, siblings known or guessed together", 2.0, alike=True),
    Model("steep fall, siblings known or guessed together", 0.5, alike=True),
    Model("gentle fall, skins' sd .1", 2.0, spread=0.1),
]


def right_answers(model: Model, truth: float, size: int, rng: Rng, skin: float) -> int:
    """Draw the number of right answers to a tuple of two, given how much easier its skin is."""
    share = (TARGET - CHANCE) / (1 - CHANCE - LAPSE)
    middle = truth + model.width * np.log(share / (1 - share))
    p = CHANCE + (1 - CHANCE - LAPSE) / (1 + np.exp((size - middle) / model.width)) + skin
    p = float(np.clip(p, CHANCE, 1))
    if model.alike:
        return 2 if rng.random() < (p - CHANCE) / (1 - CHANCE) else int(rng.binomial(2, CHANCE))
    return int(rng.binomial(2, p))


def search(model: Model, truth: float, tuples: int, rng: Rng, *, evenly: bool) -> tuple[float, float, float]:
    """Ask one model; return the threshold and its interval."""
    observers, skins = Observers.of(SIZES), rng.normal(0, model.spread, SKINS)
    answers, told = [], []
    for number in range(tuples):
        if evenly:
            level = number % len(SIZES)
        elif number % AT_ONCE == 0:
            level = next_level(observers, Tally.of(len(SIZES), answers))
        if number % SKINS == 0:
            turn = rng.permutation(SKINS)
        skin = turn[number % SKINS]
        right = right_answers(model, truth, SIZES[level], rng, skins[skin])
        answers.append(Replies(level, right, 2 - right))
        told.append(skin)
    spread = max(dispersion(observers, answers, groups) for groups in (range(tuples), told))
    weights = posterior(observers, Tally.of(len(SIZES), answers), spread)
    return threshold(observers, weights, 0.95)[:3]


def main() -> None:
    """Print a table of coverage and errors."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=400, help="simulated models a row")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("| a model with a … | tuples | held by the interval | error | error if asked evenly |")
    print("|---|---:|---:|---:|---:|")
    for model in MODELS:
        for tuples in (30, 60, 120):
            rng = np.random.default_rng([arguments.seed, tuples])
            truths = rng.uniform(4.5, 11.5, arguments.models)
            value, low, high = np.transpose([search(model, t, tuples, rng, evenly=False) for t in truths])
            even = np.array([search(model, t, tuples, rng, evenly=True)[0] for t in truths])
            errors = [np.sqrt(np.mean((found - truths) ** 2)) for found in (value, even)]
            cells = f"{100 * held(low, high, truths):.1f} % | {errors[0]:.2f} | {errors[1]:.2f}"
            print(f"| {model.name} | {tuples} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
