"""Ratings of models and of people side by side: tables in, arrays over the same statements out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.agreement.bootstrap import ModelAnswers
from probsense.agreement.people import People
from probsense.agreement.published import published_answers, published_shares
from probsense.agreement.statements import published_majority, statement_majority
from probsense.errors import InputError
from probsense.prob.labels import binary, refused, split_other
from probsense.tasks.judgments.questions import QUESTIONS

_MASS = ("p_yes", "p_no", "p_other")

UNSPLIT, SPLIT_TWICE = "GPT-4o", "with-system-prompt"
"""The model, and the ending of the names of models, that faults of the published calculation fell upon (the judgments
specification, Q1 and Q2)."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What models and people said of the same statements.

    Attributes
    ----------
    models : tuple of str
    ids : ndarray of int, shape (statements,)
        Of the statements, rising.
    mass : Mapping of str to ndarray, shape (models, statements, 3)
        By question the mass of yes, no and other; NaN where there is no data.
    policy : str
        What becomes of "other" (:data:`probsense.prob.labels.POLICIES`).
    people : People or None
        Single people's ratings, if they are at hand.
    persons : tuple of str
        Their names.
    given : ndarray, shape (statements,), or None
        What most people say, where that is all that is at hand.
    compat : bool
        Whether published figures are to have the faults with which they were published.
    """

    models: tuple[str, ...]
    ids: NDArray[np.int64]
    mass: dict[str, NDArray[np.float64]]
    policy: str
    people: People | None = None
    persons: tuple[str, ...] = ()
    given: NDArray[np.float64] | None = None
    compat: bool = False

    @cached_property
    def key(self) -> NDArray[np.float64] | None:
        """What most people say; NaN where too few were asked. None where it is not at hand."""
        return self.given if self.people is None else statement_majority(self.people)

    @cached_property
    def published_key(self) -> NDArray[np.float64] | None:
        """What most people say as published: a tie is a "yes"."""
        return self.given if self.people is None else published_majority(self.people)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of "yes" to both questions under the policy, shape (models, statements)."""
        return population(self.mass["q1"], self.mass["q2"], self.policy)

    @cached_property
    def answers(self) -> ModelAnswers:
        """The models' answers under the policy; a tie counts half."""
        q1, q2 = (binary(self.mass[q], self.policy, self.key, tie=0.5) for q in ("q1", "q2"))
        return ModelAnswers(q1, q2, *self.shares)

    @cached_property
    def published_answers(self) -> ModelAnswers:
        """The models' answers as published: "other" is split, and a tie is a "yes"."""
        q1, q2 = self.mass["q1"], self.mass["q2"]
        found = ModelAnswers(
            published_answers(q1), published_answers(q2), published_shares(q1), published_shares(q2)
        )
        if self.compat:
            unsplit = np.array([name == UNSPLIT for name in self.models])
            found.q2[unsplit] = published_answers(q2[unsplit], compat=True)
            twice = np.array([name.endswith(SPLIT_TWICE) for name in self.models])
            for shares, mass in ((found.p1, q1), (found.p2, q2)):
                shares[twice] = published_shares(mass[twice], compat=True)
        return found

    def refusals(self, question: str) -> NDArray[np.float64]:
        """1 where "other" is the most probable answer, 0 where not, NaN without data; (models, statements)."""
        mass = self.mass[question]
        return np.where(np.isnan(mass[..., 0]), np.nan, refused(mass))


def population(
    mass1: NDArray[np.float64], mass2: NDArray[np.float64], policy: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities of "yes" to both questions, as shares of a population.

    Under the policy "wrong" other answers agree with neither side: the consensus is |yes − no|, as if they were
    split, and of the second answers only the mass on the side of the first is right.
    """
    if policy != "wrong":
        return split_other(mass1, policy)[..., 0], split_other(mass2, policy)[..., 0]
    own = split_other(mass1)[..., 0]
    return own, np.where(own >= 0.5, mass2[..., 0], 1 - mass2[..., 1])


def align(
    ratings: pl.DataFrame,
    people: pl.DataFrame | None = None,
    majority: pl.DataFrame | None = None,
    *,
    policy: str = "split",
    compat: bool = False,
) -> Judged:
    """Put the ratings of models and people into arrays over all statements that either is known of.

    Parameters
    ----------
    ratings : DataFrame
        Columns model, statement_id, question, p_yes, p_no, p_other.
    people : DataFrame, optional
        As from :func:`~probsense.tasks.judgments.people.read_people`.
    majority : DataFrame, optional
        As from :func:`~probsense.tasks.judgments.people.read_majority`.
    policy : str
        What becomes of "other".
    compat : bool
        Whether published figures are to have the faults with which they were published.

    Raises
    ------
    InputError
        If no statement was judged by both sides.
    """
    theirs = people if people is not None else majority
    known = [frame["statement_id"].cast(pl.Int64) for frame in (ratings, theirs) if frame is not None]
    check_common(*known)
    ids = pl.concat(known).unique().sort()
    place = pl.DataFrame({"statement_id": ids, "statement": np.arange(len(ids))})
    models = ratings["model"].cast(pl.String).unique(maintain_order=True).to_list()
    row = pl.DataFrame({"model": models, "row": np.arange(len(models))})
    placed = (
        ratings.with_columns(
            pl.col("model", "question").cast(pl.String), pl.col("statement_id").cast(pl.Int64)
        )
        .join(place, on="statement_id")
        .join(row, on="model")
    )
    mass = {}
    for question in QUESTIONS:
        part = placed.filter(pl.col("question") == question)
        mass[question] = np.full((len(models), len(ids), 3), np.nan)
        values = part.select(pl.col(_MASS).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        mass[question][part["row"].to_numpy(), part["statement"].to_numpy()] = values
    found = None if people is None else _people(people, place)
    persons = () if people is None else tuple(_persons(people))
    given = None
    if people is None and majority is not None:
        given = np.full(len(ids), np.nan)
        placed = majority.join(place, on="statement_id")
        given[placed["statement"].to_numpy()] = placed["majority"].to_numpy()
    return Judged(tuple(models), ids.to_numpy(), mass, policy, found, persons, given, compat)


def check_common(ours: Collection[int], theirs: Collection[int] | None = None) -> None:
    """Refuse statements of models and of people of which none is the same."""
    if theirs is not None and set(ours).isdisjoint(theirs):
        raise InputError(
            "models and people judged no statement in common", expected="the same statement_id on both sides"
        )


def _persons(people: pl.DataFrame) -> list[str]:
    """The names of people in order, as numbers if they all are."""
    names: list[str] = people["person"].unique().to_list()
    return sorted(names, key=int if all(name.isdecimal() for name in names) else str)


def _people(people: pl.DataFrame, place: pl.DataFrame) -> People:
    persons = _persons(people)
    number = pl.DataFrame({"person": persons, "number": np.arange(len(persons))})
    placed = people.join(place, on="statement_id").join(number, on="person")
    q1, q2 = (placed[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("q1", "q2"))
    return People(
        placed["statement"].to_numpy(), placed["number"].to_numpy(), q1, q2, len(place), len(persons)
    )
