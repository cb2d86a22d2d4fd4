"""A record's own account of its question: ``descr``, ``query`` and ``objects`` (WorldSense specification, 1.2 and 4).

The account is in numbers of entities, so no sentence can be misread. Records about lines tell less: which lines a fact
links, but not how. That, and the claim, come from the text.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from probsense.tasks.worldsense.measures.difficulty import Difficulty, difficulty
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import MAX_ENTITIES, Claim, Kind, ParsedQuestion

_KINDS: dict[str, Kind] = {"Infer": "infer", "Consist": "consist", "Compl": "compl"}
_FOREIGN = re.compile(r"i\((-?\d+), ?(-?\d+)\)")
_UNMENTIONED = -1
_NEW = "something else"


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
    facts = _facts(record.descr, len(record.objects))
    kind = _KINDS[problem.partition(".")[0]]
    if facts is None:
        return None
    if problem == "Infer.parallel":
        return _lines(told, record.objects, facts)
    claims = () if kind == "consist" else _claims(record.query, len(record.objects), problem)
    if claims is None:
        return None
    names = (*record.objects, _NEW) if _new(claims, len(record.objects)) else record.objects
    return ParsedQuestion(
        kind,
        names,
        facts,
        claims if kind == "compl" else claims[:1],
        len(record.objects),
        stated=problem != "Infer.trivial",
    )


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
    facts = _facts(descr, n) if 2 <= n < MAX_ENTITIES else None
    claims = _claims(query, n, problem) if facts is not None else None
    if facts is None or claims is None:
        return None
    if problem == "Infer.parallel":  # the record says which lines a fact links, and that is enough
        facts = tuple(Claim("parallel", fact.args) for fact in facts)
        return difficulty(problem, n, facts, Claim("parallel", claims[0].args))
    return difficulty(problem, n, [_ends_sorted(fact) for fact in facts], _ends_sorted(claims[0]))


def described_form(problem: str, n: int, descr: str, query: str) -> str | None:
    """Find the form of a trial by what its record says, as :func:`described_difficulty` does its difficulty.

    Of lines, the record says which are linked, but not how, so their form is not known.
    """
    facts = _facts(descr, n) if 2 <= n < MAX_ENTITIES and problem != "Infer.parallel" else None
    claims = _claims(query, n, problem) if facts is not None else None
    if facts is None or claims is None:
        return None
    return form_id(facts, None if problem.startswith("Consist") else claims[0])


def _ends_sorted(claim: Claim) -> Claim:
    if claim.relation != "between":
        return claim
    m, a, b = claim.args
    return Claim("between", (m, min(a, b), max(a, b)))


def _new(claims: Sequence[Claim], n: int) -> bool:
    return any(n in claim.args for claim in claims)


@lru_cache(maxsize=1 << 14)
def _facts(descr: str, n: int) -> tuple[Claim, ...] | None:
    """Read the facts, binary (a, b) and ternary (m, a, b); None where something else stands there."""
    facts = _literal(descr)
    if not isinstance(facts, list):
        return None
    found = [_order(fact, range(n)) for fact in facts]
    return None if None in found else tuple(claim for claim in found if claim)


@lru_cache(maxsize=1 << 14)
def _claims(query: str, n: int, problem: str) -> tuple[Claim, ...] | None:
    """Read the claim that is asked about, and its complement; None where it is not of the published form.

    The complement of a foreign claim is foreign, that of a binary claim is its reverse.
    """
    if _FOREIGN.fullmatch(query):
        return (Claim("foreign", ()),) * 2
    args = _literal(query)
    if problem == "Infer.extrema":
        match args:
            case (int(end), bool(first)) if end in range(n):
                return (Claim("first" if first else "last", (end,)),)
        return None
    claim = _order(args, range(_UNMENTIONED, n))
    if claim is None:
        return None
    claim = claim._replace(args=tuple(n if arg == _UNMENTIONED else arg for arg in claim.args))
    if claim.relation == "before":
        return claim, claim._replace(args=claim.args[::-1])
    return claim, claim._replace(relation="outside")


def _literal(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _order(args: Any, places: range) -> Claim | None:
    """Make a claim of two or three different places; None where there is something else."""
    if not isinstance(args, tuple) or len(args) not in (2, 3) or len(set(args)) < len(args):
        return None
    if not all(type(arg) is int and arg in places for arg in args):
        return None
    return Claim("before" if len(args) == 2 else "between", args)


def _lines(told: ParsedQuestion, names: tuple[str, ...], links: tuple[Claim, ...]) -> ParsedQuestion | None:
    """Return what the text says of lines, if its facts link the lines that the record links."""
    named = [sorted(told.names[line] for line in fact.args) for fact in told.facts]
    linked = [sorted(names[line] for line in link.args) for link in links]
    return told if told.lines and sorted(named) == sorted(linked) else None
