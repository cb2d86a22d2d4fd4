"""Prints results on stdout, as tables in a terminal or in another format, and on stderr what to do next."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from probsense.cli.options import TEMPORARY, USUAL
from probsense.show.text import wrapped

if TYPE_CHECKING:
    from probsense.core.records import Json
    from probsense.results.part import Part
    from probsense.results.profile import Profile
    from probsense.runs.ask.plan import Shard
    from probsense.runs.run import Run
    from probsense.show.words import Table


SHOWN: Final = 6
"""Single items that a terminal lists at once."""
REST: Final = "all tables, warnings and notes"
"""What ``--full`` prints."""
HEADINGS: Final = {None: "#", "md": "##", "latex": "%"}
"""What stands before the name of a task, by format."""


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
    sys.stdout.write("\n")


def say(*lines: object) -> None:
    """Print lines on stderr as they are."""
    print(*lines, sep="\n", file=sys.stderr)


def print_runs(runs: Sequence[Run], format: str | None) -> None:
    """Print the results of runs, task by task, as tables in a terminal or in the format that ``--format`` names.

    Rows of CSV have the run's id and name; in tables, runs have the names of
    :func:`~probsense.runs.find.told_apart`.
    """
    from probsense.results.formats import run_rows
    from probsense.results.part import parts_of_runs
    from probsense.runs.find import told_apart

    if format == "json":
        documents = [run.to_json() for run in runs]
        print_json(documents[0] if len(documents) == 1 else {"schema": 1, "runs": documents})
    elif format == "csv":
        print_parts(parts_of_runs(runs), format, run_rows(runs))
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


def print_parts(
    parts: Sequence[Part], format: str | None, rows: Sequence[Mapping[str, Json]] | None = None
) -> None:
    """Print the results of tasks as tables in a terminal, Markdown, LaTeX or CSV, and their notes on stderr.

    The rows of CSV are those of the estimates unless others are given.
    """
    from probsense.results.formats import as_csv, estimate_rows, paper_tables
    from probsense.results.part import all_warnings

    if format == "csv":
        sys.stdout.write(as_csv(estimate_rows(parts) if rows is None else rows))
    for part in () if format == "csv" else parts:
        heading = f"{HEADINGS[format]} {part.name}\n\n" if len(parts) > 1 else ""
        if format is None:
            print(heading, end="")
            _print_tables(part)
        else:
            print(heading + as_paper(paper_tables(part), format))
    for part in parts:
        if format:
            print_notes(all_warnings(part), "warning")
        print_notes(part.results.notes)


def as_paper(tables: Iterable[Table], format: str) -> str:
    """Write tables for a paper, in Markdown (md) or LaTeX (latex)."""
    from probsense.results.formats import as_latex, as_markdown

    return {"md": as_markdown, "latex": as_latex}[format](tables)


def print_brief(part: Part) -> None:
    """Print what a reader wants first: leading measures, what was found in sentences, and what voids a result."""
    from probsense.results.part import listed, voiding_warnings
    from probsense.results.summary import summary_table, task_findings
    from probsense.tasks.results import Note

    table = summary_table(part, Console().width)
    print_tables([*listed(part, SHOWN), *([] if table is None else [table])])
    print_lines([*task_findings(part), ""])
    print_warnings(voiding_warnings(part))
    notes = [Note.of(note) for note in part.results.notes]
    print_notes(dict.fromkeys(note.text for note in notes if note.voids))


def print_profile(found: Profile) -> None:
    """Print one table of all tasks, and below it what was found in sentences, and what was not asked."""
    from probsense.results.summary import profile_findings, profile_summary

    parts = found.parts()
    table, lines = profile_summary(parts)
    print_tables([table])
    print_lines([*lines, *profile_findings(parts), *found.not_asked, ""])
    print_warnings(found.voiding)


def print_tables(tables: Sequence[Table]) -> None:
    """Print tables as wide as the terminal."""
    from probsense.show.tables import print_tables

    print_tables(Console(), tables)


def print_lines(lines: Iterable[str], *, stderr: bool = False) -> None:
    """Print lines; a terminal breaks them between words, and a file or another program gets them whole."""
    console = Console(stderr=stderr)
    for line in lines:
        print(wrapped(line, console.width) if console.is_terminal else line, file=console.file)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print what must be said before any figure where the figures stand: on stdout, a line for each."""
    found = [f"Warning: {warning}" for warning in warnings]
    print_lines([*found, ""] if found else [])


def print_notes(notes: Iterable[str], mark: str = "note") -> None:
    """Print notes on stderr."""
    print_lines([f"{mark}: {note}" for note in notes], stderr=True)


def _print_tables(part: Part) -> None:
    from probsense.results.part import all_warnings, covered, listed
    from probsense.results.tables import records
    from probsense.show.tables import brief_tables

    measured = part.results
    print_warnings(all_warnings(part))
    tables = covered(part, brief_tables(measured.estimates, part.words))
    print_tables([*listed(part), *tables, records("Coverage", measured.coverage)])


def print_steps(steps: Mapping[str, str]) -> None:
    """Print commands by what they give on stderr, one a line and none broken, so that each can be copied."""
    width = max(map(len, steps), default=0)
    lines = (f"  {gives:<{width}}  {command}" for gives, command in steps.items())
    if steps:
        say("Next:", *lines)


def again(*more: str) -> str:
    """Write the command that is running, with further words."""
    return _command(*sys.argv[1:], *more)


def _command(*words: str) -> str:
    return shlex.join(["probsense", *words])


def print_after_run(runs: Sequence[Run]) -> None:
    """Propose a page, a comparison of several models, and all that was left out."""
    steps, store = dict[str, str](), _lasting(runs)
    if store is not None:
        steps["a page with charts and every question"] = _command("report", *_where(store))
        steps |= _comparison(store, runs)
    print_steps(steps | {REST: again("--full")})


def print_after_profile(runs: Sequence[Run]) -> None:
    """Propose to compare the models, and to look at single runs."""
    if (store := _lasting(runs)) is not None:
        steps = {"all runs, to look at one by one": _command("runs", *_where(store))}
        print_steps(_comparison(store, runs) | steps)


def _lasting(runs: Sequence[Run]) -> Path | None:
    """Return the store of runs, unless there is none when the command has ended."""
    store = runs[0].store
    return store if store and store.is_file() and not store.parent.name.startswith(TEMPORARY) else None


def _where(store: Path) -> list[str]:
    return [] if store == USUAL else ["--store", str(store)]


def _comparison(store: Path, runs: Sequence[Run]) -> dict[str, str]:
    """Propose to compare the models of the first task that several were asked."""
    for task in dict.fromkeys(one.record.task for one in runs):
        own = [one for one in runs if one.record.task == task]
        if len({one.model for one in own}) > 1:
            labels = dict.fromkeys(one.record.label for one in own)
            return {"which model is better": _command("compare", *labels, *_where(store))}
    return {}


def print_after_analysis() -> None:
    """Propose a page, the charts, and all that was left out."""
    given = {word.partition("=")[0] for word in sys.argv}
    steps = {
        "a page with charts": ("--report", "report.html"),
        "the charts as files": ("--figures", "charts"),
        REST: ("--full",),
    }
    print_steps({gives: again(*words) for gives, words in steps.items() if words[0] not in given})
