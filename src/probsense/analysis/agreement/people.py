"""Holds people's answers: who rated which statement, and how."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from probsense.analysis.arrays import Bools, Floats, Ints, filled

COLUMNS = ("statement", "person", "q1", "q2")


@dataclass(frozen=True, eq=False)
class People:
    """Hold the answers of people to both questions about statements, one element for each person and statement.

    The answers are sorted by person, then by statement, whatever order they are given in.

    Attributes
    ----------
    statement, person : ndarray of int, shape (k,)
        Indices from 0; no pair twice.
    q1, q2 : ndarray, shape (k,)
        "Do you agree?" and "Would most people agree?": 1 yes, 0 no, NaN missing.
    statements, people : int
        Total numbers, with those that have no answer.
    """

    statement: Ints
    person: Ints
    q1: Floats
    q2: Floats
    statements: int
    people: int

    def __post_init__(self) -> None:
        order = np.lexsort((self.statement, self.person))
        for name in COLUMNS:
            object.__setattr__(self, name, getattr(self, name)[order])

    @cached_property
    def asked1(self) -> Floats:
        """Mark with 1 where there is an answer to the first question, else with 0; shape (k,)."""
        return 1.0 - np.isnan(self.q1)

    @cached_property
    def asked2(self) -> Floats:
        """Mark with 1 where there is an answer to the second question, else with 0; shape (k,)."""
        return 1.0 - np.isnan(self.q2)

    @cached_property
    def yes1(self) -> Floats:
        """Mark with 1 where the first answer is yes, else with 0; shape (k,)."""
        return filled(self.q1)

    @cached_property
    def yes2(self) -> Floats:
        """Mark with 1 where the second answer is yes, else with 0; shape (k,)."""
        return filled(self.q2)

    @cached_property
    def _starts(self) -> Ints:
        return np.searchsorted(self.person, np.arange(self.people + 1))

    def matrix(self, values: Floats) -> Any:
        """Arrange values as a sparse matrix of shape (people, statements), a scipy.sparse.csr_array.

        Parameters
        ----------
        values : ndarray, shape (k,)
            One for each answer.
        """
        from scipy.sparse import csr_array

        shape = (self.people, self.statements)
        return csr_array((values, self.statement, self._starts), shape=shape)

    def by_statement(self, values: Floats) -> Floats:
        """Sum values, shape (k,), over the raters of each statement, shape (statements,)."""
        return np.bincount(self.statement, values, self.statements).astype(np.float64, copy=False)

    def by_person(self, values: Floats) -> Floats:
        """Sum values, shape (k,), over the statements of each person, shape (people,)."""
        return np.bincount(self.person, values, self.people).astype(np.float64, copy=False)

    def where(self, kept: Bools) -> People:
        """Select answers; people and statements keep their numbers.

        Parameters
        ----------
        kept : ndarray of bool, shape (k,)
        """
        # Skips the sorting, because a bootstrap calls this in every draw.
        part, chosen = object.__new__(People), np.flatnonzero(kept)
        columns = {name: getattr(self, name)[chosen] for name in COLUMNS}
        for name, value in (columns | {"statements": self.statements, "people": self.people}).items():
            object.__setattr__(part, name, value)
        return part
