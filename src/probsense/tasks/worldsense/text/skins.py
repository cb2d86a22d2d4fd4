"""Skins: the everyday domains in which a world is told, and how one tells a story.

A story has its facts in any order, each worded in one of two directions. The things of a story are numbered by an order
that fits its facts, from first to last. The frames of questions are the same for every skin.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta
from msgspec.structs import force_setattr

from probsense.core.files.typed import Record, Text, matching
from probsense.tasks.worldsense.text.logic import Claim, Relation

PACKAGED = ("test", "train", "many")
"""Skin files of the package; no training skin shares its names, scene or wording with another one."""

QSKINS = ("directQ1", "directQ2")
"""The wordings of questions."""

INFER = {
    "directQ1": "{story}\nIs it TRUE or FALSE that {claim}?\nReply with one word only, TRUE or FALSE:",
    "directQ2": "{story}\nReply with one word only, TRUE or FALSE: can one say that {claim}?\n",
}
CONSIST = {
    "directQ1": "{scene}. Somebody says that {facts}. Could all of this be so at once? "
    "Reply with one word only, POSSIBLE or IMPOSSIBLE: ",
    "directQ2": "Think of this description. {scene}: {facts}.\n"
    "Reply with one word only, POSSIBLE if there is a way for all of it to hold, IMPOSSIBLE if there is none.\n",
}
COMPL = {
    "directQ1": "{story}\nWhich of the three is right: (1) {claim}, (2) {converse}, or (3) the text leaves it open?\n"
    "Reply with the number only:",
    "directQ2": "{story}\nReply with a number only: 1 if {claim}, 2 if {converse}, 3 if the text leaves it open.\n",
}

SENTENCES: Mapping[str, tuple[Relation, str]] = {
    "forward": ("before", "ab"),
    "converse": ("before", "ba"),
    "between": ("between", "mab"),
    "outside": ("outside", "mab"),
    "first": ("first", "a"),
    "last": ("last", "a"),
    "foreign": ("foreign", "ab"),
    "parallel": ("parallel", "ab"),
    "perpendicular": ("perpendicular", "ab"),
}
"""What the sentences of a skin say, and of which of their placeholders; each stands in a sentence exactly once."""

_PLACEHOLDERS = {"scene": "n", "list": "", **{field: args for field, (_, args) in SENTENCES.items()}}

_WITH_AND = ("between", "outside")

NAME = r"[a-z0-9_.]+"
"""What names of skins match."""

_FEWEST = 4


class _Skin(Record, frozen=True, kw_only=True):
    """The part that skins of every kind share, without white space around texts.

    A skin that breaks a rule raises a ValueError.
    """

    name: Annotated[str, matching(NAME, 'small letters, digits, "_" and "."')]
    scene: Text
    names: Annotated[
        tuple[Text, ...], Meta(min_length=_FEWEST, description=f"a list of names, at least {_FEWEST}")
    ]

    def __post_init__(self) -> None:
        for field in self.__struct_fields__:
            force_setattr(self, field, _stripped(getattr(self, field)))
        self._check_templates()
        self._check_names()

    def templates(self) -> Iterator[tuple[str, str]]:
        """Yield every template of the skin, after the name of its field."""
        for field in _PLACEHOLDERS:
            value = getattr(self, field, None)
            if isinstance(value, str):
                yield field, value
            elif value is not None:
                yield from ((field, template) for pair in value for template in pair)

    def _check_templates(self) -> None:
        seen: dict[str, str] = {}
        for field, template in self.templates():
            try:
                found = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
            except ValueError as error:
                raise ValueError(f"{field} is no template ({error}): {template!r}") from None
            wanted = sorted(_PLACEHOLDERS[field])
            if sorted(found) != wanted:
                names = ", ".join(f"{{{name}}}" for name in wanted) or "no placeholder"
                raise ValueError(f"{field} must hold {names}, each once: {template!r}")
            if field in ("scene", "list"):
                if set(template) & set('"\n:'):
                    raise ValueError(f"{field} holds a quote, colon or line break: {template!r}")
            elif set(template) & set(',:"\n()') or template.count(" and ") != (field in _WITH_AND):
                clause = "a plain clause without punctuation, with 'and' only between {a} and {b}"
                raise ValueError(f"{field} must be {clause}: {template!r}")
            if template in seen:
                raise ValueError(f"{field} and {seen[template]} are the same: {template!r}")
            seen[template] = field

    def _check_names(self) -> None:
        for name in self.names:
            if not name or set(name) & set(',:"\n{}()') or " and " in f" {name} ":
                raise ValueError(f"the name {name!r} is empty or holds punctuation or the word 'and'")
            if self.names.count(name) > 1:
                raise ValueError(f"the name {name!r} stands twice")
        for a, b in permutations(self.names, 2):
            if a in b:
                raise ValueError(f"the name {a!r} is part of the name {b!r}")
        for (field, template), name in product(self.templates(), self.names):
            if name in template:
                raise ValueError(f"the name {name!r} occurs in {field}: {template!r}")


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else tuple(map(_stripped, value))


class OrderSkin(_Skin, frozen=True, kw_only=True):
    """A domain whose entities stand in a strict order.

    ``forward`` says that {a} comes before {b}, ``converse`` that it comes after; ``first`` and ``last`` name the
    ends; ``list`` introduces the entities from first to last; ``foreign`` holds pairs of predicates that have
    nothing to do with the order.
    """

    kind: Literal["scalar", "spatial", "temporal"]
    list: Text
    forward: Text
    converse: Text
    between: Text
    outside: Text
    first: Text
    last: Text
    foreign: Annotated[
        tuple[Annotated[tuple[Text, Text], Meta(description="a list of two templates")], ...],
        Meta(min_length=1, description="a list of pairs of templates, at least one"),
    ]


class ParallelSkin(_Skin, frozen=True, kw_only=True):
    """A domain of lines, in which any two are parallel or perpendicular."""

    kind: Literal["parallel"]
    parallel: Text
    perpendicular: Text


Skin: TypeAlias = OrderSkin | ParallelSkin


def order_of(skin: Skin) -> OrderSkin:
    """Return a skin that tells of an order; any other is an error of the caller."""
    if not isinstance(skin, OrderSkin):
        raise TypeError(f"skin {skin.name} tells of lines, not of an order")
    return skin


def scene(skin: Skin, n: int) -> str:
    """Open a story about n entities, without a final stop."""
    return skin.scene.format(n=n)


def story(skin: Skin, n: int, clauses: Sequence[str]) -> str:
    """Tell a story that states its facts."""
    return f"{scene(skin, n)}: {join(clauses)}."


def list_story(skin: OrderSkin, names: Sequence[str]) -> str:
    """Tell a story that lists the entities in their order."""
    items = "\n".join(f"- {name}" for name in names)
    return f"{scene(skin, len(names))}. {skin.list}:\n{items}"


def join(clauses: Sequence[str]) -> str:
    """Join clauses to one sentence with commas, and "and" before the last."""
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def clause(skin: Skin, claim: Claim, names: Sequence[str], flip: bool) -> str:
    """Word a claim.

    Parameters
    ----------
    skin : Skin
    claim : Claim
        before, between, outside, first or last; of lines, parallel or perpendicular.
    names : sequence of str
        Name of each entity that the claim numbers.
    flip : bool
        Word before(a, b) by the converse predicate ("b comes after a"), between or outside with its end points
        exchanged, and lines with each other.
    """
    relation, args = claim
    field: str = relation
    if relation == "before":
        field = "converse" if flip else "forward"
    if flip:
        args = (*args[:-2], *args[:-3:-1])
    letters = "mab" if len(args) == 3 else "ab"
    return str(getattr(skin, field)).format(
        **{letter: names[i] for letter, i in zip(letters, args, strict=False)}
    )
