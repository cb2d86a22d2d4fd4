"""Defines the command ``probsense``: one file for each verb, no logic; a verb imports heavy modules when it runs."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

import typer
import typer.core
import typer.main

from probsense.cli import (
    analyse,
    batch,
    collect,
    compare,
    data,
    demo,
    doctor,
    figure,
    interop,
    merge,
    plan,
    profile,
    report,
    run,
    runs,
    score,
    site,
)
from probsense.cli.owners import OfModel, OfModels, OfReaders, OfTasksAndModels
from probsense.cli.verbs import KNOWN, first_line, verb_command
from probsense.core.errors import ProbSenseError


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
app.command("run", cls=OfTasksAndModels)(run.run)
app.command("profile", cls=OfModels)(profile.profile)
app.command("score", cls=OfModel)(score.score)
app.command("analyse", cls=analyse.Analyse)(analyse.analyse)
app.add_typer(batch.app, name="batch")
app.add_typer(collect.app, name="collect")
app.command("compare", cls=OfReaders)(compare.compare)
app.command("plan", cls=plan.Plan)(plan.plan)
app.command("doctor", cls=OfModel)(doctor.doctor)
app.command("figure")(figure.figure)
app.add_typer(runs.app, name="runs")
app.command("merge")(merge.merge)
app.command("report")(report.report)
app.command("site")(site.site)
for _verb, _about in KNOWN.items():
    _class, _command = verb_command(_verb, _about)
    app.command(_verb, cls=_class)(_command)
app.add_typer(data.app, name="data")
app.add_typer(interop.app, name="interop")
app.command("demo")(demo.demo)


def _brought_along(verb: str) -> Any:
    """Make the command for a verb that only an installed task knows; return None if no task knows it."""
    from probsense.cli.verbs import find_verb
    from probsense.tasks.registry import task_types

    if verb.startswith("-"):
        return None
    functions = [found for task in task_types().values() if (found := find_verb(task, verb))]
    if not functions:
        return None
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    made, command = verb_command(verb, first_line(functions[0]))
    alone.command(verb, cls=made, context_settings=HELP)(command)
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
        app()
    except ProbSenseError as error:
        sys.exit(_say(str(error), error.exit_code))
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
