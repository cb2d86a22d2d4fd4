"""Defines the command ``probsense``: commands hold no logic, and import heavy modules when they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Final

import typer
import typer.core
import typer.main

from probsense.cli import collect, data, models, profile, run, showing, stores
from probsense.cli.options import CommandGroup
from probsense.cli.task_commands import ANALYSE, KNOWN, SETTINGS, TaskCommand, group_of, verb_command
from probsense.core.errors import ProbSenseError
from probsense.core.options import first_line


class Commands(typer.core.TyperGroup):
    """Find commands by name, those that tasks bring along among them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands, group by group."""
        return NAMES

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, or make the one for a verb of a task."""
        return super().get_command(ctx, cmd_name) or _brought_along(cmd_name)


NAMES: Final[list[str]] = []
"""The commands in the order of the help, which typer alone would sort by kind."""
INTERRUPTED: Final = 130
"""What typer returns after Ctrl-C."""
UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""What click raises for wrong use; typer may have a click of its own, and names none of its other errors."""

app = CommandGroup(
    name="probsense",
    cls=Commands,
    help="Measure the common sense of language models, and compare it with people's.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=SETTINGS,
)
MEASURE, READ, MAKE, HELPING = "Measure", "Read results", "Make data", "Help"


def _add(
    name: str, group: str, about: str | None, command: Callable[..., None] | TaskCommand | typer.Typer
) -> None:
    """Add a command to a group, with the line that the help of ``probsense`` has for it, or the command itself."""
    NAMES.append(name)
    if isinstance(command, TaskCommand):
        command = group_of(command, about or "")
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name, rich_help_panel=group, short_help=about)
    else:
        app.command(name, rich_help_panel=group, short_help=about)(command)


_add("run", MEASURE, "Ask models the questions of a task, and say what came out.", run.RUN)
_add("profile", MEASURE, "Ask models every task: one table, one page.", profile.profile)
_add("score", MEASURE, "Score options after a prefix: a probability for each.", models.score)
_add("models", MEASURE, "List the kinds of models, and their options.", models.models)
_add("doctor", MEASURE, "Examine a model before you trust its results.", models.doctor)
_add("batch", MEASURE, None, run.batch)
_add("report", READ, "Write one page about runs: charts, tables, every question.", showing.report)
_add("compare", READ, "Compare models on the same questions: differences, tests, ranks.", showing.compare)
_add("items", READ, "Find the questions that tell models apart, and wrong labels.", showing.items)
_add("plan", READ, "Say how many questions a study needs, from a pilot.", showing.plan)
_add("analyse", READ, "Analyse recorded results in their published formats.", ANALYSE)
_add("figure", READ, "Draw one chart to a file.", showing.figure)
_add("runs", READ, None, stores.app)
_add("merge", READ, "Put the answers and runs of several stores into one.", stores.merge)
_add("reproduce", READ, "Ask once more what a run asked, and compare every figure.", stores.reproduce)
_add("collect", MAKE, "Serve a study, and export what people answered.", collect.collect)
for _verb, _about in KNOWN.items():
    _add(_verb, MAKE, _about, verb_command(_verb))
_add("data", MAKE, None, data.data)
_add("demo", HELPING, "Ask the models at hand every task, without a network.", profile.demo)
_add("interop", HELPING, None, data.interop)


def _brought_along(verb: str) -> Any:
    """Make the command for a verb that only an installed task knows; return None if no task knows it."""
    from probsense.tasks.registry import task_types

    functions = [found for task in task_types().values() if (found := task.verbs.get(verb))]
    if not functions:
        return None
    return typer.main.get_group(group_of(verb_command(verb), first_line(functions[0])))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"probsense {version('probsense')}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command, and print an error that the user can act on as one line on stderr, never as a traceback.

    After an error about the words of the command line, a second line says what the command takes.
    """
    try:
        code = app(prog_name="probsense", standalone_mode=False)
        # Typer ends without a word on Ctrl-C.
        sys.exit(_say("interrupted", 1) if code == INTERRUPTED else code)
    except ProbSenseError as error:
        sys.exit(_say(str(error), error.exit_code))
    except UsageError as error:
        message = " ".join(error.format_message().split())
        if near := getattr(error, "possibilities", None):
            message = f"no such option: {error.option_name}; did you mean {near[0]!r}?"
        # A group without a command has shown its help, and says nothing more.
        if message:
            _say(message, error.exit_code)
            if error.ctx:
                usage = " ".join(error.ctx.get_usage().split())
                print(f"usage: {usage.removeprefix('Usage: ')}", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(_say("aborted", 1))
    except BrokenPipeError:
        # The reader has gone (``probsense … | head``), so nobody would see a message.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("PROBSENSE_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        sys.exit(_say(f"internal error: {what} (set PROBSENSE_DEBUG=1 to see where)", 1))


def _say(message: str, code: int) -> int:
    print(f"probsense: {message}", file=sys.stderr)
    return code
