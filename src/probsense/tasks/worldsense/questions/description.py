"""A record's own account of its question: ``descr``, ``query`` and ``objects`` (WorldSense specification, 1.2 and 4).

The account is in numbers of entities, so no sentence can be misread. Records about lines tell less: which lines a fact
links, but not how. That, and the claim, come from the text.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import (
    MAX_ENTITIES,
    Claim,
    Difficulty,
    Kind,
    ParsedQuestion,
    difficulty,
)

_KINDS: Final[dict[str, tuple[Kind, int]]] = {
    "Infer": ("infer", 1),
    "Consist": ("consist", 0),
    "Compl": ("compl", 2),
}
"""The kind of a problem, and how many claims its questions hold."""
_FOREIGN = re.compile(r"i\((-?\d+), ?(-?\d+)\)")
_UNMENTIONED = -1
_NEW = "something else"
_LINES = "Infer.parallel"


class Described(NamedTuple):
    """The fields of a record that describe its question."""

    descr: str
    query: str
    objects: tuple[str, ...]


def described(descr: str | None, query: str | None, objects: Sequence[str] | None) -> Described | None:
    """Return the description of a question; None where a part of it is missing, or its size is out of bounds."""
    if descr is None or query is None or objects is None or not 2 <= len(objects) < MAX_ENTITIES:
        return None
    return Described(descr, query, tuple(name.strip() for name in objects))


def read_described(problem: str, record: Described, told: ParsedQuestion) -> ParsedQuestion | None:
    """Read the question out of the description of a record.

    Parameters
    ----------
    problem : str
    record : Described
    told : ParsedQuestion
        What the text says; only problems about lines need it.

    Returns
    -------
    ParsedQuestion or None
        None where the description is not of the published form.
    """
    names, n = record.objects, len(record.objects)
    found = _facts_and_claims(problem, n, record.descr, record.query)
    if not found:
        return None
    facts, claims = found
    if problem == _LINES:
        return _lines(told, names, facts)
    kind, count = _KINDS[problem.partition(".")[0]]
    if count and n in claims[0].args:
        names = (*names, _NEW)
    return ParsedQuestion(kind, names, facts, claims[:count], n, stated=problem != "Infer.trivial")


def described_difficulty(problem: str, n: int, descr: str, query: str) -> Difficulty | None:
    """Measure the difficulty of a trial by what its record says; None where that is not of the published form.

    Parameters
    ----------
    problem : str
    n : int
        The number of entities.
    descr, query : str
        Fields of the record.
    """
    found = _facts_and_claims(problem, n, descr, query)
    if not found:
        return None
    facts, (claim, _) = found
    if problem == _LINES:  # the record says which lines a fact links, and that is enough
        facts, claim = (
            tuple(fact._replace(relation="parallel") for fact in facts),
            claim._replace(relation="parallel"),
        )
    return difficulty(problem, n, facts, claim)


def described_form(problem: str, n: int, descr: str, query: str) -> str | None:
    """Find the form of a trial by what its record says, as :func:`described_difficulty` does its difficulty.

    Of lines, the record says which are linked, but not how, so their form is not known.
    """
    found = None if problem == _LINES else _facts_and_claims(problem, n, descr, query)
    return found and form_id(found[0], None if problem.startswith("Consist") else found[1][0])


@lru_cache(maxsize=1 << 14)
def _facts_and_claims(
    problem: str, n: int, descr: str, query: str
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]] | None:
    """Read the facts, the claim that is asked about and its complement; None where something else stands there.

    Facts are binary (a, b) or ternary (m, a, b). The complement of a foreign claim is foreign, that of a binary claim
    is its reverse; that of an end is never asked for.
    """
    facts = _literal(descr)
    if not 2 <= n < MAX_ENTITIES or not isinstance(facts, list):
        return None
    read = [claim for fact in facts if (claim := _order(fact, range(n)))]
    claim = _claim(query, n, problem)
    if len(read) < len(facts) or claim is None:
        return None
    complement = claim
    if claim.relation == "before":
        complement = claim._replace(args=claim.args[::-1])
    elif claim.relation == "between":
        complement = claim._replace(relation="outside")
    return tuple(read), (claim, complement)


def _claim(query: str, n: int, problem: str) -> Claim | None:
    if _FOREIGN.fullmatch(query):
        return Claim("foreign", ())
    args = _literal(query)
    if problem == "Infer.extrema":
        match args:
            case (int(end), bool(first)) if end in range(n):
                return Claim("first" if first else "last", (end,))
        return None
    claim = _order(args, range(_UNMENTIONED, n))
    return claim and claim._replace(args=tuple(n if arg == _UNMENTIONED else arg for arg in claim.args))


def _literal(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _order(args: Any, places: range) -> Claim | None:
    """Make a claim of two or three different places; None where there is something else."""
    if not isinstance(args, tuple) or not all(type(arg) is int and arg in places for arg in args):
        return None
    if len(args) not in (2, 3) or len(set(args)) < len(args):
        return None
    return Claim("before", args) if len(args) == 2 else Claim("between", (args[0], *sorted(args[1:])))


def _lines(told: ParsedQuestion, names: tuple[str, ...], links: tuple[Claim, ...]) -> ParsedQuestion | None:
    """Return what the text says of lines, if its facts link the lines that the record links."""
    named = [sorted(told.names[line] for line in fact.args) for fact in told.facts]
    linked = [sorted(names[line] for line in link.args) for link in links]
    return told if told.lines and sorted(named) == sorted(linked) else None
