"""Defines the command ``probsense``: commands hold no logic, and import heavy modules when they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Final

import typer
import typer.core
import typer.main

from probsense.cli import collect, profile, run, showing, stores, task_verbs, tools
from probsense.cli.declared_options import Owners, UsageError, taking
from probsense.cli.owners import MODEL, MODELS, READERS, TASKS_AND_MODELS
from probsense.core.errors import ProbSenseError


class Commands(typer.core.TyperGroup):
    """Find commands by name, those that tasks bring along among them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show all on one screen, without what lets a shell complete names."""
        ctx.meta[SHOWN] = True
        super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options; the help leaves out those about the shell."""
        hidden = COMPLETION if ctx.meta.get(SHOWN) else ()
        return [one for one in super().get_params(ctx) if one.name not in hidden]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, or make the one for a verb of a task."""
        return super().get_command(ctx, cmd_name) or _brought_along(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer alone would end without a word on Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise ProbSenseError("interrupted") from None


COMPLETION: Final = ("install_completion", "show_completion")
SHOWN: Final = "help is shown"
HELP: Final = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="probsense",
    cls=Commands,
    help="Measure the common sense of language models, and compare it with people's.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=HELP,
)
MEASURE, READ, MAKE, HELPING = "Measure", "Read results", "Make data", "Help"


def _add(
    name: str, group: str, about: str, command: Callable[..., None], owners: Owners | None = None
) -> None:
    """Add a command to a group, with the line that the help of ``probsense`` has for it."""
    kind = None if owners is None else taking(owners)
    app.command(name, cls=kind, rich_help_panel=group, short_help=about)(command)


_add("run", MEASURE, "Ask models the questions of tasks, and say what came out.", run.run, TASKS_AND_MODELS)
_add("profile", MEASURE, "Ask models every task: one table, one page.", profile.profile, MODELS)
_add("score", MEASURE, "Score options after a prefix: a probability for each.", tools.score, MODEL)
_add("doctor", MEASURE, "Examine a model before you trust its results.", tools.doctor, MODEL)
app.add_typer(run.batch, name="batch", rich_help_panel=MEASURE)
_add("report", READ, "Write one page about runs: charts, tables, every question.", showing.report)
_add(
    "compare",
    READ,
    "Compare models on the same questions: differences, tests, ranks.",
    showing.compare,
    READERS,
)
_add("items", READ, "Find the questions that tell models apart, and wrong labels.", showing.items, READERS)
_add("plan", READ, "Say how many questions a study needs, from a pilot.", showing.plan, READERS)
_add(
    "analyse",
    READ,
    "Analyse recorded results in their published formats.",
    task_verbs.analyse,
    task_verbs.ANALYSES,
)
_add("figure", READ, "Draw one chart to a file.", showing.figure)
app.add_typer(stores.app, name="runs", rich_help_panel=READ)
_add("merge", READ, "Put the answers and runs of several stores into one.", stores.merge)
_add("reproduce", READ, "Ask once more what a run asked, and compare every figure.", stores.reproduce, MODEL)
app.add_typer(
    collect.collect,
    name="collect",
    rich_help_panel=MAKE,
    short_help="Serve a study, and export what people answered.",
)
for _verb, _about in task_verbs.KNOWN.items():
    _owners, _command = task_verbs.verb_command(_verb, _about)
    _add(_verb, MAKE, _about, _command, _owners)
tools.data.command("check", cls=taking(task_verbs.CHECKS))(task_verbs.check_data)
app.add_typer(tools.data, name="data", rich_help_panel=MAKE)
_add("demo", HELPING, "Ask the models at hand every task, without a network.", profile.demo)
app.add_typer(tools.interop, name="interop", rich_help_panel=HELPING)


def _brought_along(verb: str) -> Any:
    """Make the command for a verb that only an installed task knows; return None if no task knows it."""
    from probsense.tasks.registry import task_types

    if verb.startswith("-"):
        return None
    functions = [found for task in task_types().values() if (found := task_verbs.find_verb(task, verb))]
    if not functions:
        return None
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    owners, command = task_verbs.verb_command(verb, task_verbs.first_line(functions[0]))
    alone.command(verb, cls=taking(owners), context_settings=HELP)(command)
    return typer.main.get_command(alone)


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
        sys.exit(app(prog_name="probsense", standalone_mode=False))
    except ProbSenseError as error:
        sys.exit(_say(str(error), error.exit_code))
    except UsageError as error:
        message = " ".join(error.format_message().split())
        # A group without a command has shown its help, and says nothing more.
        if message:
            _say(message, error.exit_code)
            if error.ctx:
                usage = " ".join(error.ctx.get_usage().split())
                print(f"usage: {usage.removeprefix('Usage: ')}", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(_say("aborted", 1))
    except KeyboardInterrupt:
        sys.exit(_say("interrupted", 1))
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
