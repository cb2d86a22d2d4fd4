"""What models and people said as arrays over the same statements, whatever is known of people."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.bootstrap import ModelAnswers
from probsense.analysis.agreement.individuals import published_answers, published_shares
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.statements import published_majority, statement_majority
from probsense.analysis.distributions.label_mass import binary, refused, split_other
from probsense.core.errors import check_fit
from probsense.tasks.judgments.people.answers import Majority, Ratings
from probsense.tasks.judgments.questions.wordings import MASSES, QUESTIONS

UNSPLIT, SPLIT_TWICE = "GPT-4o", "with-system-prompt"
"""Whom two faults of the published calculation affected: the model of that name, and the models whose names end so (the
judgments specification, Q1 and Q2)."""

NOBODY = pl.DataFrame(
    schema={"statement_id": pl.Int64, "person": pl.String, **dict.fromkeys(("q1", "q2"), pl.Int8)}
)
"""Ratings of single people, where none are known."""


@dataclass(frozen=True, eq=False)
class Study:
    """What models said of the same statements, beside what single people said, or most of them, or alone.

    Attributes
    ----------
    models : tuple of str
    ids : ndarray of int, shape (statements,)
        Ids of the statements, rising.
    mass : Mapping of str to ndarray, shape (models, statements, 3)
        By question the mass of yes, no and other; NaN where there is no data.
    policy : str
        What becomes of "other" (:data:`probsense.analysis.distributions.label_mass.POLICIES`).
    compat : bool
        Whether the method "published" repeats the faults of the published calculation.
    people : People
        Ratings of single people, if they are known.
    persons : tuple of str
        The names of these people, in the order of ``people``; nobody where single people's ratings are unknown.
    majority : ndarray, shape (statements,), optional
        What most people say, where that is all that is known of people: 1 or 0; NaN where it is unknown.
    """

    models: tuple[str, ...]
    ids: NDArray[np.int64]
    mass: dict[str, NDArray[np.float64]]
    policy: str
    compat: bool
    people: People
    persons: tuple[str, ...] = ()
    majority: NDArray[np.float64] | None = None

    @property
    def beside_people(self) -> bool:
        """Whether it is known what most people say."""
        return bool(self.persons) or self.majority is not None

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Names of the questions that nobody answered: "q1", "q2" or neither."""
        asked = {"q1": self.people.asked1, "q2": self.people.asked2}
        return tuple(question for question, answers in asked.items() if not answers.any())

    @cached_property
    def key(self) -> NDArray[np.float64]:
        """What most people say, shape (statements,): 1, 0, 0.5 for a tie, NaN where too few were asked."""
        return statement_majority(self.people) if self.majority is None else self.majority

    @cached_property
    def published_key(self) -> NDArray[np.float64]:
        """What most people say as published: one person is enough, and a tie is a "yes"."""
        return published_majority(self.people) if self.majority is None else self.majority

    @cached_property
    def answers(self) -> ModelAnswers:
        """The models' answers under the policy; a tie counts half."""
        q1, q2 = (binary(self.mass[q], self.policy, self.key, tie=0.5) for q in ("q1", "q2"))
        return ModelAnswers(q1, q2, *self.shares)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of "yes" to both questions under the policy, shape (models, statements)."""
        return population(self.mass["q1"], self.mass["q2"], self.policy)

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

    def other_first(self, question: str) -> NDArray[np.float64]:
        """Return 1 where "other" is more probable than yes and than no, 0 where not, NaN without data.

        The shape is (models, statements).
        """
        mass = self.mass[question]
        return np.where(np.isnan(mass[..., 0]), np.nan, refused(mass))


def population(
    mass1: NDArray[np.float64], mass2: NDArray[np.float64], policy: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Turn the masses of both questions into probabilities of "yes", as shares of a population.

    Under the policy "wrong" other answers agree with neither side. The consensus is |yes − no|, as if they were split;
    of the second answers only the mass on the side of the first is right.

    Parameters
    ----------
    mass1, mass2 : ndarray, shape (..., 3)
        Mass of yes, no and other in answer to the first and to the second question.
    policy : str

    Returns
    -------
    (ndarray, ndarray), each of shape (...)
    """
    if policy != "wrong":
        return split_other(mass1, policy)[..., 0], split_other(mass2, policy)[..., 0]
    own = split_other(mass1)[..., 0]
    return own, np.where(own >= 0.5, mass2[..., 0], 1 - mass2[..., 1])


def align(
    ratings: pl.DataFrame,
    opinions: Ratings | Majority | None = None,
    *,
    policy: str = "split",
    compat: bool = False,
) -> Study:
    """Put the ratings of models and people into arrays over all statements that either side judged.

    Parameters
    ----------
    ratings : DataFrame
        Columns model, statement_id, question, p_yes, p_no, p_other.
    opinions : Ratings or Majority, optional
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
    if opinions is not None:
        known.append(opinions.frame["statement_id"].cast(pl.Int64))
        check_common(*known)
    ids = pl.concat(known).unique().sort()
    place = pl.DataFrame({"statement_id": ids, "statement": np.arange(len(ids))})
    models = tuple(ratings["model"].cast(pl.String).unique(maintain_order=True))
    rated = opinions.frame if isinstance(opinions, Ratings) else NOBODY
    persons = persons_of(rated)
    return Study(
        models,
        ids.to_numpy(),
        _masses(ratings, models, place),
        policy,
        compat,
        _arranged_people(rated, persons, place),
        persons,
        _arranged_majority(opinions.frame, place) if isinstance(opinions, Majority) else None,
    )


def check_common(ours: Collection[int], theirs: Collection[int]) -> None:
    """Refuse statements of models and of people if hardly any is the same.

    Raises
    ------
    InputError
    """
    own, others = set(ours), set(theirs)
    check_fit(
        *(len(own & others), len(own), len(others)),
        what="statements of models",
        of="that people judged",
        expected="the same statement_id on both sides",
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
        values = part.select(pl.col(MASSES).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        found[question][part["row"].to_numpy(), part["statement"].to_numpy()] = values
    return found


def _arranged_majority(majority: pl.DataFrame, place: pl.DataFrame) -> NDArray[np.float64]:
    """Arrange what most people say by statement; NaN where that is unknown."""
    found = np.full(len(place), np.nan)
    placed = majority.join(place, on="statement_id")
    found[placed["statement"].to_numpy()] = placed["majority"].to_numpy()
    return found


def persons_of(people: pl.DataFrame) -> tuple[str, ...]:
    """List the names of people in order, by number if all names are numbers."""
    names: list[str] = people["person"].unique().to_list()
    return tuple(sorted(names, key=int if all(name.isdecimal() for name in names) else str))


def _arranged_people(people: pl.DataFrame, persons: tuple[str, ...], place: pl.DataFrame) -> People:
    number = pl.DataFrame(
        {"person": persons, "number": np.arange(len(persons))}, schema_overrides={"person": pl.String}
    )
    placed = people.join(place, on="statement_id").join(number, on="person")
    q1, q2 = (placed[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("q1", "q2"))
    return People(
        placed["statement"].to_numpy(), placed["number"].to_numpy(), q1, q2, len(place), len(persons)
    )
