"""Compares what has results on the same items, or analyses these items: runs, stores, files, people's choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

import polars as pl
from msgspec import Struct

from probsense.analysis.comparison.compare import CHANGED, Comparison, compare_scores
from probsense.analysis.comparison.differences import Difference
from probsense.analysis.comparison.items import Items, item_analysis
from probsense.analysis.comparison.scores import Scores, ScoresReader
from probsense.core import registry
from probsense.core.errors import InputError
from probsense.core.files import Place, open_bytes
from probsense.core.files.sqlite import HEADER
from probsense.core.files.typed import Text, Word, read_as
from probsense.core.names import is_id
from probsense.core.options import Option, check_options, declared
from probsense.core.records import Item, Json
from probsense.results.comparisons import run_scores
from probsense.runs.find import find_runs, is_name
from probsense.runs.run import Run
from probsense.show.words import Words
from probsense.tasks.people_forms import CHOSEN, STUDY, exported_choices
from probsense.tasks.registry import named_in_data, task_type, tasks_with, words_named

Source: TypeAlias = "Run | Scores | Path | str"

GROUP: Final = "probsense.readers"
"""Entry points of the readers of other programs' results; a task brings its own reader along."""
PEOPLE: Final = "people"
"""The name under which people are compared."""
_CHOSEN: Final = ",".join(CHOSEN).encode()


def reader_types() -> dict[str, Callable[..., ScoresReader]]:
    """Find all readers of results by the name of their task or entry point: our own first, people's before all."""
    own: dict[str, Callable[..., ScoresReader]] = {PEOPLE: ChoicesReader}
    own |= {name: task.reads_scores for name, task in tasks_with("reads_scores").items()}
    return own | {name: registry.find(GROUP, "reader", name) for name in registry.entries(GROUP)}


def make_readers(options: Mapping[str, Any]) -> list[ScoresReader]:
    """Make every reader, with the options that it declares.

    Raises
    ------
    InputError
        For an option that no reader declares.
    """
    check_options("comparison", reader_options(), options)
    return [
        make(**{key: value for key, value in options.items() if key in declared(make)})
        for make in reader_types().values()
    ]


def reader_options() -> dict[str, Option]:
    """Read the options that all readers declare together."""
    return {name: one for make in reader_types().values() for name, one in declared(make).items()}


def read_sources(
    sources: Sequence[Source],
    store: Path | str | Sequence[Path | str],
    task: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[list[Scores], list[str]]:
    """Read what users name; a store or a test set may have results of several models.

    Parameters
    ----------
    sources : sequence of Run, Scores, Path or str
        A file or folder is recognised by its content, and read by the first reader that does; if there is none, a word
        is the name of runs, or the beginning of a run's id.
    store : Path or str, or sequence of them
        Stores to find runs in by their names and ids.
    task : str, optional
        Take the runs of this task only.
    options : Mapping, optional
        Those of the readers.

    Returns
    -------
    list of Scores
    list of str
        Reasons why runs of a store are left out.

    Raises
    ------
    InputError
        For anything else, and an option that no reader declares.
    """
    stores = [Path(one) for one in ([store] if isinstance(store, Path | str) else store)]
    readers = make_readers(options or {})
    found: list[Scores] = []
    left_out: list[str] = []
    for source in sources:
        match source:
            case Scores():
                found.append(source)
            case Run():
                found.append(run_scores(source))
            case _ if reader := _reader(source, stores, readers):
                found += reader.read(Path(source))
            case _:
                runs, notes = find_runs([str(source)], stores, task)
                found += map(run_scores, runs)
                left_out += notes
    return found, left_out


def _reader(
    source: Path | str, stores: Sequence[Path], readers: Sequence[ScoresReader]
) -> ScoresReader | None:
    """Return the reader of a file or folder; None for a store, and for runs in the stores."""
    path = Path(source)
    kinds = f"a run's name or id, a store, {', '.join(reader.kind for reader in readers)}"
    if not path.exists():
        if is_id(str(source)) or is_name(str(source), stores):
            return None
        raise InputError(f"no such file, and no run's name or id: {str(source)!r}", expected=kinds)
    if path.is_file():
        with open_bytes(path) as stream:
            if stream.read(len(HEADER)) == HEADER:
                return None
    for reader in readers:
        if reader.recognises(path):
            return reader
    what = "a folder without results" if path.is_dir() else "a file of no known results"
    raise InputError(what, path=path, expected=kinds)


class ChoicesReader:
    """Reads the choices of an exported study."""

    kind: ClassVar[str] = "people's choices (choices.csv of probsense collect export)"

    def recognises(self, path: Path) -> bool:
        """Whether a path is a CSV file with the first columns of choices, or a folder with such files."""
        if path.is_dir():
            return (path / STUDY).is_file() and any(path.glob("choices*.csv"))
        if path.suffix != ".csv":
            return False
        with open_bytes(path) as stream:
            return stream.read(len(_CHOSEN)) == _CHOSEN

    def read(self, path: Path) -> list[Scores]:
        """Read one file, or all those of a folder: see :func:`read_choices`."""
        return [read_choices(one) for one in (sorted(path.glob("choices*.csv")) if path.is_dir() else [path])]


class _Asked(Struct):
    """What a study keeps of an item."""

    task: Word
    cluster: Text
    gold: Text
    data: dict[str, Json]


def read_choices(path: Path) -> Scores:
    """Read the choices of a study and judge them as their task does.

    Parameters
    ----------
    path : Path
        ``choices.csv`` as ``probsense collect export`` writes it, beside its ``study.json``.

    Returns
    -------
    Scores
        Under the name "people"; the score of an item is the mean over the people who answered it.

    Raises
    ------
    InputError
        For a file that is empty or damaged, that has a person twice for an item, or that is beside another study.
    """
    choices = exported_choices(path)
    place = Place(path.parent / STUDY)
    known = [read_as(_Asked, {**one.question.data}, place.inside(one.question.id)) for one in choices]
    tasks = {one.task for one in known}
    if len(tasks) != 1:
        raise InputError(
            f"choices of {len(tasks)} tasks" if tasks else "no choices",
            path=path,
            expected="choices of one task",
        )
    [task] = tasks
    try:
        judging = task_type(named_in_data(task))
    except InputError as error:
        raise InputError(f"choices of {task}: {error}", path=path) from None
    try:
        items, scores, notes, references, *_ = judging.choice_scores(
            [
                Item(one.question.id, it.cluster, it.gold, it.data)
                for one, it in zip(choices, known, strict=True)
            ],
            [one.option for one in choices],
        )
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError):
        raise InputError(
            f"a question that is none of {task}", path=place.path, expected=f"{STUDY} of an export"
        ) from None
    ratings = scores.select(items["item"], pl.Series("rater", [one.person for one in choices]), pl.all())
    means = (
        items.hstack(scores)
        .group_by("item", maintain_order=True)
        .agg(
            pl.exclude("label", *scores.columns).first(),
            pl.col("label").mode(maintain_order=True).first(),
            pl.col(scores.columns).mean(),
        )
    )
    table, numbers = means.drop(scores.columns), means.select(scores.columns)
    people = ratings["rater"].n_unique()
    chose = f"{people:,} people chose, {ratings.height / table.height:.3g} for each item on average"
    told = (f"{chose}; intervals and tests speak for other people, too", *notes)
    return Scores(PEOPLE, path.parent.name, str(path), task, table, numbers, told, references, ratings)


