"""Estimates of one task with the words in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable

from probsense.analysis.inference.estimate import Estimate
from probsense.core.shown import Shown
from probsense.show.words import Words


class Estimates(Shown, list[Estimate]):
    """List estimates of one task; a notebook shows them as tables.

    Parameters
    ----------
    found : iterable of Estimate
    words : Words
        Those of the task.
    """

    def __init__(self, found: Iterable[Estimate], words: Words) -> None:
        super().__init__(found)
        self.words = words
