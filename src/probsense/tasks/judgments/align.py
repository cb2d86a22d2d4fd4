"""Ratings of models and of people side by side: tables in, arrays over the same statements out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.core.errors import InputError
from probsense.tasks.judgments.against import Majority, Ratings
from probsense.tasks.judgments.judged import AgainstMajority, AmongPeople, ModelsAlone
from probsense.tasks.judgments.questions import QUESTIONS

_MASS = ("p_yes", "p_no", "p_other")


def align(
    ratings: pl.DataFrame,
    against: Ratings | Majority | None = None,
    *,
    policy: str = "split",
    compat: bool = False,
) -> ModelsAlone | AgainstMajority | AmongPeople:
    """Put the ratings of models and people into arrays over all statements that either side judged.

    Parameters
    ----------
    ratings : DataFrame
        Columns model, statement_id, question, p_yes, p_no, p_other.
    against : Ratings or Majority, optional
        What people said.
    policy : str
        What becomes of "other".
    compat : bool
        Whether the method "published" repeats the faults of the published calculation.

    Raises
    ------
    InputError
        If models and people judged no statement in common.
    """
    known = [ratings["statement_id"].cast(pl.Int64)]
    if against is not None:
        known.append(against.frame["statement_id"].cast(pl.Int64))
        check_common(*known)
    ids = pl.concat(known).unique().sort()
    place = pl.DataFrame({"statement_id": ids, "statement": np.arange(len(ids))})
    models = tuple(ratings["model"].cast(pl.String).unique(maintain_order=True))
    judged = (models, ids.to_numpy(), _masses(ratings, models, place), policy, compat)
    match against:
        case None:
            return ModelsAlone(*judged)
        case Majority(frame=frame):
            return AgainstMajority(*judged, _majority(frame, place))
        case Ratings(frame=frame):
            persons = _persons(frame)
            return AmongPeople(*judged, _people(frame, persons, place), persons)


def check_common(ours: Collection[int], theirs: Collection[int]) -> None:
    """Refuse statements of models and of people if none is the same.

    Raises
    ------
    InputError
    """
    if set(ours).isdisjoint(theirs):
        raise InputError(
            "models and people judged no statement in common", expected="the same statement_id on both sides"
        )


def _masses(
    ratings: pl.DataFrame, models: tuple[str, ...], place: pl.DataFrame
) -> dict[str, NDArray[np.float64]]:
    """Arrange masses by question: arrays of the shape (models, statements, 3)."""
    row = pl.DataFrame(
        {"model": models, "row": np.arange(len(models))}, schema_overrides={"model": pl.String}
    )
    placed = (
        ratings.with_columns(
            pl.col("model", "question").cast(pl.String), pl.col("statement_id").cast(pl.Int64)
        )
        .join(place, on="statement_id")
        .join(row, on="model")
    )
    found = {}
    for question in QUESTIONS:
        part = placed.filter(pl.col("question") == question)
        found[question] = np.full((len(models), len(place), 3), np.nan)
        values = part.select(pl.col(_MASS).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        found[question][part["row"].to_numpy(), part["statement"].to_numpy()] = values
    return found


def _majority(majority: pl.DataFrame, place: pl.DataFrame) -> NDArray[np.float64]:
    """Arrange what most people say by statement; NaN where that is unknown."""
    found = np.full(len(place), np.nan)
    placed = majority.join(place, on="statement_id")
    found[placed["statement"].to_numpy()] = placed["majority"].to_numpy()
    return found


def _persons(people: pl.DataFrame) -> tuple[str, ...]:
    """List the names of people in order, by number if all names are numbers."""
    names: list[str] = people["person"].unique().to_list()
    return tuple(sorted(names, key=int if all(name.isdecimal() for name in names) else str))


def _people(people: pl.DataFrame, persons: tuple[str, ...], place: pl.DataFrame) -> People:
    number = pl.DataFrame({"person": persons, "number": np.arange(len(persons))})
    placed = people.join(place, on="statement_id").join(number, on="person")
    q1, q2 = (placed[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("q1", "q2"))
    return People(
        placed["statement"].to_numpy(), placed["number"].to_numpy(), q1, q2, len(place), len(persons)
    )
