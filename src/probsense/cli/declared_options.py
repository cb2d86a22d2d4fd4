"""Gives a command the options of the tasks, the models or the readers that its words name."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperOption

from probsense.cli.next_steps import ARGUMENTS
from probsense.core.errors import InputError
from probsense.core.options import ASKING, INTERVALS, PEOPLE, RARE, REQUIRED, Group, Option
from probsense.show.text import joined

UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""What click raises for wrong use; typer may have a click of its own, and names none of its other errors."""
WIDEST: Final = 24
"""Characters of an option's values in its help; if they have more, each stands in a line of its own."""


class NoSuchFlagError(InputError):
    """A flag that nobody takes who is named."""


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


@dataclass(frozen=True, slots=True)
class Owners:
    """Tell who declares options of a command.

    Attributes
    ----------
    named : callable
        Lists the owners that a command line names.
    everyone : callable
        Lists all who could declare options, for the message about an option that no named owner takes.
    tasks : callable
        Lists the tasks that may be named, for the help of a command that names none.
    """

    named: Callable[[Named], list[Owner]]
    everyone: Callable[[], list[Owner]]
    tasks: Callable[[], Sequence[str]] = tuple


ASKING_PANEL, RARE_PANEL = (group.capitalize() for group in (ASKING, RARE))
"""The panels of a command's own options that are about these; its common options have none."""
Given = dict[str, dict[str, Any]]
"""Values on the command line, by owner and option."""


class DeclaredOptions(TyperCommand):
    """Take the options that the arguments of a command declare, and show them in its help.

    The command finds their values in ``context.obj``, by owner and option. An option of its own that may be repeated,
    and is shown with "…", takes all values that follow it.
    """

    owners: ClassVar[Owners]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the declared options before click parses the common ones."""
        ctx.meta[ARGUMENTS] = list(args)
        takes = _takes(self.params)
        owners = self.owners.named(named(args, takes))
        # The value of an option names nobody, though a folder may be called like a task.
        owners = self.owners.named(named(args, _takes_of(owners) | takes))
        ctx.meta["owners"] = owners
        try:
            ctx.obj, rest = take(args, owners, takes, self.owners.everyone)
        except NoSuchFlagError as error:
            raise UsageError(str(error), ctx) from None
        return super().parse_args(ctx, rest)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the common options, then those of each owner, group by group."""
        super().format_help(ctx, formatter)
        owners = ctx.meta.get("owners", ())
        for owner in owners:
            for group in (ASKING, PEOPLE, INTERVALS, RARE):
                _print_options(owner, group, owners)
        if (tasks := self.owners.tasks()) and not {owner.name for owner in owners} & {*tasks}:
            print(f" Tasks: {', '.join(tasks)}. --help after the name of a task shows its options.\n")


def taking(owners: Owners) -> type[DeclaredOptions]:
    """Make the class of a command that takes the options of some owners."""
    return type("DeclaredOptions", (DeclaredOptions,), {"owners": owners})


class Piece(NamedTuple):
    """A flag with its values, as a command line gives them; a word that is no flag has "" for its flag."""

    flag: str
    values: Sequence[str]
    equals: bool = False

    @property
    def words(self) -> list[str]:
        """The words that click reads: the flag stands before each of its values."""
        if self.equals:
            return [f"{self.flag}={self.values[0]}"]
        if not self.flag:
            return [*self.values]
        return [word for value in self.values for word in (self.flag, value)] or [self.flag]


def read_pieces(args: Sequence[str], takes: Mapping[str, int]) -> Iterator[Piece]:
    """Split a command line into flags with their values and other words.

    Parameters
    ----------
    args : sequence of str
    takes : Mapping of str to int
        How many values each known flag takes at most; several values end before the next word that begins with "-".

    Notes
    -----
    After ``--``, all words are arguments. An underscore in a flag is a hyphen. The word after a flag is its value,
    unless it is itself a flag that is known. An unknown flag has no value, except after "=".
    """
    left = list(args)
    while left:
        word = left.pop(0)
        if word == "--":
            yield Piece("", [word, *left])
            return
        if not word.startswith("-"):
            yield Piece("", [word])
            continue
        flag, equals, value = _split(word)
        values = [value] if equals else []
        while not equals and left and len(values) < takes.get(flag, 0):
            if _split(left[0])[0] in takes or (values and left[0].startswith("-")):
                break
            values.append(left.pop(0))
        yield Piece(flag, values, bool(equals))


def _split(word: str) -> tuple[str, str, str]:
    """Split ``--flag=value``, and write the flag with hyphens."""
    if not word.startswith("--"):
        return word, "", ""
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-"), equals, value


