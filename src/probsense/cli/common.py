"""Options that several verbs share, and how they print."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.errors import InputError
from probsense.records import Json

if TYPE_CHECKING:
    from probsense.stats.estimate import Estimate

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of every draw; the same seed gives identical bytes.")]
Sizes = Annotated[str, typer.Option("--sizes", help="Numbers of entities, 3 to 8.", metavar="N,N,…")]
Problems = Annotated[
    str,
    typer.Option(
        "--problems",
        help="Names such as Infer.normal,Compl.trivial, or 'standard' (six), or 'all' (with extrema and parallel).",
        metavar="NAME,…",
    ),
]
Tuples = Annotated[
    int, typer.Option("--tuples", help="Tuples a cell (problem x size x skin x wording x complexity).")
]
Skins = Annotated[
    str, typer.Option("--skins", help="'test', 'train', 'parallel' or a YAML file.", metavar="NAME|FILE")
]


def check_task(task: str, *, having: str, known: Sequence[str] = ("worldsense",)) -> None:
    """Refuse a task that lacks what the verb needs."""
    from probsense.registry import did_you_mean

    if task not in known:
        raise InputError(
            f"no task {task!r} has {having}{did_you_mean(task, known)}", expected=" or ".join(known)
        )


def is_given(context: typer.Context, name: str) -> bool:
    """Whether a parameter stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def flag_of(name: str) -> str:
    """How the option of a parameter is written, where it is called the same."""
    return "--" + name.replace("_", "-")


def parse_sizes(text: str) -> tuple[int, ...]:
    """The numbers of ``--sizes``."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--sizes {text!r}", expected="numbers such as 3,4,5") from None


def parse_problems(text: str) -> tuple[str, ...]:
    """The names of ``--problems``."""
    from probsense.tasks.worldsense.problems import PROBLEMS, STANDARD

    named = {"standard": STANDARD, "all": tuple(PROBLEMS)}
    return named.get(text) or tuple(part.strip() for part in text.split(","))


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
    sys.stdout.write("\n")


def print_figures(
    estimates: Sequence[Estimate], coverage: Sequence[Mapping[str, Json]], notes: Sequence[str]
) -> None:
    """Tables on stdout; notes on stderr."""
    from rich.console import Console

    from probsense.report.coverage import coverage_words, covered, incomplete
    from probsense.report.groups import brief_tables
    from probsense.report.records import records
    from probsense.report.tables import print_tables

    for warning in incomplete(coverage):
        print(f"{warning}\n")
    tables = covered(brief_tables(estimates), coverage_words(coverage))
    print_tables(Console(), [*tables, records("Coverage", coverage)])
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
