"""Plans studies with suites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probsense.planning.study import Planned
from probsense.tasks.base import Answered
from probsense.tasks.hits import Answering
from probsense.tasks.planned_options import plan_options
from probsense.tasks.suite.words import WORDS

USUAL: Final = Answering(accuracy=0.7, alike=0.0, shared=0.3)
"""What is assumed where nothing is known."""


def plan(
    *, accuracy: float | None = None, shared: float | None = None, pilot: Sequence[Answered] = ()
) -> Planned:
    """Plan a study with a suite.

    Parameters
    ----------
    accuracy : float, optional
        Accuracy that is expected; by default that of the pilot, or .7.
    shared : float, optional
        Correlation of two models' answers to one context; by default that of two pilots, or .3.
    pilot : sequence of Answered
        Runs of the task.
    """
    return plan_options(WORDS, "context", 1, USUAL, {"accuracy": accuracy, "shared": shared}, pilot)
