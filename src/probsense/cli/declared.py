"""Gives a command the options of the tasks, the model or the readers that its words name."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from probsense.cli.several import TakesSeveral
from probsense.core.errors import InputError
from probsense.core.options import REQUIRED, Option
from probsense.show.text import joined

RENAMED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("--testset", "--statements", "--file", "--targets", "--questions"), "--data"),
}
"""Flags of earlier versions, and what they are called now."""
WIDEST: Final = 24
"""Characters of an option's values in its help; if they have more, each stands in a line of its own."""
GONE: Final[Mapping[str, str]] = {"--generate": "no flag: without --data, a task asks questions of its own"}
"""Flags of earlier versions that nothing replaces, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Hold a task, a model or a reader by its name, with the options that it declares.

    Attributes
    ----------
    name : str
        Stands before a dot in the long form of its flags.
    options : Mapping of str to Option
        By name.
    """

    name: str
    options: Mapping[str, Option]


@dataclass(frozen=True, slots=True)
class Named:
    """Hold what a command line names, as far as it can be told before its options are known.

    Attributes
    ----------
    words : sequence of str
        Every word that may be an argument.
    models : sequence of str
        The values of ``--model``.
    first : str or None
        The first word that is no value of an option, whatever takes options: the name of a task, where there is one.
    """

    words: Sequence[str]
    models: Sequence[str] = ()
    first: str | None = field(default=None, compare=False)


Given = dict[str, dict[str, Any]]
"""Values on the command line, by owner and option."""


@dataclass(slots=True)
class Taken:
    """Hold the options taken from a command line, the words that are left, and which of these are values."""

    given: Given
    rest: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)


class Declaring(TakesSeveral):
    """Take the options that the arguments of a command declare, and show them in its help.

    The command finds their values in ``context.obj``, by owner and option.
    """

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """List who declares options, by what the command line names."""
        raise NotImplementedError

    @staticmethod
    def everyone() -> list[Owner]:
        """List all who could declare options, for the message about an option that no named owner takes."""
        raise NotImplementedError

    @staticmethod
    def tasks() -> list[str]:
        """List the tasks that may be named, for the help of a command that names none."""
        return []

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the declared options before the common ones are parsed."""
        takes = dict(self._common())
        owners = type(self).owners(named(args, takes))
        # The value of an option names nobody, though a folder may be called like a task.
        owners = type(self).owners(named(args, takes | _with_values(owners)))
        ctx.meta["owners"] = owners
        taken = take(args, owners, takes)
        for word in taken.rest:
            flag = word.partition("=")[0].replace("_", "-")
            if flag == "--":
                break
            if flag.startswith("--") and flag not in takes and word not in taken.values:
                raise unknown(flag, [*takes, *_flags(owners)], type(self).everyone())
        ctx.obj = taken.given
        return super().parse_args(ctx, taken.rest)

    def _common(self) -> Iterator[tuple[str, bool]]:
        """List the flags of the common options, and whether each takes a value."""
        for param in self.params:
            for flag in (*getattr(param, "opts", ()), *getattr(param, "secondary_opts", ())):
                if flag.startswith("-"):
                    yield flag, not getattr(param, "is_flag", False)
        yield from (("--help", False), ("-h", False))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the common options, then those of each owner."""
        super().format_help(ctx, formatter)
        owners = ctx.meta.get("owners", ())
        for owner in owners:
            if owner.options:
                _print_options(owner, owners)
        if (tasks := type(self).tasks()) and not {owner.name for owner in owners} & {*tasks}:
            print(f" Tasks: {', '.join(tasks)}. --help after the name of a task shows its options.\n")


def named(args: Sequence[str], takes: Mapping[str, bool]) -> Named:
    """Read what a command line names, as far as that can be told without the options of what it names.

    Parameters
    ----------
    args : sequence of str
    takes : Mapping of str to bool
        Flags of options that are known already, and whether each takes a value.
    """
    words: list[str] = []
    models: list[str] = []
    first = None
    unclear = False  # whether the word may be the value of an option that is not known yet
    left = iter(args)
    for word in left:
        flag, equals, value = _split(word)
        if not word.startswith("-"):
            words.append(word)
            first = first or (None if unclear else word)
            unclear = False
        elif takes.get(flag):
            value = value if equals else next(left, "")
            if flag in ("--model", "-m"):
                models.append(value)
        else:
            unclear = flag not in takes and not equals
    return Named(words, models, first)


def take(args: Sequence[str], owners: Sequence[Owner], takes: Mapping[str, bool]) -> Taken:
    """Take the options of owners from a command line.

    Parameters
    ----------
    args : sequence of str
    owners : sequence of Owner
    takes : Mapping of str to bool
        Flags of common options, and whether each takes a value.

    Raises
    ------
    InputError
        For a value of a wrong kind, a missing value, and a flag that means different things to several owners.

    Notes
    -----
    Nothing is taken after ``--``. The word after a flag is its value, unless it is itself a flag that is known here.
    """
    flags = _flags(owners)
    taken = Taken({owner.name: {} for owner in owners})
    left = list(args)
    while left:
        word = left.pop(0)
        if word == "--":
            taken.rest += [word, *left]
            break
        flag, equals, value = _split(word)
        if flag in takes or flag not in flags:
            taken.rest.append(flag + equals + value if flag in takes else word)
            if takes.get(flag) and not equals and left:
                taken.values.add(left[0])
                taken.rest.append(left.pop(0))
            continue
        meant = flags[flag]
        option = meant[0][1]
        if any(not option.same_as(other) for _, other in meant):
            forms = " or ".join(f"--{owner.name}.{flag[2:]}" for owner, _ in meant)
            raise InputError(
                f"{flag} means different things to {' and '.join(owner.name for owner, _ in meant)}",
                expected=forms,
            )
        values: list[Any]
        if equals:
            values = [value]
        elif option.kind is bool:
            values = [flag in _forms(meant[0][0], option.flag[2:])]
        else:
            values = _values(left, option, {*flags, *takes})
            if not values:
                raise InputError(f"{flag} has no value", expected=option.expected)
        for owner, own in meant:
            _add(taken.given[owner.name], own, values)
    return taken


