"""What a plan can be asked for: a width, or a difference with a power."""

from __future__ import annotations

import math
from typing import Final

from probsense.core.errors import InputError
from probsense.show.measure import Measure
from probsense.tasks.shared.planning import Planned

POWER: Final = 0.8
MODELS: Final = 2
MOST_MODELS: Final = 20
FEWEST_STUDIES: Final = 50


def unit_of_difference(measure: Measure) -> str:
    """Return the unit of differences: points, where the measure is in per cent."""
    return " points" if measure.unit.suffix == " %" else measure.unit.suffix


def check_goals(
    planned: Planned, width: float | None, difference: float | None, power: float, models: int, studies: int
) -> None:
    """Refuse what cannot be wanted.

    Raises
    ------
    InputError
    """
    if width is None and difference is None:
        raise InputError(
            "neither a width nor a difference", expected="--width .08, --difference .05, or both"
        )
    low, high = planned.measure.bounds
    measured_in_points = unit_of_difference(planned.measure) == " points"
    within = "above 0" if math.isinf(high - low) else f"above 0 and below {high - low:g}"
    for what, value in (("width", width), ("difference", difference)):
        if value is not None and not (0 < value < high - low and math.isfinite(value)):
            points = (
                f"; {value:g} points are {value / 100:g}" if measured_in_points and 1 < value < 100 else ""
            )
            raise InputError(f"a {what} of {value:g}", expected=f"{within}{points}")
    if not 0.05 < power < 1:
        raise InputError(f"a power of {power:g}", expected="above .05 and below 1")
    if not MODELS <= models <= MOST_MODELS:
        raise InputError(f"{models} models", expected=f"{MODELS} to {MOST_MODELS}")
    if studies < FEWEST_STUDIES:
        raise InputError(f"{studies} simulated studies", expected=f"at least {FEWEST_STUDIES}")
