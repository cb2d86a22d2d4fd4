"""Finds the smallest size of a study that does what is wanted, from simulations that are only nearly exact."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from probsense.analysis.inference.quantiles import normal_quantile
from probsense.core.errors import InputError
from probsense.show.measure import Measure
from probsense.show.text import counted
from probsense.studies.planning.simulated import ALPHA, Mean, Simulated
from probsense.tasks.shared.planning import Study

START = 100
"""The size at which a search begins."""
STEPS = 12
"""The largest number of steps of a search."""
STEP = 1.02
"""The step to a larger size, as a multiple, where the power falls short."""
NEAR, NEARLY = 0.005, 0.03
"""A width that is this near, as a share, is the one that was looked for, finally and in a rough search."""
AROUND = (0.75, 0.87, 1.0, 1.15, 1.33)
"""The sizes around the one that was found roughly, as multiples, at which the power is simulated in full."""
APART = 0.2
"""Logarithm of the ratio of two sizes that tell how widths fall with the size."""
LEAST_SLOPE, MOST_SLOPE = -1.2, -0.05
"""Between these, the logarithm of a width falls with the logarithm of the size; it is −½ for independent answers."""


def size_of_width(found: Simulated, half: float, measure: Measure) -> int:
    """Find the size at which intervals have a mean half-width: secants in logarithms of both.

    Where studies take long, a rough search finds the neighbourhood.

    Parameters
    ----------
    found : Simulated
    half : float
    measure : Measure
        In which an error names widths.

    Raises
    ------
    InputError
        If the largest size gives wider intervals; it names their width.
    """
    study = found.study
    size = min(max(START, study.least), study.most)
    slope, tried, rough = -0.5, dict[int, float](), study.slow
    for _ in range(STEPS):
        here, error, _ = found.half_width(size, rough=rough)
        apart = math.log(here / half)
        ends = (size == study.most and apart > 0) or (size == study.least and apart < 0)
        if rough and (ends or abs(apart) <= max(error / here, NEARLY)):
            rough, tried = False, {}
            continue
        # A size of few units cannot come nearer than the next unit, nor a simulation than its error.
        if 0 >= apart >= -max(NEAR, 0.5 / size) or abs(apart) <= error / here:
            return size
        if size == study.most and apart > 0:
            raise InputError(
                f"{counted(size, study.unit)} still give an interval of ± {measure.number(here)}"
                f"{_points(measure)}, and no more are tried",
                expected=f"a width above {2 * here:.3g}, or other assumptions",
            )
        if size == study.least and apart < 0:
            return size
        # Between sizes that are much alike, the error of the simulation is all that a slope would tell.
        for other, there in reversed(tried.items()):
            if abs(math.log(size / other)) > APART:
                slope = (apart - there) / math.log(size / other)
                slope = min(max(slope, LEAST_SLOPE), MOST_SLOPE)
                break
        tried[size] = apart
        # A little more than enough, so that the last step does not end just before the goal.
        wanted = size * math.exp((-apart - NEAR / 2) / slope)
        following = min(max(rounded(wanted), study.least, size // 20), study.most, size * 20)
        if following == size:
            following += 1 if apart > 0 else -1
        if following in tried:
            break
        size = following
    return min(tried, key=lambda one: abs(tried[one]), default=size)


def size_of_power(found: Simulated, power: float) -> int:
    """Find the size at which a difference shows with a power.

    The quantile of the power is nearly a straight line in the square root of the size: Φ⁻¹(power) = √n·δ/σ − z for a
    difference δ of means with the standard error σ/√n. A rough search finds the neighbourhood; a line through sizes
    there, by weighted least squares, says where it crosses the goal.

    Parameters
    ----------
    found : Simulated
    power : float

    Raises
    ------
    InputError
        If the largest size has less power; it names that power.
    """
    study, goal = found.study, _quantile(power)
    size = min(max(START, study.least), study.most)
    for _ in range(STEPS):
        here = found.power(size, rough=True)
        if size == study.most:
            _check_power(here, study, power)
        slope = (_quantile(_inside(here)) + normal_quantile(1 - ALPHA)) / math.sqrt(size)
        wanted = ((goal + normal_quantile(1 - ALPHA)) / max(slope, 1e-9)) ** 2
        if not 0.02 < here.value < 0.995:
            wanted = min(max(wanted, size / 4), size * 8)
        following = min(max(rounded(wanted), study.least), study.most, size * 16)
        if 0.75 < following / size < 1.33:
            size = following
            break
        size = following
    sizes = sorted({min(max(rounded(size * times), study.least), study.most) for times in AROUND})
    size = _crossing([(each, found.power(each)) for each in sizes], goal, size)
    size = min(max(size, study.least), study.most)
    near = [(each, found.power(each)) for each in {*sizes, size}]
    size = min(max(_crossing(near, goal, size), study.least), study.most)
    # The line may end a little short of the goal: the size that is named has the power in its own simulation.
    while size < study.most and found.power(size).value < power:
        size = min(max(rounded(size * STEP), size + 1), study.most)
    if size == study.most:
        _check_power(found.power(size), study, power)
    return size


def _check_power(here: Mean, study: Study, power: float) -> None:
    """Refuse a power that the largest size does not have."""
    if here.value + 2 * here.error < power:
        raise InputError(
            f"{counted(study.most, study.unit)} show the difference with {100 * here.value:.0f} % power only, and no"
            " more are tried",
            expected="a larger difference, less power, or other assumptions",
        )


def rounded(size: float) -> int:
    """Round a size up to three digits."""
    whole = max(math.ceil(size - 1e-9), 1)
    step = int(10 ** max(len(str(whole)) - 3, 0))
    return -(-whole // step) * step


def _crossing(points: Sequence[tuple[int, Mean]], goal: float, otherwise: int) -> int:
    """Return the size at which a line through the quantiles of powers crosses the goal."""
    if len(points) < 2:
        return otherwise
    root = np.sqrt([size for size, _ in points])
    quantile = np.array([_quantile(_inside(mean)) for _, mean in points])
    # The error of a quantile is that of the power over the density there.
    weight = np.array(
        [math.exp(-(q**2)) / mean.error**2 for q, (_, mean) in zip(quantile, points, strict=True)]
    )
    centre = weight @ root / weight.sum(), weight @ quantile / weight.sum()
    slope = (weight * (root - centre[0])) @ (quantile - centre[1]) / (weight @ (root - centre[0]) ** 2)
    if slope <= 0:
        return otherwise
    found = float(centre[0] + (goal - centre[1]) / slope)
    # The line is one of the neighbourhood: beyond it, it says little.
    within = min(max(found, root.min() / 1.5), root.max() * 1.5)
    return rounded(within**2)


def _inside(mean: Mean) -> float:
    return min(max(mean.value, 0.5 / mean.studies), 1 - 0.5 / mean.studies)


def _quantile(power: float) -> float:
    return normal_quantile(2 * power - 1)


def _points(measure: Measure) -> str:
    return " points" if measure.unit.suffix == " %" else measure.unit.suffix
