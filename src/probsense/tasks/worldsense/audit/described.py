"""A record's own account of its question: ``descr``, ``query`` and ``objects`` (WorldSense specification, 1.2 and 4).

The account is in numbers of entities, so no sentence can be misread. Records about lines tell less: which lines a fact
links, but not how. The words for that, and the claim, come from the text, in which the names of the record are sought.
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


def described(record: dict[str, Any]) -> Described | None:
    """Take the description out of a record of a trials file; None where it has none, or of another form."""
    descr, query, objects = (record.get(field) for field in ("descr", "query", "objects"))
    if not (isinstance(descr, str) and isinstance(query, str) and isinstance(objects, list)):
        return None
    if not all(isinstance(name, str) for name in objects) or not 2 <= len(objects) < MAX_ENTITIES:
        return None
    return Described(descr, query, tuple(name.strip() for name in objects))


def read_described(problem: str, text: str, record: Described) -> ParsedQuestion | None:
    """Read the question out of the description of a record.

    Parameters
    ----------
    problem : str
    text : str
        The prompt; only problems about lines need it.
    record : Described

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
        return _lines(text, record.objects, facts)
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


def _lines(text: str, names: tuple[str, ...], links: tuple[Claim, ...]) -> ParsedQuestion | None:
    """Read facts and a claim about lines by seeking two names of the record beside each word for their direction.

    The facts must link the lines that the record links.
    """
    found = [
        Claim("parallel" if match["r"] == "parallel" else "perpendicular", _pair(match, names))
        for match in _line_pattern(names).finditer(text)
    ]
    facts, claims = tuple(found[:-1]), tuple(found[-1:])
    if sorted(sorted(fact.args) for fact in facts) != sorted(sorted(link.args) for link in links):
        return None
    if not claims or any(len(set(claim.args)) < 2 for claim in claims):
        return None
    return ParsedQuestion("infer", names, facts, claims, len(names), lines=True)


def _pair(match: re.Match[str], names: tuple[str, ...]) -> tuple[int, ...]:
    return names.index(match["a"]), names.index(match["b"] or match["c"])


@lru_cache(maxsize=256)
def _line_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Make the pattern of "A is parallel to B" and "A and B are parallel" for some names, longest names first."""
    name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    words = "(?P<r>parallel|perpendicular|orthogonal|at (?:a )?right angles?)"
    return re.compile(
        rf"\b(?P<a>{name})\b(?: and (?:the )?(?P<b>{name})\b)?[^,.'\n]*? {words}"
        rf"(?(b)|[^,.'\n]*? (?P<c>{name})\b)"
    )
