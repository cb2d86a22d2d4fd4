"""How figures are called, written and explained."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from probsense.report import frame_words, judgment_words
from probsense.report.measure import Measure
from probsense.stats.estimate import Estimate

MEASURES: Mapping[str, Measure] = {
    "accuracy": Measure(
        "Accuracy", "the share of questions answered rightly", 100, 1, " %", (0, 1), None, ""
    ),
    "bias": Measure(
        "Bias",
        "which way the answers lean, whatever the question: +1 is always “true”, “possible” or a definite"
        " answer, −1 always “false”, “impossible” or “cannot be decided”, and 0 no leaning; guessing gives 0,"
        " but about +0.33 on Compl problems, where two of the three answers are definite",
        1,
        2,
        "",
        (-1, 1),
        0.0,
        "no leaning",
    ),
    "strict_accuracy": Measure(
        "Strict accuracy",
        "accuracy that also counts it as wrong to pick the opposite of a right definite answer",
        100,
        1,
        " %",
        (0, 1),
        None,
        "",
    ),
    "p_gold": Measure(
        "Probability of the right option",
        "the mean probability that the right option gets among the options",
        100,
        1,
        " %",
        (0, 1),
        None,
        "",
    ),
    "brier": Measure(
        "Brier score",
        "the squared distance between the probabilities and the truth, summed over the options: 0 is certain"
        " and right, 2 certain and wrong, and equal probabilities for k options get 1 − 1/k",
        1,
        3,
        "",
        (0, 2),
        None,
        "",
    ),
    "log_score": Measure(
        "Log score",
        "minus the logarithm of the probability of the right option, in nats: 0 is certain and right, and equal"
        " probabilities for k options get log k (0.693 for two)",
        1,
        3,
        "",
        (0, math.inf),
        None,
        "",
    ),
    "calibration_error": Measure(
        "Expected calibration error",
        "how far, on average, the probability of the chosen option is from how often that option is right, in"
        " ten bins of probability; few questions make it larger than it is",
        100,
        1,
        " %",
        (0, 1),
        None,
        "",
    ),
    "calibration_gap": Measure(
        "Calibration gap",
        "accuracy minus the mean probability of the chosen option, where that probability lies in a bin: below 0"
        " is too sure, above 0 not sure enough",
        100,
        1,
        " %",
        (-1, 1),
        0.0,
        "calibrated",
    ),
    **judgment_words.MEASURES,
    **frame_words.MEASURES,
}

METHODS: Mapping[str, str] = {
    "published": (
        "the benchmark's own calculation: questions that depend on one another count as one observation, every"
        " problem and size weighs the same, and answers are weighted so that always giving the same one gets"
        " 50 % right, and so does guessing"
    ),
    "stratified": (
        "the same averages with the standard error of a stratified sample, so that differences between"
        " problems and sizes do not widen the interval"
    ),
    "corrected": "gold answers that an independent solver found wrong are replaced by its own",
    "clustered": (
        "the mean over questions; the interval takes questions that belong together for dependent, and has"
        " Student's t for the number of such clusters"
    ),
    "cluster bootstrap": (
        "the interval holds 95 % of the figures that come out when questions, those that belong together as one,"
        " are drawn anew from those that were asked"
    ),
}

_OF_TASKS = (
    (judgment_words.MEASURES, judgment_words.METHODS),
    (frame_words.MEASURES, frame_words.METHODS),
)

VIEWS: Mapping[str, str] = {
    "sum": "the log-probability of the option",
    "token": "the log-probability of the option, divided by its number of tokens",
    "char": "the log-probability of the option, divided by its number of characters",
    "byte": "the log-probability of the option, divided by its number of bytes",
    "mean_prob": (
        "the mean probability of the option's tokens; one near-certain token outweighs an improbable one"
    ),
    "partial": "the log-probability of what follows the option",
    "full": "the log-probability of the option and of what follows it",
    "pmi": "by how much the prefix makes the option more probable than a neutral prefix does",
}
"""What picks the answer under each view of option scores."""


def method_meaning(measure: str, method: str) -> str:
    """What a method of estimating a measure is; "" where there is nothing to say."""
    for measures, methods in _OF_TASKS:
        if measure in measures and method in methods:
            return methods[method]
    return METHODS.get(method, "")


def measure_of(name: str) -> Measure:
    """How the measure of that name is shown; a plain style for measures that have none of their own."""
    plain_style = Measure(name.replace("_", " ").capitalize(), "", 1, 3, "", (0, 1), None, "")
    return MEASURES.get(name, plain_style)


def cell(estimate: Estimate) -> str:
    """Value and half-width of the interval, as WorldSense prints them: ``61.2 (2.3)``, ``-0.34 (0.01)``.

    An unknown interval shows as ``61.2 (?)``.
    """
    style = measure_of(estimate.measure)
    return f"{style.number(estimate.value)} ({style.number((estimate.high - estimate.low) / 2)})"


def bounded(estimate: Estimate) -> str:
    """Value and ends of the interval: ``61.2 [58.9, 63.5]``, ``61.2 [?, ?]``."""
    style = measure_of(estimate.measure)
    return f"{style.number(estimate.value)} [{style.number(estimate.low)}, {style.number(estimate.high)}]"


class Notation(NamedTuple):
    """How a figure is written in a cell, and what the title of its table says of that, given the levels."""

    cell: Callable[[Estimate], str]
    legend: str


HALF_WIDTHS = Notation(cell, "± half-width of the {} interval")
ENDS = Notation(bounded, "with the ends of the {} interval")


def interval(estimate: Estimate) -> str:
    """The interval in words, as far as the measure goes: ``95 % interval 58.9–63.5``."""
    style = measure_of(estimate.measure)
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return "interval unknown"
    joint = " to " if style.bounds[0] < 0 else "–"
    low, high = (
        style.number(max(estimate.low, style.bounds[0])),
        style.number(min(estimate.high, style.bounds[1])),
    )
    return f"{estimate.level * 100:g} % interval {low}{joint}{high}"


def sentence_value(estimate: Estimate) -> str:
    """Value, unit and interval in words: ``61.2 % (95 % interval 58.9–63.5)``."""
    style = measure_of(estimate.measure)
    return f"{style.number(estimate.value)}{style.unit} ({interval(estimate)})"


def plain(text: object) -> str:
    """Text that is safe to show on one line: control and other invisible characters replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


def shorten(text: str, width: int) -> str:
    """At most ``width`` characters, cut in the middle: the start and the end of a name tell most."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"
