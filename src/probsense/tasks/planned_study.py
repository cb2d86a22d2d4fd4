"""What a task tells of its studies, so that they can be planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from probsense.core.records import Json
from probsense.show.measure import Measure

Floats = NDArray[np.float64]


class Study(Protocol):
    """Studies of any size, as a task imagines them: it draws their answers, and measures them as it measures a run."""

    @property
    def unit(self) -> str:
        """What its size counts, in the singular: "tuple"."""

    @property
    def least(self) -> int:
        """The smallest size that can be measured."""

    @property
    def most(self) -> int:
        """The largest size that is tried."""

    @property
    def slow(self) -> bool:
        """Whether an interval takes so long that few studies must do."""

    def counts(self, size: int) -> Mapping[str, int]:
        """Return what else a study of a size takes, by what it is called in print."""

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Simulate studies of one model.

        Returns
        -------
        ndarray, shape (studies, 2)
            The ends of the interval that each of them reports.
        """

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Simulate studies of several models, the first of which is better than all others by a difference.

        Returns
        -------
        ndarray, shape (studies,)
            The p-value of the first model against the second, adjusted for all pairs of models by Holm's method.
        """


class Setting(NamedTuple):
    """One way to lay a study out: what is fixed, by its name in print, and the study whose size is looked for."""

    given: Mapping[str, int]
    study: Study


@dataclass(frozen=True, slots=True)
class Planned:
    """What a task plans: a measure, what is assumed, and the ways to lay a study out.

    Attributes
    ----------
    title : str
        What the task is called.
    measure : Measure
    value : float
        The value around which the interval lies.
    assumed : Mapping
        Every assumption, by the name of its option.
    settings : sequence of Setting
    notes : sequence of str
        Where the assumptions come from, and what else a reader should know.
    compared : Measure, optional
        The measure of the difference, if it is another one.
    called : str
        What a sentence calls the value; without it, the title of the measure.
    """

    title: str
    measure: Measure
    value: float
    assumed: Mapping[str, Json]
    settings: Sequence[Setting]
    notes: Sequence[str] = field(default=())
    compared: Measure | None = None
    called: str = ""