def compare(
    *sources: Source,
    measure: str | Sequence[str] = (),
    intersection: bool = False,
    changed: int = CHANGED,
    seed: int = 0,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    task: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare models on the same items: paired differences with intervals, tests, ranks, and what changed most.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        A run; the name of runs in ``store``, or the beginning of a run's id; a store, for all its runs; a file or
        folder of results that a task or another program wrote; your own scores.
    measure : str or sequence of str
        The measures to compare; by default, the first that all have.
    intersection : bool
        Compare only the items that all have, if the sets differ.
    changed : int
        How many of the items that changed most to list for each pair of models.
    seed : int
        Seed of the permutation tests.
    store : Path or str, or sequence of them
        Stores to find runs in by their names and ids.
    task : str, optional
        Of stores and names, take the runs of this task only.
    **options
        Options of the readers of results, such as ``input_dir``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For something that is not a source, different sets of items, or an unknown measure or option.
    """
    read, left_out = read_sources(sources, store, task, options)
    words = words_named(read[0].task if read else "")
    found = compare_scores(
        read,
        sign=words.sign,
        measures=(measure,) if isinstance(measure, str) else measure,
        intersection=intersection,
        changed=changed,
        seed=seed,
    )
    return replace(
        found,
        levels=words.bounded(found.levels),
        differences=_bounded(found.differences, words),
        by_part=_bounded(found.by_part, words),
        notes=[*left_out, *found.notes],
    )


def items(
    *sources: Source,
    measure: str | None = None,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    task: str | None = None,
    **options: Any,
) -> Items:
    """Find the items that tell models apart: those that better models get wrong may have a wrong label.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        As for :func:`compare`; models need not have answered the same items.
    measure
        As for :func:`~probsense.analysis.comparison.items.item_analysis`.
    store, task, **options
        As for :func:`compare`.

    Returns
    -------
    Items

    Raises
    ------
    InputError
        For something that is not a source, an unknown option, and what ``item_analysis`` refuses.
    """
    read, left_out = read_sources(sources, store, task, options)
    sign = words_named(read[0].task if read else "").sign
    found = item_analysis(read, measure=measure, sign=sign)
    return replace(found, notes=[*left_out, *found.notes])


def _bounded(found: Sequence[Difference], words: Words) -> list[Difference]:
    kept = words.bounded(one.estimate for one in found)
    return [replace(one, estimate=estimate) for one, estimate in zip(found, kept, strict=True)]
