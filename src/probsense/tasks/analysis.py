"""What recorded answers amount to: the one shape in which every ``analyse`` gives its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probsense.records import Json
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Analysis:
    """Figures of recorded answers.

    Attributes
    ----------
    task : str
    run : Mapping
        What was analysed, and how.
    estimates : list of Estimate
    coverage : list of Mapping
        How much was asked and answered, and by whom.
    notes : list of str
        Everything that a reader of the figures must know: what was left out, repeated, missing.
    tables : Mapping of str to DataFrame
        What charts are drawn from, by the name of the chart: tidy, one row for each thing that is drawn.
    """

    task: str
    run: Mapping[str, Json]
    estimates: list[Estimate]
    coverage: list[Mapping[str, Json]]
    notes: list[str]
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The analysis as the JSON document that ``analyse --json`` prints."""
        return {
            "schema": 1,
            "task": self.task,
            "run": dict(self.run),
            "estimates": [estimate.to_json() for estimate in self.estimates],
            "coverage": [dict(row) for row in self.coverage],
            "notes": list(self.notes),
        }
