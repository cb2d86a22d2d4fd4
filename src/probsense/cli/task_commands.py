"""Commands with a sub-command for each task: how these are made, ``analyse``, and the verbs that tasks bring along."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, NamedTuple, TypeAlias

import typer
import typer.main
from typer.core import TyperGroup

from probsense.cli.options import MaybeFile, MaybeFolder, Seed, as_command, choose_format, only_stdout
from probsense.cli.printing import print_after_analysis, print_brief, print_json, print_parts, say
from probsense.core.errors import InputError, ProbSenseError
from probsense.core.options import REQUIRED, Option, declared

Values: TypeAlias = Mapping[str, Any]
"""The options of a task that a command line gives, by name."""
SETTINGS: Final[Any] = {
    "help_option_names": ["-h", "--help"],
    "token_normalize_func": lambda word: word.replace("_", "-"),
}
"""The help has a short flag, and an underscore in a flag is a hyphen."""
PARAMETERS: Final = ("task", "given")
"""What a command gets beside its own options: the name of the task, and its :data:`Values`."""


class TaskCommand(NamedTuple):
    """Hold a command whose sub-commands are tasks.

    Attributes
    ----------
    name : str
    call : callable
        Takes its own options and :data:`PARAMETERS`.
    taker : callable
        Finds what takes the options of a task's class; None for a task that cannot be named here.
    skip : collection of str
        Parameters of the taker that the command provides.
    arguments : bool
        Whether the parameters before the ``*`` of the taker are arguments.
    """

    name: str
    call: Callable[..., None]
    taker: Callable[[Any], Callable[..., Any] | None]
    skip: Collection[str] = ()
    arguments: bool = True

    def tasks(self) -> list[str]:
        """List the installed tasks that can be named."""
        from probsense.tasks.registry import task_types

        return [name for name, task in task_types().items() if self.taker(task) is not None]

    def of_task(self, name: str) -> Any:
        """Make the sub-command of a task.

        Raises
        ------
        InputError
            For an unknown task, and one that cannot be named here.
        """
        from probsense.tasks.registry import task_type

        taker = self.taker(task_type(name))
        if taker is None:
            raise InputError(f"{name} has no verb {self.name!r}", expected=" or ".join(self.tasks()))
        options = declared(taker, skip=self.skip)

        def command(**values: Any) -> None:
            found = {key: _parsed(option, values.pop(key)) for key, option in options.items()}
            given = {key: value for key, value in found.items() if value is not None}
            self.call(task=name, given=given, **values)

        if clash := options.keys() & inspect.signature(self.call).parameters.keys():
            raise ProbSenseError(f"the task {name} has an option {min(clash)}, as the command has")
        call = as_command(self.call)
        own = [one for one in inspect.signature(call).parameters.values() if one.name not in PARAMETERS]
        further = [_parameter(name, option, argument=self.arguments) for option in options.values()]
        command.__signature__ = inspect.Signature([*own, *further])  # type: ignore[attr-defined]
        command.__doc__ = call.__doc__
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
        alone.command(name, context_settings=SETTINGS)(command)
        return typer.main.get_command(alone)


def _parameter(task: str, option: Option, *, argument: bool) -> inspect.Parameter:
    """Return the parameter of a command that gives an option."""
    kind: Any = bool if option.kind is bool else list[str] if option.many else str
    shown = option.shown_default
    default: Any = [shown] if shown and option.many else shown or None
    if option.default is REQUIRED:
        default = REQUIRED
    if argument and option.positional:
        info: Any = typer.Argument(help=option.help, metavar=option.name.upper(), show_default=False)
    else:
        negated = option.kind is bool and option.default is not False
        info = typer.Option(
            f"{option.flag}/--no-{option.flag[2:]}" if negated else option.flag,
            help=option.help,
            metavar=None if option.kind is bool else option.metavar,
            show_default=True,
            rich_help_panel=f"{task}: {option.group}",
        )
    kind = kind if default is REQUIRED else kind | None
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _parsed(option: Option, value: Any) -> Any:
    """Read what the command line gives for an option; None for nothing."""
    if value is None or isinstance(value, bool):
        return value
    if option.many:
        return [*chain.from_iterable(map(option.parse, value))] or None
    return option.parse(value)


class TaskGroup(TyperGroup):
    """Find the sub-command of a task when it is named."""

    made_by: ClassVar[TaskCommand]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Make the sub-command of a task."""
        return self.made_by.of_task(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show what the command does, and for which tasks."""
        super().format_help(ctx, formatter)
        print(f" Tasks: {', '.join(self.made_by.tasks())}, or your own FILE.py; TASK --help shows options.\n")


def group_of(made_by: TaskCommand, about: str) -> typer.Typer:
    """Make the group of a command.

    Parameters
    ----------
    made_by : TaskCommand
    about : str
        What its help says that it does.
    """
    kind = type("TaskGroup", (TaskGroup,), {"made_by": made_by})
    return typer.Typer(
        name=made_by.name,
        cls=kind,
        help=about,
        subcommand_metavar="TASK [OPTIONS]",
        no_args_is_help=True,
        context_settings=SETTINGS,
    )


KNOWN: Final = {
    "generate": "Generate new test and training sets.",
    "audit": "Recompute the gold labels of a set with an independent solver.",
}
"""Verbs that the help of ``probsense`` shows without importing a task; tasks may have others."""
PROGRESS: Final = "progress"
"""Name of the parameter by which a verb reports its progress."""


def verb_command(verb: str) -> TaskCommand:
    """Make the command for a verb."""

    def command(task: str, given: Values, *, json: bool = False, quiet: bool = False) -> None:
        from probsense.runs.ask.progress import show_progress
        from probsense.tasks.registry import task_type

        function = task_type(task).verbs[verb]
        if PROGRESS in inspect.signature(function).parameters:
            with show_progress(f"{verb} {task}", quiet=quiet) as progress:
                found = function(**given, progress=progress)
        else:
            found = function(**given)
        if json:
            print_json(found.to_json())  # type: ignore[attr-defined]
        elif not quiet:
            print(found)

    return TaskCommand(verb, command, lambda task: task.verbs.get(verb), (PROGRESS,))


def analyse(
    task: str,
    given: Values,
    *,
    seed: Seed = 0,
    figures: MaybeFolder = None,
    report: MaybeFile = None,
    json: bool = False,
    format: str | None = None,
    full: bool = False,
) -> None:
    """Analyse recorded results in their published formats, and print tables with 95 % intervals, or JSON.

    Parameters
    ----------
    report : FILE.html
        Also write a page; "-" prints it on stdout, and no tables.
    figures : DIR
        Write each chart (SVG and PDF) and the data behind it (CSV) into a folder.
    """
    from probsense.results.page.report import report_analysis, write_charts
    from probsense.results.part import part_of_analysis
    from probsense.tasks.registry import task_type

    form = choose_format(format, json)
    page_alone = only_stdout(report, form)
    reads = task_type(task).analyse
    assert reads is not None
    found = reads(**given, **({"seed": seed} if "seed" in inspect.signature(reads).parameters else {}))
    if figures is not None:
        for path in write_charts(figures, found):
            say(f"written: {path}")
    if report is not None:
        report_analysis(report, found)
    if page_alone:
        return
    if form == "json":
        print_json(found.to_json())
        return
    part = part_of_analysis(found)
    if form is None and not full:
        print_brief(part)
        print_after_analysis()
    else:
        print_parts([part], form)


ANALYSE: Final = TaskCommand("analyse", analyse, lambda task: task.analyse, ("seed",))
