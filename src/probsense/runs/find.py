"""Finds runs by how a user names them, by a store, a name, or the beginning of an id, and removes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.names import short_names
from probsense.runs.ask.rounds import Interview
from probsense.runs.evaluate import load_run
from probsense.runs.run import Run
from probsense.runs.store.rows import THINKING, RunRecord
from probsense.runs.store.store import Store

PROMPT_FORMAT: Final = "prompt_format"
"""The name of the prompt format in the details of a model."""
Given: TypeAlias = "Run | Path | str | Sequence[Run | Path | str]"
"""A run, the name of runs or the beginning of a run's id, a store for all its runs, or several of these."""


def find_runs(
    names: Sequence[Run | Path | str], stores: Sequence[Path], task: str | None = None
) -> tuple[list[Run], list[str]]:
    """Read runs.

    Parameters
    ----------
    names : sequence of Run, Path or str
        Files of stores, which stand for all their runs, names of runs, which stand for all runs of that name, and
        beginnings of run ids, beside runs that are read already; without any, all runs of ``stores``.
    stores : sequence of Path
        Stores to find runs in by their names and ids.
    task : str, optional
        Read the runs of this task only.

    Returns
    -------
    list of Run
        Each run once, in the order in which they are named.
    list of str
        Reasons why runs of a whole store are left out: they were interrupted, or nothing was answered.

    Raises
    ------
    InputError
        For a name that is neither, a run that no store has or several have, and if no run is left.
    ProbSenseError
        If a run that is named lacks answers.
    """
    found: dict[str, Run] = {}
    left_out: list[str] = []
    for name in names or stores:
        if isinstance(name, Run):
            found.setdefault(name.id, name)
        elif (path := Path(name)).is_file() or path in stores:
            left_out += damaged_runs(path)
            for record in _records(path, task):
                try:
                    found.setdefault(record.id, load_run(record.id, store=path))
                except ProbSenseError as error:
                    left_out.append(f"{record.task}, {record.model} is left out: {error}")
        else:
            where, ids = _called(str(name), stores, task)
            for run in ids:
                found.setdefault(run, load_run(run, store=where))
    if not found:
        which = "no runs" if task is None else f"no runs of {task}"
        raise InputError("; ".join([which, *left_out]), path=", ".join(map(str, names or stores)))
    return [*found.values()], left_out


def given_runs(source: Given, store: Path | str) -> tuple[list[Run], list[str]]:
    """Find the runs that are meant, named so that they can be told apart.

    Parameters
    ----------
    source : Run, Path, str, or a sequence of these
    store : Path or str
        Where runs are found by their names and ids.

    Returns
    -------
    list of Run
        Each run once.
    list of str
        Reasons why runs of a whole store are left out.

    Raises
    ------
    InputError
        For a name that is none, and if there is no run.
    ProbSenseError
        If a run that is named lacks answers.
    """
    sources = [source] if isinstance(source, Run | Path | str) else source
    if not sources:
        raise InputError("no runs", expected="at least one")
    found, left_out = find_runs(sources, [Path(store)])
    return told_apart(found), left_out


def find_record(word: str, stores: Sequence[Path]) -> tuple[Path, RunRecord]:
    """Find one run, finished or not, by its name or the beginning of its id, and the store that has it.

    Raises
    ------
    InputError
        If no store has it, or several do, or the word stands for several runs.
    """
    where, _ = _called(word, stores)
    with Store.open(where, create=False) as opened:
        return where, opened.run(word)


def is_name(word: str, stores: Sequence[Path]) -> bool:
    """Tell whether a run in one of the stores that exist has that name."""
    return any(run.name == word for path in stores if path.exists() for run in _records(path))


def told_apart(runs: Sequence[Run]) -> list[Run]:
    """Return the same runs, with the names of :func:`names_apart`; details keep the whole of a path."""
    names = names_apart([run.record for run in runs])
    return [run if run.model == name else run.renamed(name) for run, name in zip(runs, names, strict=True)]


