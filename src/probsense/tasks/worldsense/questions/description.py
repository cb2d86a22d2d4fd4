"""A record's own account of its question: ``descr``, ``query`` and ``objects`` (WorldSense specification, 1.2 and 4).

The account is in numbers of entities, so no sentence can be misread. Records about lines tell less: which lines a fact
links, but not how. That, and the claim, come from the text.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from probsense.tasks.worldsense.questions.format import FORM
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import (
    LINES,
    MAX_ENTITIES,
    Claim,
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
    """The fields of a record that describe its question, empty where there is none."""

    descr: str = ""
    query: str = ""
    objects: tuple[str, ...] = ()


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


@lru_cache(maxsize=1 << 14)
def recorded_difficulty(problem: str, n: int, descr: str, query: str) -> Mapping[str, int | str | None]:
    """Find difficulty and form of a trial of n things by what its record says; nothing where that has another form.

    Of lines, the record says which are linked, but not how: that is enough for their difficulty, not for their form.
    """
    found = _facts_and_claims(problem, n, descr, query)
    if not found:
        return {}
    facts, (claim, _) = found
    known = difficulty(problem, n, facts, claim)._asdict()
    if problem == _LINES:
        return known
    return {**known, FORM: form_id(facts, None if problem.startswith("Consist") else claim)}


@lru_cache(maxsize=1 << 14)
def _facts_and_claims(
    problem: str, n: int, descr: str, query: str
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]] | None:
    """Read the facts, the claim that is asked about and its complement; None where something else stands there.

    Facts are binary (a, b) or ternary (m, a, b); of lines, all are binary, and taken for parallel. The complement of a
    foreign claim is foreign, that of a binary claim is its reverse; that of an end is never asked for.
    """
    facts = _literal(descr)
    if not 2 <= n < MAX_ENTITIES or not isinstance(facts, list):
        return None
    read = [claim for fact in facts if (claim := _order(fact, range(n)))]
    claim = _claim(query, n, problem)
    if len(read) < len(facts) or claim is None:
        return None
    if problem == _LINES:
        read, claim = [one._replace(relation="parallel") for one in read], claim._replace(relation="parallel")
        return (tuple(read), (claim, claim)) if all(len(one.args) == 2 for one in (*read, claim)) else None
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
    lines = told.facts[0].relation in LINES
    return told if lines and sorted(named) == sorted(linked) else None
