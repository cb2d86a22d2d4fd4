"""Prints results on stdout, as tables in a terminal or in another format."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from probsense.show.text import counted, joined, wrapped

if TYPE_CHECKING:
    from rich.console import Console

    from probsense.results.part import Part
    from probsense.runs.ask.plan import Shard
    from probsense.runs.run import Run
    from probsense.show.tables import Table


SHOWN: Final = 6
"""Single items that a terminal lists at once."""


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
    sys.stdout.write("\n")


def print_runs(runs: Sequence[Run], format: str | None) -> None:
    """Print the results of runs, task by task, as tables in a terminal or in the format that ``--format`` names.

    Rows of CSV have the run's id and name; in tables, runs have the names of
    :func:`~probsense.runs.find.told_apart`.
    """
    from probsense.results.formats import as_csv, run_rows
    from probsense.results.part import parts_of_runs
    from probsense.runs.find import told_apart

    if format == "json":
        documents = [run.to_json() for run in runs]
        print_json(documents[0] if len(documents) == 1 else {"schema": 1, "runs": documents})
    elif format == "csv":
        sys.stdout.write(as_csv(run_rows(runs)))
        _print_notes(parts_of_runs(runs), format)
    else:
        print_parts(parts_of_runs(told_apart(runs)), format)


def print_shards(runs: Sequence[Run], shard: Shard, store: Path, format: str | None) -> None:
    """Print how much of one part of the questions is answered, in a line for each run, and what comes next."""
    if format == "json":
        own = [
            {"run": run.id, "task": run.record.task, "model": run.model, "method": run.method, **run.covered}
            for run in runs
        ]
        print_json({"schema": 1, "shard": [shard.number, shard.of], "store": str(store), "runs": own})
        return
    for run in runs:
        answered = f"{len(run.outcome.items):,} of {len(run.items):,} questions are answered"
        print(f"{run.record.task}, {run.model}, {shard}: {answered} in {store}")
    if shard.of > 1:
        print("after all shards: probsense merge ALL.db STORE…, and this command with --store ALL.db alone")


def print_parts(parts: Sequence[Part], format: str | None) -> None:
    """Print the results of tasks as tables in a terminal, Markdown, LaTeX or CSV, and their notes on stderr."""
    from probsense.results.formats import as_csv, as_latex, as_markdown, estimate_rows, paper_tables

    if format == "csv":
        sys.stdout.write(as_csv(estimate_rows(parts)))
    for part in () if format == "csv" else parts:
        mark, write = {"md": ("##", as_markdown), "latex": ("%", as_latex), None: ("#", None)}[format]
        heading = f"{mark} {part.name}\n\n" if len(parts) > 1 else ""
        if write is None:
            print(heading, end="")
            _print_tables(part)
        else:
            print(heading + write(paper_tables(part)))
    _print_notes(parts, format)


def print_brief(part: Part) -> str:
    """Print what a reader wants first: leading measures, what was found in sentences, and what voids a result.

    Returns
    -------
    str
        What there is beyond that, in a few words.
    """
    from rich.console import Console

    from probsense.results.part import cautions, listed, voiding_warnings
    from probsense.results.summary import summary_table, task_findings
    from probsense.show.tables import brief_tables, print_tables
    from probsense.tasks.results import Note

    console = Console()
    table = summary_table(part, console.width)
    print_tables(console, [*listed(part, SHOWN), *([] if table is None else [table])])
    _print_each(console, [*task_findings(part), ""])
    print_warnings(voiding_warnings(part))
    notes = [Note.of(note) for note in part.results.notes]
    print_notes(dict.fromkeys(note.text for note in notes if note.voids))
    folded = {
        "table": len(brief_tables(part.results.estimates, part.words)) + 1,
        "caution": len(cautions(part)),
        "note": sum(not note.voids for note in notes),
    }
    return joined([counted(number, noun) for noun, number in folded.items() if number])


def print_profile(parts: Sequence[Part], further: Sequence[str] = ()) -> None:
    """Print one table of several tasks, and below it what was found in sentences, and further lines."""
    from rich.console import Console

    from probsense.results.summary import profile_findings, profile_summary
    from probsense.show.tables import print_tables

    console = Console()
    table, lines = profile_summary(parts, console.width)
    print_tables(console, [table])
    _print_each(console, [*lines, *profile_findings(parts), *further, ""])


def print_tables(tables: Sequence[Table]) -> None:
    """Print tables as wide as the terminal."""
    from rich.console import Console

    from probsense.show.tables import print_tables

    print_tables(Console(), tables)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on stdout; a terminal breaks them between words."""
    from rich.console import Console

    _print_each(Console(), lines)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print what must be said before any figure where the figures stand: on stdout, a line for each."""
    from rich.console import Console

    found = [f"Warning: {warning}" for warning in warnings]
    if found:
        _print_each(Console(), [*found, ""])


def print_notes(notes: Iterable[str], mark: str = "note") -> None:
    """Print notes on stderr; a terminal breaks them between words."""
    from rich.console import Console

    _print_each(Console(stderr=True), [f"{mark}: {note}" for note in notes])


def _print_each(console: Console, lines: Iterable[str]) -> None:
    """Print lines; a terminal breaks them between words, and a file or another program gets them whole."""
    for line in lines:
        print(wrapped(line, console.width) if console.is_terminal else line, file=console.file)


def _print_notes(parts: Sequence[Part], format: str | None) -> None:
    from probsense.results.part import all_warnings

    for part in parts:
        if format:
            print_notes(all_warnings(part), "warning")
        print_notes(part.results.notes)


def _print_tables(part: Part) -> None:
    from rich.console import Console

    from probsense.results.part import all_warnings, covered, listed
    from probsense.results.tables import records
    from probsense.show.tables import brief_tables, print_tables

    measured = part.results
    print_warnings(all_warnings(part))
    tables = covered(part, brief_tables(measured.estimates, part.words))
    print_tables(Console(), [*listed(part), *tables, records("Coverage", measured.coverage)])
