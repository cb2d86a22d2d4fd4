"""People and models as plans of judgments imagine them: a crossed logistic model, and models that know people."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.crossed import share_of_everybody
from probsense.core.errors import InputError
from probsense.tasks.judgments.people.study import AmongPeople
from probsense.tasks.judgments.questions.wordings import QUESTIONS
from probsense.tasks.shared.planning import Floats

_Z = np.linspace(-6, 6, 601)
_WEIGHTS = np.exp(-(_Z**2) / 2) / np.exp(-(_Z**2) / 2).sum()
HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Population:
    """How people answer the first question about statements.

    The probability that person j says yes to statement i is logistic(location + bᵢ + θⱼ), with independent normal bᵢ
    and θⱼ: the model of :func:`~probsense.analysis.agreement.pooled.crossed.pooled_shares`.

    Attributes
    ----------
    location : float
        Log odds of yes of a typical person about a typical statement.
    statement_spread, person_spread : float
        Standard deviations of bᵢ and θⱼ.

    Raises
    ------
    InputError
        For a standard deviation that is impossible.
    """

    location: float
    statement_spread: float
    person_spread: float

    def __post_init__(self) -> None:
        if not -10 <= self.location <= 10:
            raise InputError(f"a location of {self.location:g}", expected="from -10 to 10")
        if not 0 < self.statement_spread <= 10:
            raise InputError(
                f"a statement spread of {self.statement_spread:g}", expected="above 0, at most 10"
            )
        if not 0 <= self.person_spread <= 10:
            raise InputError(f"a person spread of {self.person_spread:g}", expected="from 0 to 10")

    def consensus(self, knowledge: float) -> float:
        """Return on how many statements a model of this knowledge gives the answer of most of everybody."""
        from scipy.special import ndtr

        middle = self.location / self.statement_spread
        yes = ndtr(_turned(middle + knowledge * _Z, knowledge))
        return float(_WEIGHTS @ np.where(middle + _Z > 0, yes, 1 - yes))

    def share_r(self, knowledge: float) -> float:
        """Return the correlation of such a model's probability of yes with everybody's share."""
        from scipy.special import expit

        share = share_of_everybody(self.location + self.statement_spread * _Z, self.person_spread)
        apart = math.sqrt(max(1 - knowledge**2, 0.0))
        own = expit(self.location + self.statement_spread * (knowledge * _Z[:, None] + apart * _Z))
        mean = own @ _WEIGHTS
        both = _WEIGHTS @ (share * mean) - (_WEIGHTS @ share) * (_WEIGHTS @ mean)
        variance = _WEIGHTS @ own**2 @ _WEIGHTS - (_WEIGHTS @ mean) ** 2
        return float(both / math.sqrt(variance * (_WEIGHTS @ share**2 - (_WEIGHTS @ share) ** 2)))

    def draw(
        self,
        statements: int,
        raters: int,
        each: int,
        knowledge: Floats,
        shared: float,
        rng: np.random.Generator,
    ) -> AmongPeople:
        """Draw one study.

        Parameters
        ----------
        statements, raters : int
            Statements, and people who rate each of them.
        each : int
            The most statements that a person rates.
        knowledge : ndarray, shape (models,)
            Correlation of each model's leaning with what people say, over statements, in log odds.
        shared : float
            Correlation of what else makes two models lean.
        rng : numpy.random.Generator
        """
        from scipy.special import expit

        statement, person = assign(statements, raters, each, rng)
        people = int(person.max()) + 1
        located = rng.normal(size=statements)
        leaning = self.person_spread * rng.normal(size=people)
        odds = self.location + self.statement_spread * located[statement] + leaning[person]
        yes = (rng.random(len(odds)) < expit(odds)).astype(np.float64)
        other = math.sqrt(shared) * rng.normal(size=statements) + math.sqrt(1 - shared) * rng.normal(
            size=(len(knowledge), statements)
        )
        own = knowledge[:, None] * located + np.sqrt(1 - knowledge[:, None] ** 2) * other
        said = expit(self.location + self.statement_spread * own)
        unknown = np.full((*said.shape, 3), np.nan)
        mass = dict.fromkeys(QUESTIONS, unknown)
        mass["q1"] = np.stack([said, 1 - said, np.zeros_like(said)], axis=2)
        answers = People(statement, person, yes, np.full(len(yes), np.nan), statements, people)
        models = tuple(map(str, range(len(knowledge))))
        names = tuple(map(str, range(people)))
        return AmongPeople(models, np.arange(statements), mass, "split", False, answers, names)


def knowledge_for(measure: Callable[[float], float], value: float, name: str) -> float:
    """Find the knowledge with which a model has a value, by halving.

    Parameters
    ----------
    measure : callable
        From knowledge, 0 to 1, to the value, which rises.
    value : float
    name : str
        What an error calls the value.

    Raises
    ------
    InputError
        If no knowledge gives the value.
    """
    low, high = 0.0, 1.0 - 1e-9
    ends = measure(low), measure(high)
    if not ends[0] <= value <= ends[1]:
        raise InputError(
            f"a {name} of {value:g}",
            expected=f"between {ends[0]:.3f}, of a model that knows nothing of people, and {ends[1]:.3f}",
        )
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if measure(middle) < value else (low, middle)
    return (low + high) / 2


def assign(
    statements: int, raters: int, each: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Assign statements to people at random, so that each is rated equally often and nobody gets one twice.

    Parameters
    ----------
    statements, raters : int
    each : int
        The most statements of a person.
    rng : numpy.random.Generator

    Returns
    -------
    (ndarray of int, ndarray of int), each of shape (statements × raters,)
        The statement and the person of each rating.
    """
    size = min(each, statements)
    places = np.empty(statements * raters, dtype=np.int64)
    for turn in range(raters):
        order = rng.permutation(statements)
        # Who is in the middle of their statements has some of them from the turn before.
        begun = turn * statements % size
        if begun:
            had = np.isin(order, places[turn * statements - begun : turn * statements])
            first = np.flatnonzero(~had)[: size - begun]
            order = np.concatenate([order[first], np.delete(order, first)])
        places[turn * statements : (turn + 1) * statements] = order
    return places, np.arange(len(places)) // size


def _turned(x: Floats, knowledge: float) -> Floats:
    return x / math.sqrt(max(1 - knowledge**2, 1e-18))
