"""Answers of a run: texts in place of probabilities, and what each answer amounts to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.distributions import label_mass as labels
from probsense.core.records import LabelResponse, Request, Response, SampleRequest, SampleResponse

MAX_TOKENS = 8
"""The length of a sampled text: its first word counts, and something may stand before it."""
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


def texts_request(prompt: str, item: str, trials: int, seed: int, system: str = "") -> SampleRequest:
    """Ask for texts of which the first word counts."""
    return SampleRequest(prompt, trials, MAX_TOKENS, temperature=1.0, seed=seed, item=item, system=system)


def texts_of(requests: Sequence[Request], answers: Mapping[Request, Response]) -> list[str]:
    """Collect the texts that answer the requests."""
    found = (answers.get(request) for request in requests)
    return [text for answer in found if isinstance(answer, SampleResponse) for text in answer.texts]


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


def read_texts(texts: Sequence[str], words: Sequence[tuple[str, Sequence[str]]]) -> Row:
    """Count the texts that say yes, no and something else; ``words`` are the labels with those that stand for each."""
    classes = Counter(labels.text_class(text, words) for text in texts)
    counts = np.array([classes[name] for name in ("yes", "no", "other")])
    low, high = (float(end[0]) for end in labels.dirichlet_interval(counts))
    yes, no, other = labels.trial_mass(counts).tolist()
    return yes, no, other, int(counts.sum()), low, high, "sampled", ""
