"""Makes the commands that call a function of the task they name: ``probsense VERB TASK`` and ``analyse``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from probsense.cli.declared_options import Owner, Owners, metavar
from probsense.cli.next_steps import after_analysis, print_steps
from probsense.cli.options import (
    Format,
    Full,
    JsonFlag,
    Quiet,
    Seed,
    choose_format,
    only_stdout,
    out_file,
    out_folder,
)
from probsense.cli.owners import of_task_function
from probsense.cli.printing import print_brief, print_json, print_parts
from probsense.core.errors import InputError
from probsense.core.options import REQUIRED
from probsense.show.text import joined

KNOWN: Final = {
    "generate": "Generate new test and training sets.",
    "audit": "Recompute the gold labels of a set with an independent solver.",
}
"""Verbs that the help of ``probsense`` shows without importing a task; tasks may have others."""
PROGRESS: Final = "progress"
"""Name of the parameter by which a verb reports its progress."""


def find_verb(task: Any, verb: str) -> Callable[..., object] | None:
    """Find a verb that a task brings along."""
    found: Callable[..., object] | None = getattr(task, "verbs", {}).get(verb)
    return found


def first_line(function: Callable[..., object]) -> str:
    """Return the first line of a verb's docstring, which the help of its command shows."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def verb_command(verb: str, about: str) -> tuple[Owners, Callable[..., None]]:
    """Make the command for a verb, and say whose options it takes.

    Parameters
    ----------
    verb : str
    about : str
        What its help says that it does.
    """

    def command(
        context: typer.Context,
        words: Annotated[
            list[str],
            typer.Argument(
                help="A task and, if the verb needs one, a folder. After the name of a task, --help shows its options.",
                metavar="TASK [FOLDER]",
            ),
        ],
        json: JsonFlag = False,
        quiet: Quiet = False,
    ) -> None:
        from probsense.core.options import declared
        from probsense.runs.ask.progress import show_progress
        from probsense.tasks.registry import task_type, tasks_with

        name, usage = words[0], f"{verb} {words[0]}"
        function = find_verb(task_type(name), verb)
        if function is None:
            able = [task for task, brings in tasks_with("verbs").items() if verb in brings.verbs]
            raise InputError(f"{name} has no verb {verb!r}", expected=" or ".join(able))
        owner = Owner(name, declared(function, skip=(PROGRESS,)))
        given = positional(owner, words[1:], context.obj.get(name, {}), usage)
        if PROGRESS in declared(function):
            with show_progress(usage, quiet=quiet) as progress:
                found = function(**given, progress=progress)
        else:
            found = function(**given)
        if json:
            print_json(found.to_json())  # type: ignore[attr-defined]
        elif not quiet:
            print(found)

    command.__doc__ = about
    return of_task_function(lambda task: find_verb(task, verb), (PROGRESS,)), command


def _checkers() -> list[Owner]:
    """List the tasks that check data."""
    from probsense.core.options import declared
    from probsense.tasks.registry import tasks_with

    return [Owner(name, declared(task.check_data)) for name, task in tasks_with("check_data").items()]


CHECKS: Final = Owners(lambda named: _checkers(), _checkers)


def check_data(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="A file of questions, or of people's answers.", metavar="FILE")
    ],
    task: Annotated[
        str | None, typer.Option("--task", help="The task that is to read it.", metavar="TASK")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Say what a task understands of a file, and show some of it as the task sees it."""
    from probsense.core.errors import check_name
    from probsense.tasks.registry import tasks_with

    owners = {owner.name: owner for owner in _checkers()}
    if task is not None:
        check_name("task that checks data", task, owners)
    # An option tells whose file it is.
    named = [task] if task else [name for name in owners if context.obj.get(name)] or [*owners]
    found: dict[str, Any] = {}
    faults: dict[str, InputError] = {}
    for name in named:
        given = positional(owners[name], [str(file)], context.obj.get(name, {}), "data check")
        try:
            found[name] = tasks_with("check_data")[name].check_data(**given)
        except InputError as error:
            faults[name] = error
    if not found:
        raise _no_task(file, faults)
    if len(found) > 1:
        expected = " or ".join(f"--task {name}" for name in found)
        raise InputError(f"{joined([*found])} can read it", path=file, expected=expected)
    (understood,) = found.values()
    if json:
        print_json(understood.to_json())
    else:
        print(understood)


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
        expected=f"--task {' or '.join(faults)} tells more",
    )


ANALYSES: Final = of_task_function(lambda task: getattr(task, "analyse", None), ("seed",))


def analyse(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            help="A task and its data. After the name of a task, --help shows its options.",
            metavar="TASK [DATA]",
        ),
    ],
    seed: Seed = 0,
    charts: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            help="Write each chart (SVG) and the data behind it (CSV) into a folder.",
            metavar="DIR",
            callback=out_folder,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help='Also write a page; "-" prints it on stdout, and no tables.',
            metavar="FILE.html",
            callback=out_file,
        ),
    ] = None,
    json: JsonFlag = False,
    format: Format = None,
    full: Full = False,
) -> None:
    """Analyse recorded results in their published formats, and print tables with 95 % intervals, or JSON."""
    from probsense.core.options import declared
    from probsense.results.part import part_of_analysis
    from probsense.tasks.registry import task_type, tasks_with

    form = choose_format(format, json)
    page_alone = only_stdout(report, form)
    task = task_type(words[0])
    if task.analyse is None:
        able = " or ".join(tasks_with("analyse"))
        raise InputError(f"{words[0]} cannot analyse recorded results", expected=able)
    given = positional(
        Owner(words[0], declared(task.analyse, skip=("seed",))),
        words[1:],
        context.obj.get(words[0], {}),
        f"analyse {words[0]}",
    )
    found = task.analyse(**given, **({"seed": seed} if "seed" in declared(task.analyse) else {}))
    if charts is not None:
        from probsense.results.page.report import write_charts

        for path in write_charts(charts, found):
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
        print_steps(after_analysis(context, print_brief([part])))
    else:
        print_parts([part], form)


def positional(owner: Owner, words: Sequence[str], given: Mapping[str, Any], usage: str) -> dict[str, Any]:
    """Give the arguments of a command to the options that stand first in the signature.

    Parameters
    ----------
    owner : Owner
    words : sequence of str
        The arguments.
    given : Mapping of str to object
        Options given by their flags.
    usage : str
        The command, for errors.

    Raises
    ------
    InputError
        If there are more words than such options, or a required option is missing.
    """
    places = [option for option in owner.options.values() if option.positional and option.name not in given]
    if len(words) > len(places):
        raise InputError(f"{usage} takes no {words[len(places)]!r}", expected=_usage(usage, owner))
    found = {option.name: option.parse(word) for option, word in zip(places, words, strict=False)}
    for option in owner.options.values():
        if option.default is REQUIRED and option.name not in {*given, *found}:
            wanted = option.name.upper() if option.positional else option.flag
            raise InputError(f"{usage} needs {wanted}", expected=_usage(usage, owner))
    return {**given, **found}


def _usage(usage: str, owner: Owner) -> str:
    words = [option.name.upper() for option in owner.options.values() if option.positional]
    flags = [
        f"{option.flag} {metavar(option)}"
        for option in owner.options.values()
        if option.default is REQUIRED and not option.positional
    ]
    return " ".join([f"probsense {usage}", *words, *flags])
