"""Plans studies with Winograd schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probsense.planning.study import Planned
from probsense.tasks.base import Answered
from probsense.tasks.hits import Answering
from probsense.tasks.planned_options import plan_options
from probsense.tasks.winogrande.words import WORDS

USUAL: Final = Answering(accuracy=0.7, alike=-0.25, shared=0.3)
"""What is assumed where nothing is known: about what two small models show on the schemas of the package."""


def plan(
    *,
    accuracy: float | None = None,
    alike: float | None = None,
    shared: float | None = None,
    twins: bool = True,
    pilot: Sequence[Answered] = (),
) -> Planned:
    """Plan a study with Winograd schemas.

    Parameters
    ----------
    accuracy : float, optional
        Accuracy that is expected; by default that of the pilot, or .7.
    alike : float, optional
        Correlation of a model's answers to two twins; by default that of the pilot, or -.25: a model leans towards one
        option, and it is right in one of the twins only.
    shared : float, optional
        Correlation of two models' answers to one schema; by default that of two pilots, or .3.
    twins : bool
        Whether schemas come as pairs of twins.
    pilot : sequence of Answered
        Runs of the task.
    """
    given = {"accuracy": accuracy, "alike": alike, "shared": shared}
    return plan_options(WORDS, "schema", 2 if twins else 1, USUAL, given, pilot)
