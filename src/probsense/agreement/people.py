"""People's answers: who was asked about which statement, and what they said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.scores import filled
from probsense.errors import InputError


@dataclass(frozen=True, eq=False)
class People:
    """Answers of people to both questions about statements, one element for each person and statement.

    Kept in the order of people, then statements, in whichever order they are given.

    Attributes
    ----------
    statement, person : ndarray of int, shape (k,)
        Indices from 0; no pair twice.
    q1, q2 : ndarray, shape (k,)
        "Do you agree?" and "Would most people agree?": 1 yes, 0 no, NaN missing.
    statements, people : int
        How many there are, asked about or not.

    Raises
    ------
    InputError
        For arrays of different lengths, an index out of range, another answer, or a pair that comes twice.
    """

    statement: NDArray[np.int64]
    person: NDArray[np.int64]
    q1: NDArray[np.float64]
    q2: NDArray[np.float64]
    statements: int
    people: int

    def __post_init__(self) -> None:
        columns = {name: np.asarray(getattr(self, name)) for name in ("statement", "person", "q1", "q2")}
        if len({column.shape for column in columns.values()}) > 1 or columns["q1"].ndim != 1:
            found = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
            raise InputError(f"answers of different lengths: {found}", expected="four columns of one length")
        for name, size in (("statement", self.statements), ("person", self.people)):
            outside = (columns[name] < 0) | (columns[name] >= size) | (columns[name] % 1 != 0)
            if outside.any():
                raise InputError(f"no {name} {columns[name][outside][0]}", expected=f"0 to {size - 1}")
        for name in ("q1", "q2"):
            odd = ~np.isin(columns[name], (0, 1)) & ~np.isnan(columns[name])
            if odd.any():
                raise InputError(f"an answer {columns[name][odd][0]} to {name}", expected="0, 1 or missing")
        order = np.lexsort((columns["statement"], columns["person"]))
        for name, column in columns.items():
            kind = np.float64 if name in ("q1", "q2") else np.int64
            object.__setattr__(self, name, column[order].astype(kind))
        same = (np.diff(self.person) == 0) & (np.diff(self.statement) == 0)
        if same.any():
            first = int(np.argmax(same))
            raise InputError(
                f"person {self.person[first]} answers twice about statement {self.statement[first]}",
                expected="one answer of a person to a statement",
            )

    @cached_property
    def asked1(self) -> NDArray[np.float64]:
        """1 where there is an answer to the first question, else 0; shape (k,)."""
        return 1.0 - np.isnan(self.q1)

    @cached_property
    def asked2(self) -> NDArray[np.float64]:
        """1 where there is an answer to the second question, else 0; shape (k,)."""
        return 1.0 - np.isnan(self.q2)

    @cached_property
    def yes1(self) -> NDArray[np.float64]:
        """1 where the first answer is yes, else 0; shape (k,)."""
        return filled(self.q1)

    @cached_property
    def yes2(self) -> NDArray[np.float64]:
        """1 where the second answer is yes, else 0; shape (k,)."""
        return filled(self.q2)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.searchsorted(self.person, np.arange(self.people + 1))

    def matrix(self, values: NDArray[np.float64]) -> Any:
        """Values as a sparse matrix, shape (people, statements): a scipy.sparse.csr_array.

        Parameters
        ----------
        values : ndarray, shape (k,)
            One for each answer.
        """
        from scipy.sparse import csr_array

        shape = (self.people, self.statements)
        return csr_array((values, self.statement, self._starts), shape=shape)

    def by_statement(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of values, shape (k,), over the people asked about each statement, shape (statements,)."""
        return np.bincount(self.statement, values, self.statements).astype(np.float64, copy=False)

    def by_person(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of values, shape (k,), over the statements each person was asked about, shape (people,)."""
        return np.bincount(self.person, values, self.people).astype(np.float64, copy=False)

    def where(self, kept: NDArray[np.bool_]) -> People:
        """Some of the answers; people and statements keep their numbers.

        Parameters
        ----------
        kept : ndarray of bool, shape (k,)
        """
        # Neither checked nor sorted again: a bootstrap does this in every draw.
        part, chosen = object.__new__(People), np.flatnonzero(kept)
        columns = {name: getattr(self, name)[chosen] for name in ("statement", "person", "q1", "q2")}
        for name, value in (columns | {"statements": self.statements, "people": self.people}).items():
            object.__setattr__(part, name, value)
        return part