def _takes(params: Sequence[Any]) -> dict[str, int]:
    """Tell how many values the flags of a command's own options take."""
    found = {"--help": 0, "-h": 0}
    for option in params:
        if isinstance(option, TyperOption):
            several = option.multiple and str(option.metavar).endswith("…")
            most = 0 if option.is_flag else sys.maxsize if several else 1
            found |= dict.fromkeys((*option.opts, *option.secondary_opts), most)
    return found


def _takes_of(owners: Sequence[Owner]) -> dict[str, int]:
    """Tell how many values the flags of owners take; several paths may follow one, as a shell writes out a pattern."""
    options = {flag: meant[0][1] for flag, meant in _flags(owners).items()}
    return {
        flag: 0 if option.kind is bool else sys.maxsize if option.many and option.kind is Path else 1
        for flag, option in options.items()
    }


def named(args: Sequence[str], takes: Mapping[str, int]) -> Named:
    """Read what a command line names, as far as that can be told without the options of what it names."""
    words: list[str] = []
    models: list[str] = []
    first = None
    unclear = False  # whether the word may be the value of an option that is not known yet
    for flag, values, equals in read_pieces(args, takes):
        if flag in ("--model", "-m"):
            models += values
        elif not flag:
            words += values
            first = first or (None if unclear else values[0])
        unclear = bool(flag) and flag not in takes and not equals
    return Named(words, models, first)


def take(
    args: Sequence[str],
    owners: Sequence[Owner],
    takes: Mapping[str, int],
    everyone: Callable[[], Sequence[Owner]] = tuple,
) -> tuple[Given, list[str]]:
    """Take the options of owners from a command line.

    Parameters
    ----------
    args : sequence of str
    owners : sequence of Owner
    takes : Mapping of str to int
        Flags of common options, and how many values each takes.
    everyone : callable
        Lists all owners, for the message about an option that none of these takes.

    Returns
    -------
    (dict, list of str)
        Values by owner and option, and the words that are left.

    Raises
    ------
    InputError
        For a value of a wrong kind, a missing value, and a flag that means nothing or different things to the owners.
    """
    flags = _flags(owners)
    given: Given = {owner.name: {} for owner in owners}
    rest: list[str] = []
    for piece in read_pieces(args, {**_takes_of(owners), **takes}):
        flag = piece.flag
        if flag in takes or not flag.startswith("--"):
            if takes.get(flag) and not piece.values:
                raise InputError(f"{flag} has no value")
            rest += piece.words
            continue
        if flag not in flags:
            raise _unknown(flag, [*takes, *flags], everyone())
        meant = flags[flag]
        option = meant[0][1]
        if any(not option.same_as(other) for _, other in meant):
            forms = " or ".join(f"--{owner.name}.{flag[2:]}" for owner, _ in meant)
            whom = " and ".join(owner.name for owner, _ in meant)
            raise InputError(f"{flag} means different things to {whom}", expected=forms)
        if not piece.values and option.kind is not bool:
            raise InputError(f"{flag} has no value", expected=option.expected)
        yes = flag in _forms(meant[0][0], option.flag[2:])
        values = [option.parse(value) for value in piece.values] or [yes]
        for owner, own in meant:
            before = given[owner.name].get(own.name, [])
            given[owner.name][own.name] = [*before, *chain(*values)] if own.many else values[-1]
    return given, rest


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


def _unknown(flag: str, known: Sequence[str], everyone: Sequence[Owner]) -> NoSuchFlagError:
    """Make the error about a flag that nobody takes who is named: it says who does, or proposes another flag."""
    having = [owner.name for owner in everyone if flag in _flags([owner])]
    if having:
        return NoSuchFlagError(f"{flag} is an option of {joined(having)}, not named here")
    # The hyphens that all flags begin with would make any two of them seem alike.
    near = difflib.get_close_matches(flag[2:], [one[2:] for one in known if one.startswith("--")], n=1)
    return NoSuchFlagError(f"no such option: {flag}" + (f"; did you mean '--{near[0]}'?" if near else ""))


def _print_options(owner: Owner, group: Group, owners: Sequence[Owner]) -> None:
    """Print the help of an owner's options of one group, if it has any."""
    own = [option for option in owner.options.values() if option.group == group]
    if not own:
        return
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    flags = _flags(owners)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for option in own:
        clash = any(not option.same_as(other) for _, other in flags[option.flag])
        flag = _forms(owner, option.flag[2:])[clash]
        if option.kind is bool and option.default is not False:
            flag += "/" + _forms(owner, f"no-{option.flag[2:]}")[clash]
        help = Text(option.help)
        if (default := _default(option)) is not None:
            help.append(f" [default: {default}]", style="dim")
        values = metavar(option)
        if len(values) > WIDEST:
            values = values.replace("|", "|\n")
        table.add_row(Text(flag, style="bold cyan"), Text(values, style="bold yellow"), help)
    title = f"{owner.name}: {group}"
    Console().print(Panel(table, title=title, title_align="left", border_style="dim"))


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
