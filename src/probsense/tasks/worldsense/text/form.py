"""The form of a question: what is left of its facts and its claim when names, direction and order of telling are gone.

Two questions have one form if their facts and claims are equal after renaming the things and, where it takes that,
reversing the order: "first" becomes "last", and "a precedes b" becomes "b precedes a". Whoever knows the answer to one
question of a form by heart knows all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

from probsense.tasks.worldsense.text.logic import Claim

_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
_REVERSED: Final = {"first": "last", "last": "first"}
_APART: Final = {"before": 2, "first": 1, "last": 1, "between": 1, "outside": 1}
"""How many things of a claim have a place of their own; the others can change places."""


class Said(NamedTuple):
    """A claim: the things that have a place of their own in it, and those that can change places."""

    relation: str
    placed: tuple[int, ...]
    ends: tuple[int, ...]

    def renamed(self, names: Sequence[int]) -> Said:
        """Say the same of other things."""
        placed, ends = (map(names.__getitem__, things) for things in (self.placed, self.ends))
        return Said(self.relation, tuple(placed), tuple(sorted(ends)))


NOTHING: Final = Said("", (), ())

Form: TypeAlias = tuple[tuple[Said, ...], Said]
"""Facts and claim of things that are numbered in a way that depends on neither names nor order of telling."""


def form_id(facts: Iterable[Claim], claim: Claim | None) -> str:
    """Return a short digest of the form of a question.

    Parameters
    ----------
    facts : iterable of Claim
        What the question tells.
    claim : Claim or None
        What it asks about: of two alternatives the first. None where it asks whether all facts can hold.

    Returns
    -------
    str
        Ten letters, which nobody takes for a number.
    """
    return _form_id(tuple(sorted(facts)), claim)


@lru_cache(maxsize=1 << 17)
def _form_id(facts: tuple[Claim, ...], claim: Claim | None) -> str:
    code = blake2b(repr(form(facts, claim)).encode(), digest_size=5).hexdigest()
    return code.translate(_LETTERS)


def form(facts: Iterable[Claim], claim: Claim | None) -> Form:
    """Find the form of a question.

    Parameters
    ----------
    facts : iterable of Claim
    claim : Claim or None
        A foreign claim counts without its things: the story does not compare them in this way.
    """
    claims = [*facts, *([] if claim is None else [claim])]
    things = sorted({thing for one in claims if one.relation != "foreign" for thing in one.args})
    place = {thing: i for i, thing in enumerate(things)}
    said = [said_of(one, place) for one in claims]
    if claim is None:
        said.append(NOTHING)
    return min(least(len(things), turned) for turned in (said, [_reverse(one) for one in said]))


def said_of(claim: Claim, place: dict[int, int]) -> Said:
    relation, args = claim
    if relation == "foreign":
        return Said(relation, (), ())
    numbers = [place[thing] for thing in args]
    apart = _APART.get(relation, 0)
    return Said(relation, tuple(numbers[:apart]), tuple(sorted(numbers[apart:])))


def _reverse(said: Said) -> Said:
    relation = _REVERSED.get(said.relation, said.relation)
    return Said(relation, said.placed[::-1] if relation == "before" else said.placed, said.ends)


def least(n: int, said: Sequence[Said]) -> Form:
    """Number n things so that facts and claim, which comes last, are least among the numberings to be compared."""
    marked = [*said[:-1], said[-1]._replace(relation=f"?{said[-1].relation}")]
    return min(
        (tuple(sorted(fact.renamed(numbers) for fact in said[:-1])), said[-1].renamed(numbers))
        for numbers in _numberings(marked, _refined(marked, [0] * n))
    )


def _numberings(said: Sequence[Said], colours: list[int]) -> Iterator[list[int]]:
    """Yield numberings of things, the same ones whatever the things were called before.

    Where several things have one colour, each is tried as the first of them, except those that can simply change places
    with one tried before.
    """
    shared = min((colour for colour in colours if colours.count(colour) > 1), default=None)
    if shared is None:
        yield colours
        return
    told, tried = sorted(said), list[int]()
    for thing in [thing for thing, colour in enumerate(colours) if colour == shared]:
        if not any(_exchanged(said, len(colours), thing, other) == told for other in tried):
            tried.append(thing)
            # A colour is the number of things below it.
            split = [c + (c == shared and other != thing) for other, c in enumerate(colours)]
            yield from _numberings(said, _refined(said, split))


def _exchanged(said: Sequence[Said], n: int, one: int, other: int) -> list[Said]:
    names = [*range(n)]
    names[one], names[other] = other, one
    return sorted(each.renamed(names) for each in said)


def _refined(said: Sequence[Said], colours: list[int]) -> list[int]:
    """Split colours by what is said of things, and of those that share a claim with them, until none splits."""
    count = 0
    while count < len(set(colours)) < len(colours):
        count = len(set(colours))
        seen: list[list[tuple[object, ...]]] = [[] for _ in colours]
        for relation, placed, ends in said:
            whole = (*(colours[thing] for thing in placed), *sorted(colours[thing] for thing in ends))
            for place, thing in enumerate((*placed, *ends)):
                seen[thing].append((relation, min(place, len(placed)), whole))
        kinds = [(colour, tuple(sorted(claims))) for colour, claims in zip(colours, seen, strict=True)]
        ranks: dict[object, int] = {}
        for rank, kind in enumerate(sorted(kinds)):
            ranks.setdefault(kind, rank)
        colours = [ranks[kind] for kind in kinds]
    return colours
