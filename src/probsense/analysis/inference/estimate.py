"""Defines the form of every estimate that leaves ProbSense, its flat rows in tables, and how wide intervals are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Self

from probsense.core.records import Json

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

    from probsense.analysis.arrays import Floats

LEVEL: Final = 0.95
"""Nominal coverage of intervals."""
Z: Final = 1.959963984540054
"""Half the width of a normal interval of that coverage, in standard errors."""
NO_INTERVAL: Final = "no interval"
"""What is said of an estimate without an interval if nothing more is known."""
TWO_WAY: Final = "two-way clustered"
"""The method of means whose errors come from units of two kinds."""


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
    no_interval : str
        Why there is no interval, in two or three words, where the numbers of observations and clusters do not tell; ""
        otherwise, which JSON leaves out.
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
    no_interval: str = ""

    def __eq__(self, other: object) -> bool:
        """Compare field by field; numbers that are unknown in both are equal, as they are not by themselves."""
        if not isinstance(other, Estimate):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(one == their or (one != one and their != their) for one, their in pairs)

    @property
    def units(self) -> int:
        """Return how many independent units the error rests on: settings, or else clusters."""
        return self.settings or self.clusters

    @property
    def why_no_interval(self) -> str:
        """Say in two or three words why the interval is unknown; "" if it is known."""
        if not (math.isnan(self.low) or math.isnan(self.high)):
            return ""
        if self.no_interval:
            return self.no_interval
        if self.n < 2:
            return "one answer"
        return "one cluster" if self.clusters < 2 else NO_INTERVAL

    def to_json(self) -> dict[str, Json]:
        """Return the estimate as a JSON object; unknown numbers are null."""
        left_out = {
            "settings": not self.settings,
            **dict.fromkeys(("shortcut_ceiling", "shortcut_stderr"), math.isnan(self.shortcut_ceiling)),
            "p": not math.isfinite(self.p),
            "no_interval": not self.no_interval,
        }
        values = ((f.name, getattr(self, f.name)) for f in fields(self) if not left_out.get(f.name))
        known = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in values
        }
        return {**known, "by": dict(self.by)}

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Self:
        """Make an estimate of the JSON object that :meth:`to_json` returns."""
        numbers: dict[str, Any] = {key: math.nan if value is None else value for key, value in known.items()}
        return cls(**numbers)


FIRST: Final = ("task", "model", "prompting", "measure", "method")
"""The columns of a frame that come first; after them come the other keys of what estimates describe."""
NUMBERS: Final = (
    "value",
    "low",
    "high",
    "stderr",
    "level",
    "chance",
    "shortcut_ceiling",
    "shortcut_stderr",
    "p",
)
COUNTS: Final = ("n", "clusters", "settings")


def flat_rows(found: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Flatten estimates: the measure, the method, the keys that any of them describes itself by, and the rest.

    Parameters
    ----------
    found : sequence of mapping
        As :meth:`Estimate.to_json` writes them; further keys may stand beside those.
    """
    described = [by if isinstance(by := one["by"], dict) else {} for one in found]
    keys = dict.fromkeys(key for by in described for key in by)
    return [
        {
            "measure": one["measure"],
            "method": one["method"],
            **{key: by.get(key) for key in keys},
            **{key: value for key, value in one.items() if key not in ("measure", "method", "by")},
        }
        for one, by in zip(found, described, strict=True)
    ]


def flat_frame(
    rows: Sequence[Mapping[str, Json]], numbers: Sequence[str] = (), counts: Sequence[str] = ()
) -> pl.DataFrame:
    """Make a frame of flat rows, in which a column has the same place and type whatever the estimates know.

    Parameters
    ----------
    rows : sequence of mapping
        Those of :func:`flat_rows`, with "task".
    numbers, counts : sequence of str
        Further columns of numbers and of counts.

    Returns
    -------
    DataFrame
        The columns :data:`FIRST`, the other keys of what estimates describe, :data:`NUMBERS`, ``numbers``,
        :data:`COUNTS` and ``counts``; null where a row lacks one or it is NaN. Other keys
        are numbers where all are numbers, else texts.
    """
    import polars as pl

    real, whole = (*NUMBERS, *numbers), (*COUNTS, *counts)
    known = dict.fromkeys(key for row in rows for key in row if key not in (*FIRST, *real, *whole))
    types: dict[str, type[pl.DataType] | None] = {
        **dict.fromkeys(FIRST, pl.String),
        **known,
        **dict.fromkeys(real, pl.Float64),
        **dict.fromkeys(whole, pl.Int64),
    }
    frame = pl.DataFrame(rows, types, infer_schema_length=None, strict=False)
    return frame.fill_nan(None).cast({pl.Null: pl.String})


def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Return half the width of an interval of Student's t, in standard errors.

    Parameters
    ----------
    freedom : float
        Degrees of freedom.
    level : float
        Nominal coverage of the interval.
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def t_p_value(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the two-sided p-value of Student's t.

    Parameters
    ----------
    t, freedom : array_like, of shapes that broadcast
        The statistic and its degrees of freedom.
    """
    import numpy as np
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(freedom, -np.abs(t)))
