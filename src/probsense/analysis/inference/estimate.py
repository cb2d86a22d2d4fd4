"""Defines the form of every estimate that leaves ProbSense."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from probsense.core.records import Json


@dataclass(frozen=True, slots=True)
class Estimate:
    """Hold a number with its uncertainty.

    Attributes
    ----------
    measure : str
        What is estimated: "accuracy", "bias", ...
    by : Mapping[str, Json]
        Part of the data that the estimate is about: model, prompting, problem, ...
    value, stderr, low, high : float
        Estimate, its standard error and its interval, in the measure's own unit; NaN where unknown.
    level : float
        Nominal coverage of the interval.
    n : int
        Number of observations, as the method counts them.
    clusters : int
        Number of independent clusters.
    method : str
        Method of estimation.
    chance : float
        Expected value of guessing; NaN where it is unknown or has no meaning.
    settings : int
        Number of settings (such as skins of WorldSense) if the interval speaks for other settings, too; 0 if it speaks
        for other questions only. JSON leaves out a 0.
    shortcut_ceiling, shortcut_stderr : float
        What responders reach that avoid what the task is about, and its standard error; NaN where unknown, and JSON
        then leaves them out.
    p : float
        Two-sided p-value of the value being 0, by the error of the interval; NaN where nothing is tested. JSON leaves
        out a NaN.
    """

    measure: str
    by: Mapping[str, Json]
    value: float
    stderr: float
    low: float
    high: float
    level: float
    n: int
    clusters: int
    method: str
    chance: float = math.nan
    settings: int = 0
    shortcut_ceiling: float = math.nan
    shortcut_stderr: float = math.nan
    p: float = math.nan

    @property
    def units(self) -> int:
        """Return how many independent units the error rests on: settings, or else clusters."""
        return self.settings or self.clusters

    def to_json(self) -> dict[str, Json]:
        """Return the estimate as a JSON object; unknown numbers are null."""
        shortcut: dict[str, Json] = {
            "shortcut_ceiling": _known(self.shortcut_ceiling),
            "shortcut_stderr": _known(self.shortcut_stderr),
        }
        return {
            "measure": self.measure,
            "by": dict(self.by),
            "value": _known(self.value),
            "stderr": _known(self.stderr),
            "low": _known(self.low),
            "high": _known(self.high),
            "level": self.level,
            "n": self.n,
            "clusters": self.clusters,
            "method": self.method,
            "chance": _known(self.chance),
            **({"settings": self.settings} if self.settings else {}),
            **({} if math.isnan(self.shortcut_ceiling) else shortcut),
            **({"p": self.p} if math.isfinite(self.p) else {}),
        }

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Self:
        """Make an estimate of the JSON object that :meth:`to_json` returns."""
        numbers: dict[str, Any] = {key: math.nan if value is None else value for key, value in known.items()}
        return cls(**numbers)


def _known(x: float) -> float | None:
    return x if math.isfinite(x) else None
