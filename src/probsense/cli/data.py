"""Defines ``data`` and ``interop``: data sets, published and one's own, and files for other programs."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from probsense.cli.options import CommandGroup, FurtherOptions, read_pairs
from probsense.cli.printing import print_json, print_notes, say
from probsense.core.errors import InputError
from probsense.show.text import joined

data = CommandGroup(help="List and download published data sets, and check your own.", no_args_is_help=True)


@data.command("list")
def list_data(*, json: bool = False) -> None:
    """List the published data sets with their parts and licences, and say which parts are on this machine."""
    from probsense.core.datasets import CATALOGUE, data_home, missing

    parts = [
        {
            "name": f"{name}/{part}",
            "title": about.title,
            "licence": data_set.licence,
            "files": len(about.files),
            "missing": len(missing(f"{name}/{part}")),
        }
        for name, data_set in CATALOGUE.items()
        for part, about in data_set.parts.items()
    ]
    if json:
        print_json({"schema": 1, "folder": str(data_home()), "data": parts})
        return
    for name, data_set in CATALOGUE.items():
        print(f"{name}: {data_set.title}")
        print(
            f"  {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url}); {data_set.home}"
        )
    for part in parts:
        state = "here" if not part["missing"] else f"{part['missing']} of {part['files']} files not here"
        print(f"  {part['name']}: {part['title']} ({state})")
    print(f"folder: {data_home()}")


@data.command("get")
def get_data(name: str, *, force: bool = False, offline: bool = False, quiet: bool = False) -> None:
    """Download a published data set, check it against its checksums, and print its folder.

    Parameters
    ----------
    name
        A data set (NAME), or a part of one (NAME/PART), as 'data list' shows them.
    force
        Download again, even if the files are here.
    offline
        Do not use the network.
    """
    from probsense.core import datasets

    def note(line: str) -> None:
        if not quiet:
            say(line)

    data_set, _ = datasets.find(name)
    note(f"{data_set.title}: {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url})")
    print(datasets.get(name, force=force, offline=offline, note=note))


@data.command("check")
def check_data(
    file: Path, *, task: str | None = None, further: FurtherOptions = None, json: bool = False
) -> None:
    """Say what a task understands of a file, and show some of it as the task sees it.

    Parameters
    ----------
    file : FILE
        A file of questions, or of people's answers.
    task : TASK
        The task whose reader is used.
    """
    from probsense.core.errors import check_name
    from probsense.core.files.table import NoColumnError
    from probsense.core.options import declared
    from probsense.tasks.registry import tasks_with

    checkers = {name: found.check_data for name, found in tasks_with("check_data").items()}
    if task is not None:
        check_name("task that checks data", task, checkers)
        checkers = {task: checkers[task]}
    options = {name: declared(checker, skip=("file",)) for name, checker in checkers.items()}
    # An option tells whose file it is; how its value is read, its task says.
    given = read_pairs(further or (), ChainMap(*options.values()), "-O")
    takers = [name for name in checkers if given.keys() <= options[name].keys()]
    if not takers:
        raise InputError(f"no task takes {joined([*given])} together", expected="options of one task")
    found: dict[str, Any] = {}
    faults: dict[str, InputError] = {}
    for name in takers:
        try:
            found[name] = checkers[name](file, **read_pairs(further or (), options[name], "-O"))
        except InputError as error:
            faults[name] = error
    near = {name: fault for name, fault in faults.items() if not isinstance(fault, NoColumnError)}
    if not found:
        raise _no_task(file, faults, near)
    print_notes(f"{name} cannot read it: {fault}" for name, fault in near.items())
    if json:
        documents = {name: one.to_json() for name, one in found.items()}
        print_json({"schema": 1, "tasks": documents} if len(found) > 1 else documents.popitem()[1])
    elif len(found) > 1:
        print(joined([*found]), "can read it")
        for name, one in found.items():
            print(f"\n{name}: {one}")
    else:
        print(*found.values())


def _no_task(file: Path, faults: Mapping[str, InputError], near: Mapping[str, InputError]) -> InputError:
    """Say why no task can read a file: what is wrong for those that its columns suit, or in short for each."""
    if len({*map(str, near.values())}) == 1 or len(faults) == 1:
        return next(iter((near or faults).values()))
    reasons = [
        f"{name}: {str(fault).removeprefix(str(file)).lstrip(':, ').partition(' (expected ')[0]}"
        for name, fault in faults.items()
    ]
    return InputError(
        f"no task can read it; {'; '.join(reasons)}",
        path=file,
        expected=f"--task {' or '.join(faults)} tells more, and -O columns=question=NAME says what a column is",
    )


interop = CommandGroup(help="Use ProbSense inside other programs.", no_args_is_help=True)


@interop.callback()
def _root() -> None:
    pass


@interop.command("lm-eval-tasks")
def lm_eval_tasks() -> None:
    """Print the folder of our tasks for lm-evaluation-harness: lm_eval run --include_path FOLDER."""
    from probsense.interop.lm_eval import FOLDER

    print(FOLDER)
