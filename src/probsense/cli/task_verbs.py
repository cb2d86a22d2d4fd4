"""Makes the commands that call a function of the task they name: its verbs, ``analyse`` and ``data check``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from probsense.cli.next_steps import after_analysis, print_steps
from probsense.cli.options import MaybeFile, MaybeFolder, Seed, choose_format, only_stdout
from probsense.cli.pairs import FurtherOptions, read_pairs
from probsense.cli.printing import print_brief, print_json, print_parts
from probsense.cli.task_commands import TaskCommand, Values
from probsense.core.errors import InputError
from probsense.show.text import joined

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


def check_data(
    file: Path,
    *,
    task: str | None = None,
    further: FurtherOptions = None,
    json: bool = False,
) -> None:
    """Say what a task understands of a file, and show some of it as the task sees it.

    Parameters
    ----------
    file : FILE
        A file of questions, or of people's answers.
    task : TASK
        The task that is to read it.
    """
    from probsense.core.errors import check_name
    from probsense.core.options import declared
    from probsense.tasks.registry import tasks_with

    checkers = {name: found.check_data for name, found in tasks_with("check_data").items()}
    if task is not None:
        check_name("task that checks data", task, checkers)
        checkers = {task: checkers[task]}
    options = {name: declared(checker, skip=("file",)) for name, checker in checkers.items()}
    given = read_pairs(
        further or (), {key: one for own in options.values() for key, one in own.items()}, "-O"
    )
    # An option tells whose file it is.
    takers = [name for name in checkers if given.keys() <= options[name].keys()]
    if not takers:
        raise InputError(f"no task takes {joined([*given])} together", expected="options of one task")
    found: dict[str, Any] = {}
    faults: dict[str, InputError] = {}
    for name in takers:
        try:
            found[name] = checkers[name](file, **given)
        except InputError as error:
            faults[name] = error
    if not found:
        raise _no_task(file, faults)
    documents = {name: one.to_json() for name, one in found.items()}
    if json:
        print_json({"schema": 1, "tasks": documents} if len(found) > 1 else documents.popitem()[1])
    elif len(found) > 1:
        print(
            f"{joined([*found])} can read it", *(f"\n{name}: {one}" for name, one in found.items()), sep="\n"
        )
    else:
        print(*found.values())


def _no_task(file: Path, faults: Mapping[str, InputError]) -> InputError:
    """Say why no task can read a file: what is wrong for the one that its columns suit, or in short for each."""
    from probsense.core.files.table import NoColumnError

    likely = {str(fault): fault for fault in faults.values() if not isinstance(fault, NoColumnError)}
    if len(likely) == 1 or len(faults) == 1:
        return next(iter((likely or faults).values()))
    reasons = [
        f"{name}: {str(fault).removeprefix(str(file)).lstrip(':, ').partition(' (expected ')[0]}"
        for name, fault in faults.items()
    ]
    return InputError(
        f"no task can read it; {'; '.join(reasons)}",
        path=file,
        expected=f"--task {' or '.join(faults)} tells more, and -O columns=question=NAME says what a column is",
    )


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
        Write each chart (SVG) and the data behind it (CSV) into a folder.
    """
    from probsense.results.part import part_of_analysis
    from probsense.tasks.registry import task_type

    form = choose_format(format, json)
    page_alone = only_stdout(report, form)
    reads = task_type(task).analyse
    assert reads is not None
    found = reads(**given, **({"seed": seed} if "seed" in inspect.signature(reads).parameters else {}))
    if figures is not None:
        from probsense.results.page.report import write_charts

        for path in write_charts(figures, found):
            print(f"written: {path}", file=sys.stderr)
    if report is not None:
        from probsense.results.page.report import report_analysis

        report_analysis(report, found)
    if page_alone:
        return
    if form == "json":
        print_json(found.to_json())
        return
    part = part_of_analysis(found)
    if form is None and not full:
        print_steps(after_analysis(print_brief(part)))
    else:
        print_parts([part], form)


ANALYSE: Final = TaskCommand("analyse", analyse, lambda task: task.analyse, ("seed",))