def names_apart(records: Sequence[RunRecord]) -> list[str]:
    """Name the model of each run for tables and charts.

    A model that is a path has the last part of it. Runs that differ in how the model thought first have that beside the
    name, and so have runs of one task that differ in the prompt format. If nothing else tells two runs apart, the
    model's name gets the run's own; a run without a name has the beginning of its id. If a model has to be told apart
    in one task, its named runs keep their names in all tasks, so that runs of one name stand together.
    """
    kinds = Counter((*_kind(run), run.details.get(PROMPT_FORMAT)) for run in records)
    formats = Counter(kind[:-1] for kind in kinds)
    ways = Counter(model for model, _ in {(run.model, _thinking(run)) for run in records})
    models = {model for (_, model, *_), number in kinds.items() if number > 1}
    short = short_names(run.model for run in records)

    def name(run: RunRecord) -> str:
        how, asked = _thinking(run), run.details.get(PROMPT_FORMAT)
        own = f"{short[run.model]} [{how}]" if how and ways[run.model] > 1 else short[run.model]
        own = f"{own} [{asked}]" if asked and formats[_kind(run)] > 1 else own
        apart = kinds[*_kind(run), asked] > 1 or (run.name and run.model in models)
        return f"{own} [{run.label}]" if apart else own

    return [*map(name, records)]


def _kind(run: RunRecord) -> tuple[str, str, str, str]:
    return run.task, run.model, run.method, _thinking(run)


def _thinking(run: RunRecord) -> str:
    """Say how the model thought before its answers; "" if it did not."""
    match run.options.get(THINKING):
        case {"chains": chains, "budgets": [*_, budget]}:
            return f"{chains} × {budget} tokens"
    return ""


def damaged_runs(path: Path) -> list[str]:
    """Say which runs of a store cannot be read, and why."""
    with Store.open(path, create=False) as opened:
        return opened.damaged_runs()


def _records(path: Path, task: str | None = None) -> list[RunRecord]:
    with Store.open(path, create=False) as opened:
        return [run for run in opened.runs() if task in (None, run.task)]


def _called(word: str, stores: Sequence[Path], task: str | None = None) -> tuple[Path, list[str]]:
    """Find the store that has runs of a name, or one run whose id begins with the word, and the ids of these runs."""
    having: list[tuple[Path, list[str]]] = []
    for path in filter(Path.exists, stores):
        with Store.open(path, create=False) as opened:
            if found := [run for run in opened.called(word) if task in (None, run.task)]:
                named = found[0].name == word
                runs = found if named else [opened.run(word)]
                having.append((path, [run.id for run in runs]))
    if len(having) != 1:
        several = " and ".join(str(path) for path, _ in having)
        none = f"no such file, and no such run in {', '.join(map(str, stores))}"
        raise InputError(
            f"runs of that name or id in {several}" if several else none,
            path=word,
            expected="a store, the name of a run, or the beginning of its id; 'probsense runs' lists them",
        )
    return having[0]


def remove_run(store: Path, run: str) -> int:
    """Remove a run, and the answers that no other run of the store needs.

    Where the task of a run is not installed, nobody knows what it needs, and all answers of its model stay.

    Parameters
    ----------
    store : Path
    run : str
        The run's name, or its id or enough of its beginning.

    Returns
    -------
    int
        The number of answers that were removed.

    Raises
    ------
    InputError
        If there is no such store or run.
    """
    with Store.open(store, create=False) as opened:
        record = opened.run(run)
        try:
            removable = _needed(opened, record)
            for other in opened.runs():
                if other.fingerprint == record.fingerprint and other.id != record.id:
                    removable -= _needed(opened, other)
        except ProbSenseError:
            removable = set()
        return opened.remove_run(record, removable)


def _needed(store: Store, run: RunRecord) -> set[str]:
    """Return the keys of all requests of a run."""
    interview = Interview.recorded(run, store)
    rounds = interview.stored_rounds(store.items(run), interview.book())
    return {key for part in rounds for key in part.wanted}
