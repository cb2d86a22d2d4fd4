"""What a measure is called, what it means, and how its values are printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """How values are printed.

    Attributes
    ----------
    suffix : str
        What follows a printed value in a sentence: " %".
    scale : float
        The factor between a value and its printed form: 100 for percentages.
    digits : int
        Decimal places.
    """

    suffix: str = ""
    scale: float = 1.0
    digits: int = 3


NUMBER: Final = Unit()
PERCENT: Final = Unit(" %", 100, 1)
POINTS: Final = Unit(" points", 100, 1)


class Landmark(NamedTuple):
    """A value that means the same for every estimate of a measure, and its name."""

    value: float
    name: str


class Shortcut(NamedTuple):
    """How a shortcut ceiling is reached, as a noun for sentences ("counting"), and what the ceiling means."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is shown.

    Attributes
    ----------
    title : str
    meaning : str
        One or two sentences for a reader who has never met it, without the first capital letter.
    unit : Unit
    bounds : (float, float)
        The smallest and the largest possible value.
    landmark : Landmark or None
        What guessing gets is no landmark: each estimate knows it by itself.
    """

    title: str
    meaning: str = ""
    unit: Unit = NUMBER
    bounds: tuple[float, float] = (0, 1)
    landmark: Landmark | None = None

    @property
    def heading(self) -> str:
        """The title with the unit, for the head of a column."""
        return f"{self.title} in{self.unit.suffix}" if self.unit.suffix else self.title

    def number(self, value: float) -> str:
        """Print a value without its unit; "?" if it is unknown. Zero has no sign, nor has what is printed as zero."""
        if math.isnan(value):
            return "?"
        return f"{value * self.unit.scale:z.{self.unit.digits}f}"


ACCURACY: Final = Measure("Accuracy", "the share of questions answered rightly", PERCENT)


@dataclass(frozen=True, slots=True)
class Group:
    """Measures that share one table, which has a row for each rater.

    Attributes
    ----------
    title : str
    meaning : str
        What the table as a whole tells.
    measures : tuple of str
        The first one sorts the rows.
    detail : bool
        Whether only the page shows the table, to keep a terminal readable.
    lowest_first : bool
        Whether the lowest value comes first, because less is better.
    """

    title: str
    meaning: str
    measures: tuple[str, ...]
    detail: bool = False
    lowest_first: bool = False


@dataclass(frozen=True, slots=True)
class KeyResult:
    """What one model achieved.

    Attributes
    ----------
    model : str
    said : str
        The rest of a sentence that begins with the model's name.
    rest : str
        Further sentences.
    """

    model: str
    said: str
    rest: str


class KeyResults(NamedTuple):
    """The opening words of a task's report: one sentence about all models, and what each achieved."""

    headline: str
    models: list[KeyResult]
