"""What a page is made of: measures, groups of them and findings, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass


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
        A value that means the same for every estimate; what guessing gets is known to the estimate itself.
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


@dataclass(frozen=True, slots=True)
class Group:
    """Measures that are shown side by side, in one table with a row for each rater.

    Attributes
    ----------
    title : str
    meaning : str
        What the table as a whole tells.
    measures : tuple of str
        The rows are sorted by the first of them.
    detail : bool
        Whether they are for the page alone, since a terminal would be full of them.
    lowest_first : bool
        Whether the rows rise, where less is better.
    """

    title: str
    meaning: str
    measures: tuple[str, ...]
    detail: bool = False
    lowest_first: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What one model achieved: its name, a sentence that goes on from it, and what there is to say besides."""

    model: str
    said: str
    rest: str
