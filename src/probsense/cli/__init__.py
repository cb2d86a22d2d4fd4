"""The command ``probsense``: one file a verb, no logic; whatever is heavy is imported when a verb runs."""

from __future__ import annotations

import os
import sys

import typer

from probsense.cli import (
    analyse,
    audit,
    batch,
    compare,
    data,
    demo,
    doctor,
    figure,
    generate,
    report,
    run,
    score,
)
from probsense.cli.several import TakesSeveral
from probsense.errors import ProbSenseError

app = typer.Typer(
    name="probsense",
    help="Measures the common sense of language models as probability distributions, and sets them against people.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=TakesSeveral)(run.run)
app.command("score")(score.score)
app.command("analyse", cls=TakesSeveral)(analyse.analyse)
app.command("audit")(audit.audit)
app.add_typer(batch.app, name="batch")
app.command("compare", cls=TakesSeveral)(compare.compare)
app.command("doctor")(doctor.doctor)
app.command("figure")(figure.figure)
app.command("generate")(generate.generate)
app.command("report")(report.report)
app.add_typer(data.app, name="data")
app.command("demo")(demo.demo)


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
    """Run the command; errors the user can act on are one line on stderr, never a traceback."""
    try:
        app()
    except ProbSenseError as error:
        sys.exit(_say(str(error), error.exit_code))
    except KeyboardInterrupt:
        sys.exit(_say("interrupted", 1))
    except BrokenPipeError:
        # The reader has gone (``probsense … | head``): nothing to say, and nobody to say it to.
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
