"""What models and people said as arrays over the same statements, whatever is known of people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from probsense.analysis.agreement.bootstrap import ModelAnswers
from probsense.analysis.agreement.models import published_answers, published_shares
from probsense.analysis.agreement.people import People, published_majority, statement_majority
from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.distributions.label_mass import binary, split_other
from probsense.core.errors import check_fit
from probsense.tasks.judgments.people.opinions import NOTHING, Opinions
from probsense.tasks.judgments.questions.wordings import MASSES, QUESTIONS

UNSPLIT, SPLIT_TWICE = "GPT-4o", "with-system-prompt"
"""Whom two faults of the published calculation affected: the model of that name, and the models whose names end so (the
judgments specification, Q1 and Q2)."""


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
    ids: Ints
    mass: dict[str, Floats]
    policy: str
    compat: bool
    people: People
    persons: tuple[str, ...] = ()
    majority: Floats | None = None

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
    def key(self) -> Floats:
        """What most people say, shape (statements,): 1, 0, 0.5 for a tie, NaN where too few were asked."""
        return statement_majority(self.people) if self.majority is None else self.majority

    @cached_property
    def published_key(self) -> Floats:
        """What most people say as published: one person is enough, and a tie is a "yes"."""
        return published_majority(self.people) if self.majority is None else self.majority

    @cached_property
    def answers(self) -> ModelAnswers:
        """The models' answers under the policy; a tie counts half."""
        q1, q2 = (binary(self.mass[q], self.policy, self.key, tie=0.5) for q in ("q1", "q2"))
        return ModelAnswers(q1, q2, *self.shares)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """Probabilities of "yes" to both questions under the policy, shape (models, statements)."""
        return population(self.mass["q1"], self.mass["q2"], self.policy)

    @cached_property
    def published_answers(self) -> ModelAnswers:
        """The models' answers as published: "other" is split, and a tie is a "yes"."""
        q1, q2 = self.mass["q1"], self.mass["q2"]
        found = ModelAnswers(*map(published_answers, (q1, q2)), *map(published_shares, (q1, q2)))
        if self.compat:
            unsplit = np.array([name == UNSPLIT for name in self.models])
            found.q2[unsplit] = published_answers(q2[unsplit], compat=True)
            twice = np.array([name.endswith(SPLIT_TWICE) for name in self.models])
            for shares, mass in ((found.p1, q1), (found.p2, q2)):
                shares[twice] = published_shares(mass[twice], compat=True)
        return found


def population(mass1: Floats, mass2: Floats, policy: str) -> tuple[Floats, Floats]:
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
    ratings: pl.DataFrame, opinions: Opinions = NOTHING, *, policy: str = "split", compat: bool = False
) -> Study:
    """Put the ratings of models and people into arrays over all statements that either side judged.

    Parameters
    ----------
    ratings : DataFrame
        Columns model, statement_id, question, p_yes, p_no, p_other.
    opinions : Opinions, optional
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
    frame, persons = opinions.frame, opinions.persons
    if not frame.is_empty():
        check_common(ratings["statement_id"], frame["statement_id"])
    ids = np.union1d(ratings["statement_id"].to_numpy(), frame["statement_id"].to_numpy())
    models = (*ratings["model"].unique(maintain_order=True),)
    majority = None
    if "majority" in frame.columns and not frame.is_empty():
        majority = np.full(len(ids), np.nan)
        majority[np.searchsorted(ids, frame["statement_id"].to_numpy())] = frame["majority"].to_numpy()
    rated = frame if persons else NOTHING.frame
    q1, q2 = (rated[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("q1", "q2"))
    statement = np.searchsorted(ids, rated["statement_id"].to_numpy())
    people = People(statement, _numbers(rated["person"], persons), q1, q2, len(ids), len(persons))
    return Study(models, ids, _masses(ratings, models, ids), policy, compat, people, persons, majority)


def _masses(ratings: pl.DataFrame, models: tuple[str, ...], ids: Ints) -> dict[str, Floats]:
    """Arrange masses by question: arrays of the shape (models, statements, 3)."""
    rows = _numbers(ratings["model"], models)
    columns = np.searchsorted(ids, ratings["statement_id"].to_numpy())
    values = ratings.select(pl.col(MASSES).fill_null(np.nan)).to_numpy()
    found = {}
    for question in QUESTIONS:
        asked = (ratings["question"] == question).to_numpy()
        found[question] = np.full((len(models), len(ids), 3), np.nan)
        found[question][rows[asked], columns[asked]] = values[asked]
    return found


def _numbers(column: pl.Series, names: tuple[str, ...]) -> Ints:
    """Return the place of each name."""
    places = {name: place for place, name in enumerate(names)}
    return column.replace_strict(places, return_dtype=pl.Int64).to_numpy()


def check_common(ours: Iterable[int], theirs: Iterable[int]) -> None:
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
