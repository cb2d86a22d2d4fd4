"""What people said of each statement, for whoever looks at a single question."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from probsense.tasks.base import PeopleAnswers
from probsense.tasks.judgments.against import Majority, Ratings


def said_of(against: Ratings | Majority, *, illustrative: bool) -> Mapping[int, Mapping[str, PeopleAnswers]]:
    """Arrange what people said by statement and question.

    Parameters
    ----------
    against : Ratings or Majority
    illustrative : bool
        Whether nobody was asked.

    Returns
    -------
    Mapping of int to Mapping of str to PeopleAnswers
        Of ratings, the shares of yes and no to q1 and q2, as far as people were asked. Of a majority, what most people
        say, which answers q1 and is the right expectation for q2.
    """
    match against:
        case Majority(frame=frame):
            rows = frame.drop_nulls("majority").select("statement_id", "majority").iter_rows()
            told = {
                statement: PeopleAnswers(most="yes" if majority else "no", illustrative=illustrative)
                for statement, majority in rows
            }
            return {statement: {"q1": one, "q2": one} for statement, one in told.items()}
        case Ratings(frame=frame):
            questions = ("q1", "q2")
            sums = frame.group_by("statement_id").agg(
                *(pl.col(name).cast(pl.Float64).mean() for name in questions),
                *(pl.col(name).count().alias(f"n_{name}") for name in questions),
            )
            return {
                row["statement_id"]: {
                    name: _shares(row[name], row[f"n_{name}"], illustrative)
                    for name in questions
                    if row[f"n_{name}"]
                }
                for row in sums.iter_rows(named=True)
            }


def _shares(yes: float, n: int, illustrative: bool) -> PeopleAnswers:
    return PeopleAnswers((("yes", yes), ("no", 1 - yes)), n, illustrative=illustrative)
