"""Reads documents by their types: msgspec checks a value, and its error becomes ours, with the place of the fault."""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.inspect import DataclassType, StructType

from probsense.core.errors import brief

if TYPE_CHECKING:
    from probsense.core.files.place import Place

T = TypeVar("T")


def matching(pattern: str, expected: str) -> Meta:
    """Bound a text to those that match a pattern as a whole."""
    return Meta(pattern=rf"\A(?:{pattern})\Z", description=expected)


# JSON can spell half a character, which no file can hold.
Text: TypeAlias = Annotated[str, matching(r"[^\ud800-\udfff]*", "text of Unicode characters")]
Word: TypeAlias = Annotated[str, matching(r"\s*[^\s\ud800-\udfff][^\ud800-\udfff]*", "some text")]
"""Text that is more than white space."""
Number: TypeAlias = Annotated[
    float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a number")
]
Words: TypeAlias = Annotated[tuple[Word, ...], Meta(min_length=1)]

_WAY = re.compile(r" - at (`key` in )?`\$((?:\.\w+|\[\d+\]|\[\.\.\.\])*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_WORDS: Mapping[Any, str] = {bool: "true or false", int: "a whole number", float: "a number"}


class Record(Struct, forbid_unknown_fields=True, frozen=True):
    """An object with the keys of its fields and no others.

    Its ``__post_init__`` may raise :class:`Unfit`, or another ValueError whose message tells the whole fault.
    """


class Unfit(ValueError):  # noqa: N818 - it becomes an error of the user's
    """A value breaks a rule that no type can state.

    Parameters
    ----------
    expected : str
    *steps : str or int
        The way to the value, from the record that refuses it.
    """

    def __init__(self, expected: str, *steps: str | int) -> None:
        super().__init__(expected)
        self.steps = steps


def read_as(kind: type[T], value: Any, place: Place) -> T:
    """Make a value of a type of a value of JSON or YAML.

    Parameters
    ----------
    kind : type
        A :class:`Record`, or what may stand in one. The description in a ``Meta`` says what is expected of a value.
    value : object
    place : Place
        Where the value stands.

    Raises
    ------
    InputError
        For a value of another type, with its place.
    """
    try:
        return msgspec.convert(value, kind)
    except UnicodeEncodeError as error:
        raise place.fault(f"half a character in {brief(error.object)}", "Unicode characters") from None
    except msgspec.ValidationError as error:
        said, unfit = str(error), error.__cause__
    way = _WAY.search(said)
    what: Any = kind
    at = value
    for step in _STEP.finditer(way[2] if way else ""):
        what, at, place = _inside(what, at, place, step)
    if way and way[1] and (inner := typing.get_args(_bare(what)[0])):
        what, at = inner[0], next(key for key in at if not _fits(key, inner[0]))
        place = place._replace(keys=f"a key of {place.keys or 'the mapping'}")
    if isinstance(unfit, Unfit):
        for one in unfit.steps:
            if isinstance(at, dict) and one not in at:
                raise place.missing(one, str(unfit))
            at, place = at[one], place.inside(one)
        raise place.wrong(at, "", str(unfit))
    if isinstance(unfit, ValueError):
        raise place.fault(str(unfit))
    kind, bounds = _bare(what)
    if isinstance(at, dict):
        place.mapping(at)  # It refuses keys that are no texts.
        known = msgspec.inspect.type_info(kind)
        if isinstance(known, StructType | DataclassType):
            needed = [one.name for one in known.fields if one.required]
            names = [one.name for one in known.fields]
            further = [] if getattr(known, "forbid_unknown_fields", False) else [*at]
            place.record(
                at, needed=needed, optional=[*names, *further], expected=f"the keys {', '.join(names)}"
            )
    if typing.get_origin(kind) is Literal:
        place.one_of(at, "", typing.get_args(kind))
    if bounds.description and (kind is not str or isinstance(at, str)):
        raise place.wrong(at, "", bounds.description)
    raise place.wrong(at, "", _words(kind, bounds, place))


def _inside(kind: Any, value: Any, place: Place, step: re.Match[str]) -> tuple[Any, Any, Place]:
    """Take one step into a value: return what should stand there, what does, and where that is."""
    kind, _ = _bare(kind)
    inner = typing.get_args(kind)
    if step[1]:
        return (
            typing.get_type_hints(kind, include_extras=True)[step[1]],
            value[step[1]],
            place.inside(step[1]),
        )
    if step[2]:
        number = int(step[2])
        alike = typing.get_origin(kind) is not tuple or inner[-1] is ...
        return inner[0 if alike else number], value[number], place.inside(number)
    key = next(key for key, one in value.items() if not _fits(one, inner[1]))
    return inner[1], value[key], place.inside(key)


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except ValueError:
        return False
    return True


def _bare(kind: Any) -> tuple[Any, Meta]:
    """Take a type out of what stands around it: its bounds, and None beside it."""
    if typing.get_origin(kind) is Annotated:
        return _bare(kind.__origin__)[0], kind.__metadata__[0]
    some = [one for one in _choices(kind) if one is not NoneType]
    return _bare(some[0]) if len(some) == 1 and some[0] is not kind else (kind, Meta())


def _choices(kind: Any) -> tuple[Any, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) in (UnionType, typing.Union) else (kind,)


def _words(kind: Any, bounds: Meta, place: Place) -> str:
    """Say what a value of a type is."""
    if len(some := _choices(kind)) > 1:
        return " or ".join(_words(*_bare(one), place) for one in some)
    base = typing.get_origin(kind) or kind
    if base in _WORDS:
        low = "" if bounds.ge is None else f" from {bounds.ge}"
        return _WORDS[base] + low + ("" if bounds.le is None else f" to {bounds.le}")
    if base in (list, tuple):
        least = bounds.min_length
        return "a list" + (f", at least {'one' if least == 1 else least}" if least else "")
    return place.words_for(str if base is str else dict)
