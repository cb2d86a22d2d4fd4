"""Defines the command ``probsense``: commands hold no logic, and import heavy modules when they run."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

import typer
import typer.core
import typer.main

from probsense.cli import profile, reproduce, run, showing, stores, studies, task_verbs, tools
from probsense.cli.declared_options import taking
from probsense.cli.owners import MODEL, MODELS, READERS, TASKS_AND_MODELS
from probsense.core.errors import ProbSenseError

UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""What click raises for wrong use; typer may have a click of its own, and names none of its other errors."""


class Commands(typer.core.TyperGroup):
    """Find commands by name, those that tasks bring along among them."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, or make the one for a verb of a task."""
        return super().get_command(ctx, cmd_name) or _brought_along(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer alone would end without a word on Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise ProbSenseError("interrupted") from None


HELP: Final = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="probsense",
    cls=Commands,
    help="Measure the common sense of language models as probability distributions, and compare it with people's.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=HELP,
)
app.command("run", cls=taking(TASKS_AND_MODELS))(run.run)
app.command("profile", cls=taking(MODELS))(profile.profile)
app.command("score", cls=taking(MODEL))(tools.score)
app.command("analyse", cls=taking(task_verbs.ANALYSES))(task_verbs.analyse)
app.add_typer(run.batch, name="batch")
app.add_typer(studies.collect, name="collect")
app.command("compare", cls=taking(READERS))(showing.compare)
app.command("plan", cls=taking(studies.PLANS))(studies.plan)
app.command("doctor", cls=taking(MODEL))(tools.doctor)
app.command("figure")(showing.figure)
app.add_typer(stores.app, name="runs")
app.command("merge")(stores.merge)
app.command("reproduce", cls=taking(MODEL))(reproduce.reproduce)
app.command("report")(showing.report)
app.command("site")(showing.site)
for _verb, _about in task_verbs.KNOWN.items():
    _owners, _command = task_verbs.verb_command(_verb, _about)
    app.command(_verb, cls=taking(_owners))(_command)
tools.data.command("check", cls=taking(task_verbs.CHECKS))(task_verbs.check_data)
app.add_typer(tools.data, name="data")
app.add_typer(tools.interop, name="interop")
app.command("demo")(profile.demo)


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
    """Run the command, and print an error that the user can act on as one line on stderr, never as a traceback."""
    try:
        sys.exit(app(standalone_mode=False))
    except ProbSenseError as error:
        sys.exit(_say(str(error), error.exit_code))
    except UsageError as error:
        message = " ".join(error.format_message().split())
        # A group without a command has shown its help, and says nothing more.
        sys.exit(_say(message, error.exit_code) if message else error.exit_code)
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
