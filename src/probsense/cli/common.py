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
    from probsense.report.formats import Figures
    from probsense.run.evaluate import Run
    from probsense.stats.estimate import Estimate

FORMATS = ("md", "latex", "csv", "json")

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Print for a paper instead: md or latex, tables with intervals; csv or json, every figure.",
        metavar="|".join(FORMATS),
    ),
]
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
    from probsense.errors import did_you_mean

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


def choose_format(format: str | None, json: bool) -> str | None:
    """The format of what is printed, of ``--format`` and ``--json``; None for tables in a terminal.

    Raises
    ------
    InputError
        For one there is not, and for two of them.
    """
    from probsense.errors import did_you_mean

    if format not in (None, *FORMATS):
        raise InputError(f"--format {format!r}{did_you_mean(format, FORMATS)}", expected=", ".join(FORMATS))
    if json and format not in (None, "json"):
        raise InputError(f"--json and --format {format}", expected="one of them")
    return "json" if json else format


def runs_by_task(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs of each task: by one model or several, asked in one way or several."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.task.name, []).append(run)
    return found


def print_runs(runs: Sequence[Run], format: str | None) -> None:
    """The figures of runs, tasks apart: tables in a terminal, or what ``--format`` names."""
    from probsense.report.formats import Figures

    if format == "json":
        documents = [run.to_json() for run in runs]
        print_json(documents[0] if len(documents) == 1 else {"schema": 1, "runs": documents})
        return
    parts = {
        name: Figures(
            [estimate for run in own for estimate in run.summary()],
            [run.coverage() for run in own],
            [note for run in own for note in run.notes()],
        )
        for name, own in runs_by_task(runs).items()
    }
    if format is not None:
        print_parts_as(format, parts)
        return
    for name, part in parts.items():
        if len(parts) > 1:
            print(f"# {name}\n")
        print_figures(*part)


def print_parts_as(format: str, parts: Mapping[str, Figures]) -> None:
    """The figures of tasks, by name, as Markdown, LaTeX or CSV on stdout; notes on stderr."""
    from probsense.report.coverage import incomplete
    from probsense.report.formats import as_csv, as_latex, as_markdown, figure_rows, paper_tables

    if format == "csv":
        sys.stdout.write(as_csv(figure_rows(parts)))
    else:
        mark, write = {"md": ("##", as_markdown), "latex": ("%", as_latex)}[format]
        for name, part in parts.items():
            heading = f"{mark} {name}\n\n" if len(parts) > 1 else ""
            print(heading + write(paper_tables(part)))
    for part in parts.values():
        for note in (*incomplete(part.coverage), *part.notes):
            print(f"note: {note}", file=sys.stderr)


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
