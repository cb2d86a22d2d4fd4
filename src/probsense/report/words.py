"""How figures are called, written and explained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from probsense.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is shown.

    Attributes
    ----------
    title : str
    meaning : str
        One or two sentences for a reader who has never met it.
    scale : float
        What a value is multiplied with to be printed: 100 for percentages.
    digits : int
        Decimal places printed.
    unit : str
        What follows a printed value in a sentence.
    bounds : (float, float)
        The smallest and the largest value there can be.
    landmark : float or None
        The value that a model without any knowledge or leaning would get.
    landmark_name : str
    """

    title: str
    meaning: str
    scale: float
    digits: int
    unit: str
    bounds: tuple[float, float]
    landmark: float | None
    landmark_name: str

    def number(self, value: float) -> str:
        """A value in print, without its unit; "?" where it is unknown."""
        if math.isnan(value):
            return "?"
        return f"{value * self.scale:.{self.digits}f}"


_ACCURACY_MEANING = (
    "the share of questions answered rightly, weighted so that always giving the same answer gets"
    " 50 %, and so does guessing"
)

MEASURES: Mapping[str, Measure] = {
    "accuracy": Measure("Accuracy", _ACCURACY_MEANING, 100, 1, " %", (0, 1), 0.5, "chance"),
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
}

METHODS: Mapping[str, str] = {
    "published": (
        "the benchmark's own calculation: questions that depend on one another count as one observation, and"
        " every problem and size weighs the same"
    ),
    "stratified": (
        "the same averages with the standard error of a stratified sample, so that differences between"
        " problems and sizes do not widen the interval"
    ),
    "corrected": "gold answers that an independent solver found wrong are replaced by its own",
}


def measure_of(name: str) -> Measure:
    """How the measure of that name is shown; a plain style for measures that have none of their own."""
    plain_style = Measure(name.replace("_", " ").capitalize(), "", 1, 3, "", (0, 1), None, "")
    return MEASURES.get(name, plain_style)


def cell(estimate: Estimate) -> str:
    """Value and half-width of the interval, as WorldSense prints them: ``61.2 (2.3)``, ``-0.34 (0.01)``.

    An unknown interval shows as ``61.2 (?)``.
    """
    style = measure_of(estimate.measure)
    return f"{style.number(estimate.value)} ({style.number(estimate.high - estimate.value)})"


def interval(estimate: Estimate) -> str:
    """The interval in words: ``95 % interval 58.9–63.5``."""
    style = measure_of(estimate.measure)
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return "interval unknown"
    joint = " to " if style.bounds[0] < 0 else "–"
    low, high = style.number(estimate.low), style.number(estimate.high)
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
