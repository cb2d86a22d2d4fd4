"""Computes how many items a study needs, from the errors of a pilot: pure numbers.

The squared error of a pilot has two parts. What varies from cluster to cluster of items shrinks in proportion to the
number of clusters. What people or settings add stays as it is, however many items they get, and shrinks with their own
number alone (Cameron, Gelbach & Miller 2011, J. Business & Economic Statistics 29(2), eq. 2.11).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from probsense.analysis.inference.estimate import LEVEL, t_quantile
from probsense.core.errors import InputError

POWER: Final = 0.8
"""The usual probability of finding a difference that is there."""
MOST: Final = 1 << 30
"""Clusters that no study has."""
PEOPLE: Final = "people"
MULTIPLES: Final = (0.25, 0.5, 1, 2, 4)
"""Sizes of studies that a plan always shows, as multiples of the pilot."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """What other units than items add to a squared standard error.

    Attributes
    ----------
    kind : str
        What they are: :data:`PEOPLE` or "settings".
    variance : float
        In the squared unit of the measure.
    units : int
        How many of them there are.
    answers : float
        Mean number of people who answered an item; 0 for settings.
    """

    kind: str
    variance: float
    units: int
    answers: float = 0.0


@dataclass(frozen=True, slots=True)
class Pilot:
    """Hold what a pilot tells about the error of a mean, or of the difference of two.

    Attributes
    ----------
    model, versus : str
        Whose mean it is; ``versus`` is "" unless it is the difference from another one.
    clusters, items : int
        How many were asked.
    variance : float
        Squared standard error of the mean over clusters, in the squared unit of the measure.
    beyond : tuple of Beyond
        What does not shrink with more items.
    """

    model: str
    versus: str
    clusters: int
    items: int
    variance: float
    beyond: tuple[Beyond, ...] = ()

    @property
    def name(self) -> str:
        """Name the model, or the two of a difference."""
        return " − ".join(filter(None, (self.model, self.versus)))

    def stderr(self, clusters: float) -> float:
        """Return the standard error with so many clusters, √(variance · pilot's clusters / clusters + beyond)."""
        return math.sqrt(self.variance * self.clusters / clusters + sum(one.variance for one in self.beyond))

    def freedom(self, clusters: float) -> float:
        """Return the degrees of freedom of that error: those of the rarer units."""
        return min([clusters, *(one.units for one in self.beyond)]) - 1

    def width(self, clusters: float) -> float:
        """Return the width of the 95 % interval from end to end, 2 t · se, with so many clusters."""
        return 2 * t_quantile(self.freedom(clusters), LEVEL) * self.stderr(clusters)

    def power(self, clusters: float, difference: float) -> float:
        """Compute the probability that a two-sided t test at 5 % finds a true difference, with so many clusters.

        The test statistic has the noncentral t distribution with the noncentrality difference / se (Cohen 1988,
        Statistical Power Analysis, chapter 2).

        Parameters
        ----------
        clusters : float
        difference : float
            In the unit of the measure, above 0.
        """
        from scipy.stats import nct

        freedom, shift = self.freedom(clusters), difference / self.stderr(clusters)
        t = t_quantile(freedom, LEVEL)
        return float(nct.sf(t, freedom, shift) + nct.cdf(-t, freedom, shift))

    def items_in(self, clusters: float) -> int:
        """Return how many items so many clusters have, at the pilot's number in each."""
        return math.ceil(clusters * self.items / self.clusters - 1e-9)

    def with_people(self, people: int) -> Pilot:
        """Return the pilot as if other numbers of people had answered, each item as many of them as before.

        If these people are fewer than answered an item, all of the variance over clusters counts as theirs, which
        makes the error too large rather than too small.
        """
        fewer = max([1.0, *(one.answers / people for one in self.beyond)])
        beyond = tuple(
            Beyond(PEOPLE, one.variance * one.units / people, people, min(one.answers, people))
            if one.kind == PEOPLE
            else one
            for one in self.beyond
        )
        return replace(self, variance=self.variance * fewer, beyond=beyond)


@dataclass(frozen=True, slots=True)
class Goal:
    """Hold what a study is to reach: an interval of a width, or the power to find a difference.

    Attributes
    ----------
    width : float or None
        Of the 95 % interval, from end to end.
    difference : float or None
        True difference of two means; one of the two is None.
    power : float
        Probability of finding the difference.
    """

    width: float | None = None
    difference: float | None = None
    power: float = POWER

    @property
    def name(self) -> str:
        """Name what a study reaches."""
        return "width" if self.difference is None else "power"

    def check(self, full: float) -> None:
        """Refuse a goal that no study could have.

        Parameters
        ----------
        full : float
            Range of the measure.

        Raises
        ------
        InputError
            For none or both of the goals, a number that is not within the range, and a power that is no probability.
        """
        if (self.width is None) == (self.difference is None):
            what = "neither a width nor a difference" if self.width is None else "a width and a difference"
            raise InputError(what, expected="either --width or --difference")
        for name, value in (("width", self.width), ("difference", self.difference)):
            if value is not None and not 0 < value < full:
                ends = "" if math.isinf(full) else f" and below {full:g}, the range of the measure"
                raise InputError(f"--{name} {value:g}", expected=f"a number above 0{ends}")
        if not 0 < self.power < 1:
            raise InputError(f"--power {self.power:g}", expected="a probability between 0 and 1, such as .8")

    def at(self, pilot: Pilot, clusters: float) -> float:
        """Return what a study of so many clusters reaches: the width of its interval, or its power."""
        if self.difference is None:
            return pilot.width(clusters)
        return pilot.power(clusters, self.difference)

    def needed(self, pilot: Pilot) -> int | None:
        """Find the smallest number of clusters that reaches the goal; None if no number does.

        Raises
        ------
        InputError
            For a pilot that tells no error.
        """
        if pilot.freedom(pilot.clusters) < 1 or math.isnan(pilot.stderr(pilot.clusters)):
            units = [(pilot.clusters, "clusters"), *((one.units, one.kind) for one in pilot.beyond)]
            few, kind = min(units)
            raise InputError(f"{kind} in the pilot of {pilot.name}: {few}", expected="at least 2")
        if pilot.variance == 0:
            raise InputError(
                f"the items of {pilot.name} do not vary, so that nothing tells the error of further ones",
                expected="a pilot with more items",
            )
        if self.width is not None:
            wide = self.width
            return smallest(lambda clusters: pilot.width(clusters) <= wide)
        return smallest(lambda clusters: self.at(pilot, clusters) >= self.power)


def smallest(enough: Callable[[int], bool]) -> int | None:
    """Find the smallest number from 2 on that is enough, if all larger ones are; None above :data:`MOST`."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    return bisect_left(range(high), True, lo=high // 2 + 1, key=enough)


def shown_sizes(clusters: int, needed: int | None) -> dict[float, int]:
    """List sizes of studies: multiples of the pilot, from a quarter up to what is needed, and clusters of each."""
    multiples = [*MULTIPLES]
    while needed and multiples[-1] * clusters < needed:
        multiples.append(2 * multiples[-1])
    found = {multiple: round(multiple * clusters) for multiple in multiples}
    return {multiple: size for multiple, size in found.items() if size >= 2}
