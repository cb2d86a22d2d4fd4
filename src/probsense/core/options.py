"""Options, read from where they are declared: the typed signature and the numpydoc docstring of what takes them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from probsense.core.errors import InputError, ProbSenseError, did_you_mean

REQUIRED = inspect.Parameter.empty
"""The default of an option that must be given."""


class Group(str):
    """What an option is about: its help stands with that of others of the group.

    A parameter says so in its type, ``Annotated[int, PEOPLE]``; without it, the option is about how a model is asked.
    """

    __slots__ = ()


class FileOr(tuple[str, ...]):
    """Words that a text may be instead of the path of a file: ``Annotated[str, FileOr(["standard", "long"])]``."""

    __slots__ = ()


ASKING = Group("asking")
PEOPLE = Group("people")
INTERVALS = Group("intervals")
RARE = Group("rare")
"""Options that few need: their help stands last."""

Kind = type[bool] | type[int] | type[float] | type[str] | type[Path]

T = TypeVar("T")
_TRUTH = {"true": True, "false": False}


class Option(NamedTuple):
    """One option of a task, a model or a reader.

    Attributes
    ----------
    name : str
        The keyword; the flag has hyphens for its underscores.
    kind : type
        bool, int, float, str or Path.
    many : bool
        Whether it takes several values.
    commas : bool
        Whether a text of several values is split at commas; paths and names may have commas of their own.
    choices : tuple
        The allowed values; empty if any value of the kind is allowed.
    default : object
        :data:`REQUIRED` if there is none.
    help : str
        The words of the docstring, on one line.
    positional : bool
        Whether it stands before the ``*`` of the signature.
    group : Group
        With which others its help stands.
    """

    name: str
    kind: Kind
    many: bool
    commas: bool
    choices: tuple[Any, ...]
    default: Any
    help: str
    positional: bool
    group: Group = ASKING

    @property
    def flag(self) -> str:
        """The flag of the command."""
        return "--" + self.name.replace("_", "-")

    def parse(self, text: str, flag: str = "") -> Any:
        """Read a value, or several, from a word of the command line.

        Raises
        ------
        InputError
            Names the flag (by default, that of a task's option), the word and what is expected.
        """
        words = [word.strip() for word in text.split(",")] if self.commas else [text]
        found = [self._parse_one(word, flag or self.flag) for word in words]
        return found if self.many else found[0]

    def _parse_one(self, word: str, flag: str) -> Any:
        try:
            value = _TRUTH[word.lower()] if self.kind is bool else self.kind(word)
        except (KeyError, ValueError):
            raise InputError(f"{flag} {word!r}", expected=self.expected) from None
        if self.choices and value not in self.choices:
            hint = did_you_mean(word, map(str, self.choices))
            raise InputError(f"{flag} {word!r}{hint}", expected=self.expected)
        return value

    def check(self, value: Any) -> None:
        """Refuse a value of another kind.

        Raises
        ------
        InputError
            Names the option, the value and what is expected.
        """
        if value is None and self.default is None:
            return
        many = self.many and isinstance(value, Sequence) and not isinstance(value, str)
        for one in value if many else [value]:
            if not self._fits(one):
                raise InputError(f"{self.name} is {one!r}"[:200], expected=self.expected)

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return value in self.choices
        if self.kind is str:
            return True  # objects that stand for a text are the taker's own business
        if isinstance(value, bool):
            return self.kind is bool
        wider = str if self.kind is Path else int if self.kind is float else self.kind
        return isinstance(value, (self.kind, wider))

    @property
    def metavar(self) -> str:
        """What stands for a value in the help."""
        name = "|".join(map(str, self.choices)) or f"<{self.kind.__name__.lower()}>"
        return f"{name},…" if self.commas else name

    @property
    def shown_default(self) -> str:
        """The default, as the help shows it; "" for none."""
        default = self.default
        if isinstance(default, bool) or default in (REQUIRED, None, "", ()):
            return ""
        return ",".join(map(str, default)) if isinstance(default, list | tuple) else str(default)

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a path"}
        return f"{names[self.kind]}, or several joined by commas" if self.commas else names[self.kind]


def declared(taker: Callable[..., Any], *, skip: Collection[str] = ()) -> dict[str, Option]:
    """Read the options that a class or function declares.

    Parameters
    ----------
    taker : callable
        Its signature has a type for every option, its docstring a section "Parameters". A description "As for
        :func:`some.other.function`." takes the words from there.
    skip : collection of str
        Parameters that are no options.

    Returns
    -------
    dict of str to Option
        By name, in the order of the signature; the first positional parameter of a model's loader is no option.

    Raises
    ------
    ProbSenseError
        If a type cannot be understood: the fault of who wrote the taker.
    """
    try:
        hints = _hints(taker)
    except NameError as error:
        raise ProbSenseError(f"the types of {taker.__qualname__} cannot be read: {error}") from error
    words = descriptions(inspect.getdoc(taker) or "")
    found = {}
    for parameter in signature_of(taker).parameters.values():
        if parameter.name in skip or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        found[parameter.name] = Option(
            parameter.name,
            *_kind(hints.get(parameter.name, str)),
            parameter.default,
            _resolved(parameter.name, words.get(parameter.name, "")),
            parameter.kind is not parameter.KEYWORD_ONLY,
            _mark(hints.get(parameter.name, str), Group) or ASKING,
        )
    return found


def paths_among(taker: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options whose values are paths: those declared as Path, or as :class:`FileOr` and none of its words.

    Where types cannot be read, any value may be one.
    """
    try:
        hints = _hints(taker)
    except NameError:
        return dict(options)
    return {name: value for name, value in options.items() if _is_path(hints.get(name, str), value)}


def _is_path(hint: Any, value: Any) -> bool:
    words = _mark(hint, FileOr)
    return _kind(hint)[0] is Path if words is None else value not in words


def signature_of(taker: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function, or of a class's constructor, whatever makes the object before it."""
    if not inspect.isclass(taker) or taker.__init__ is object.__init__:
        return inspect.signature(taker)
    own = inspect.signature(taker.__init__)
    return own.replace(parameters=[*own.parameters.values()][1:], return_annotation=own.empty)


def _hints(taker: Callable[..., Any]) -> dict[str, Any]:
    """Read the types of parameters; a dataclass may inherit fields whose types are names of another module."""
    if not inspect.isclass(taker):
        return get_type_hints(taker, include_extras=True)
    try:
        return get_type_hints(taker.__init__, include_extras=True)
    except NameError:
        named, found = signature_of(taker).parameters, dict[str, Any]()
        for base in filter(is_dataclass, reversed(taker.__mro__)):
            kinds = {name: kind for name, kind in inspect.get_annotations(base).items() if name in named}
            module = getattr(sys.modules.get(base.__module__), "__dict__", {})
            found |= get_type_hints(SimpleNamespace(__annotations__=kinds), module, include_extras=True)
        return found


def first_line(taker: Callable[..., Any]) -> str:
    """Return the first line of a docstring, which says in short what its function or class does."""
    return (inspect.getdoc(taker) or "").partition("\n")[0]


def descriptions(doc: str) -> dict[str, str]:
    """Return the description of each parameter in a docstring, on one line."""
    return {name: words for name, (_, words) in described(doc).items()}


def described(doc: str) -> dict[str, tuple[str, str]]:
    """Read the section "Parameters" of a numpydoc docstring: the words after each colon, and the description."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    found: dict[str, tuple[str, list[str]]] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if line and not line[0].isspace():
            named, _, kind = line.partition(" : ")
            names = [name.strip("* ") for name in named.split(",")]
            found |= {name: (kind, []) for name in names}
        elif line:
            for name in names:
                found[name][1].append(line.strip())
    return {name: (kind, _without_markup(" ".join(lines))) for name, (kind, lines) in found.items()}


def _without_markup(text: str) -> str:
    """Drop the roles and double backticks of reStructuredText, but keep a reference that stands for the words."""
    if _REFERENCE.fullmatch(text):
        return text
    return re.sub(r":\w+:`~?([^`]+)`", r"\1", text).replace("``", "")


_REFERENCE = re.compile(r"As for :\w+:`([\w.]+)\.(\w+)`\.")


def _resolved(name: str, text: str) -> str:
    if reference := _REFERENCE.fullmatch(text):
        other = getattr(import_module(reference[1]), reference[2])
        return _resolved(name, descriptions(inspect.getdoc(other) or "").get(name, ""))
    return text


def _kind(hint: Any) -> tuple[Kind, bool, bool, tuple[Any, ...]]:
    """Tell the kind of a type, whether it takes several values and splits them at commas, and which it allows."""
    if get_origin(hint) is Annotated:
        return _kind(get_args(hint)[0])
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for one in alternatives:
        if get_origin(one) is Literal:
            choices = get_args(one)
            return type(choices[0]), False, False, choices
    for one in alternatives:
        if get_origin(one) in (Sequence, tuple, list):
            kind, _, _, choices = _kind(get_args(one)[0])
            return kind, True, kind is not Path and str not in alternatives, choices
    for kind in (bool, Path, str, float, int):
        if kind in alternatives:
            return kind, False, False, ()
    return str, False, False, ()


def _mark(hint: Any, kind: type[T]) -> T | None:
    return next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, kind)), None)


def check_options(what: str, options: Mapping[str, Option], given: Mapping[str, Any]) -> None:
    """Refuse unknown options, missing ones and values of a wrong kind.

    Parameters
    ----------
    what : str
        How an error calls the taker: "task 'capitals'".
    options : Mapping of str to Option
    given : Mapping of str to object

    Raises
    ------
    InputError
    """
    for name in given:
        if name not in options:
            raise InputError(
                f"the {what} takes no option {name!r}{did_you_mean(name, options)}",
                expected=f"one of {', '.join(options)}" if options else "no options at all",
            )
    for name, option in options.items():
        if name in given:
            option.check(given[name])
        elif option.default is REQUIRED:
            raise InputError(f"the {what} needs the option {name!r}")


def named_values(flag: str, words: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Read the values of an option that gives some names a value each, such as ``good=NAME``.

    Raises
    ------
    InputError
        For a word without an equals sign or a value, another name, and one that stands twice.
    """
    found: dict[str, str] = {}
    for word in words:
        name, _, value = (part.strip() for part in word.partition("="))
        if name not in known or not value or name in found:
            expected = f"{'=…, '.join(known)}=… joined by commas, each at most once"
            raise InputError(f"{flag} {word!r}", expected=expected)
        found[name] = value
    return found


def checked_seed(seed: int) -> int:
    """Return a seed; refuse one below 0."""
    if seed < 0:
        raise InputError(f"the seed {seed}", expected="0 or more")
    return seed
