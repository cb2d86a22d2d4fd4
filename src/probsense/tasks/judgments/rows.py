"""Rows of a run's table: what the answer to each question amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import polars as pl

from probsense.analysis.distributions import label_mass as labels
from probsense.core.records import LabelResponse, Response
from probsense.tasks.judgments.sampling import Sampling

COLUMNS: Final = {
    "id": pl.String,
    "statement_id": pl.Int64,
    "question": pl.String,
    "p_yes": pl.Float64,
    "p_no": pl.Float64,
    "p_other": pl.Float64,
    "n": pl.Int64,
    "low_yes": pl.Float64,
    "high_yes": pl.Float64,
    "source": pl.String,
    "note": pl.String,
}
"""Columns of a run's table: what was asked; the probability of yes, of no and of anything else; the number of texts
behind it (null if it is exact); the bounds of the probability of yes (null if it is exact); where it comes from; a note
on how it was read, "" for none."""

Row: TypeAlias = tuple[float, float, float, int | None, float | None, float | None, str, str]
"""The last eight of the columns."""


def read_mass(response: Response) -> Row:
    """Read the mass of both labels.

    Raises
    ------
    TypeError
        For a response of another kind, which only a faulty model gives.
    """
    if not isinstance(response, LabelResponse):
        raise TypeError(f"a judgment cannot be read from {response!r}")
    yes, no, other = response.mass["yes"], response.mass["no"], response.other
    # What the most probable tokens leave out may be anything.
    bounds = response.bounds["yes"] if response.bounds else (None, None)
    return yes, no, other, None, *bounds, response.source, response.note


def read_texts(texts: Sequence[str], sampling: Sampling) -> Row:
    """Count the texts that say yes, no and something else."""
    counts = sampling.count(texts)
    low, high = (float(end[0]) for end in labels.dirichlet_interval(counts))
    yes, no, other = labels.trial_mass(counts).tolist()
    return yes, no, other, int(counts.sum()), low, high, "sampled", sampling.ending(counts)