def _flags(owners: Sequence[Owner]) -> dict[str, list[tuple[Owner, Option]]]:
    """List every flag, short and with its owner's name, and whom it may mean."""
    found: dict[str, list[tuple[Owner, Option]]] = {}
    for owner in owners:
        for option in owner.options.values():
            bare = option.flag[2:]
            negated = [f"no-{bare}"] if option.kind is bool and option.default is not False else []
            for form in (bare, *negated):
                for flag in _forms(owner, form):
                    found.setdefault(flag, []).append((owner, option))
    return found


def _forms(owner: Owner, form: str) -> tuple[str, str]:
    """Write a flag without and with the name of its owner."""
    return f"--{form}", f"--{owner.name}.{form}"


def _with_values(owners: Sequence[Owner]) -> dict[str, bool]:
    """Tell which flags of owners take a value."""
    return {flag: meant[0][1].kind is not bool for flag, meant in _flags(owners).items()}


def _split(word: str) -> tuple[str, str, str]:
    """Split ``--flag=value``; an underscore in a flag is a hyphen."""
    flag, equals, value = word.partition("=")
    return (flag.replace("_", "-") if flag.startswith("--") else flag), equals, value


def unknown(flag: str, known: Sequence[str], everyone: Sequence[Owner]) -> InputError:
    """Make the error about a flag that nobody takes who is named: it says who does, or proposes another flag."""
    having = [owner.name for owner in everyone if flag in _flags([owner])]
    new = RENAMED.get(flag)
    now = f"{new}, as it is called now" if new in known else GONE.get(flag)
    if having:
        return InputError(f"{flag} is an option of {joined(having)}, not named here", expected=now)
    if now:
        return InputError(f"no such option: {flag}", expected=now)
    # The hyphens that all flags begin with would make any two of them seem alike.
    near = difflib.get_close_matches(flag[2:], [one[2:] for one in known if one.startswith("--")], n=1)
    return InputError(f"no such option: {flag}" + (f"; did you mean '--{near[0]}'?" if near else ""))


def _values(left: list[str], option: Option, flags: Collection[str]) -> list[str]:
    """Take the word after a flag; several paths may follow one flag, as a shell writes out a pattern."""
    values = [word for word in left[:1] if _split(word)[0] not in flags]
    del left[: len(values)]
    while values and option.many and option.kind is Path and left and not left[0].startswith("-"):
        values.append(left.pop(0))
    return values


def _add(given: dict[str, Any], option: Option, values: Sequence[Any]) -> None:
    for value in values:
        parsed: Any = value if isinstance(value, bool) else option.parse(value)
        given[option.name] = [*given.get(option.name, []), *parsed] if option.many else parsed


def positional(owner: Owner, words: Sequence[str], given: Mapping[str, Any], usage: str) -> dict[str, Any]:
    """Give the arguments of a command to the options that stand first in the signature.

    Parameters
    ----------
    owner : Owner
    words : sequence of str
        The arguments.
    given : Mapping of str to object
        Options given by their flags.
    usage : str
        The command, for errors.

    Raises
    ------
    InputError
        If there are more words than such options, or a required option is missing.
    """
    places = [option for option in owner.options.values() if option.positional and option.name not in given]
    if len(words) > len(places):
        raise InputError(f"{usage} takes no {words[len(places)]!r}", expected=_usage(usage, owner))
    found = {option.name: option.parse(word) for option, word in zip(places, words, strict=False)}
    for option in owner.options.values():
        if option.default is REQUIRED and option.name not in {*given, *found}:
            wanted = option.name.upper() if option.positional else option.flag
            raise InputError(f"{usage} needs {wanted}", expected=_usage(usage, owner))
    return {**given, **found}


def _usage(usage: str, owner: Owner) -> str:
    words = [option.name.upper() for option in owner.options.values() if option.positional]
    flags = [
        f"{option.flag} {metavar(option)}"
        for option in owner.options.values()
        if option.default is REQUIRED and not option.positional
    ]
    return " ".join([f"probsense {usage}", *words, *flags])


def _print_options(owner: Owner, owners: Sequence[Owner]) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    flags = _flags(owners)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for option in owner.options.values():
        clash = any(not option.same_as(other) for _, other in flags[option.flag])
        flag = f"--{owner.name}.{option.flag[2:]}" if clash else option.flag
        if option.kind is bool and option.default is not False:
            flag += "/" + _forms(owner, f"no-{option.flag[2:]}")[clash]
        help = Text(option.help)
        if (default := _default(option)) is not None:
            help.append(f" [default: {default}]", style="dim")
        values = metavar(option)
        if len(values) > WIDEST:
            values = values.replace("|", "|\n")
        table.add_row(Text(flag, style="bold cyan"), Text(values, style="bold yellow"), help)
    Console().print(Panel(table, title=owner.name, title_align="left", border_style="dim"))


def metavar(option: Option) -> str:
    """Name the values of an option, for its help."""
    if option.kind is bool:
        return ""
    name = "|".join(map(str, option.choices)) or f"<{option.kind.__name__.lower()}>"
    return f"{name}…" if option.many and option.kind is Path else f"{name},…" if option.commas else name


def _default(option: Option) -> str | None:
    default = option.default
    if isinstance(default, bool) or default in (REQUIRED, None, "", ()):
        return None
    return ",".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
