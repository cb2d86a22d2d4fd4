"""Estimates in print: a cell of a table, a phrase in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from probsense.show.measure import Measure
from probsense.stats.estimate import Estimate


def half_width(estimate: Estimate, measure: Measure) -> str:
    """Print the value and the half-width of its interval: ``61.2 (2.3)``, or ``61.2 (?)`` if that is unknown."""
    half = (estimate.high - estimate.low) / 2
    return f"{measure.number(estimate.value)} ({measure.number(half)})"


def both_ends(estimate: Estimate, measure: Measure) -> str:
    """Print the value and both ends of its interval: ``61.2 [58.9, 63.5]``, or ``61.2 [?, ?]``."""
    low, high = measure.number(estimate.low), measure.number(estimate.high)
    return f"{measure.number(estimate.value)} [{low}, {high}]"


class Notation(NamedTuple):
    """How cells are written, and how the title of the table explains it, given the level."""

    cell: Callable[[Estimate, Measure], str]
    legend: str


HALF_WIDTHS: Final = Notation(half_width, "± half-width of the {} interval")
ENDS: Final = Notation(both_ends, "with the ends of the {} interval")


def interval(estimate: Estimate, measure: Measure) -> str:
    """Describe the interval, as far as the bounds of the measure reach: ``95 % interval 58.9–63.5``."""
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return "interval unknown"
    joint = " to " if measure.bounds[0] < 0 else "–"
    low = measure.number(max(estimate.low, measure.bounds[0]))
    high = measure.number(min(estimate.high, measure.bounds[1]))
    return f"{level(estimate)} interval {low}{joint}{high}"


def in_sentence(estimate: Estimate, measure: Measure) -> str:
    """Print value, unit and interval: ``61.2 % (95 % interval 58.9–63.5)``."""
    return f"{measure.number(estimate.value)}{measure.unit.suffix} ({interval(estimate, measure)})"


def level(estimate: Estimate) -> str:
    """Print the level of the interval: ``95 %``."""
    return f"{estimate.level * 100:g} %"
