"""Reads what people chose: the export of a study, as one more answerer beside models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import polars as pl

from probsense.analysis.comparison.scores import ITEMS, Scores
from probsense.core.errors import InputError
from probsense.core.files import Place, open_bytes, read_csv
from probsense.core.records import Item
from probsense.tasks.people_forms import study_questions
from probsense.tasks.registry import named_in_data, task_type

STUDY: Final = "study.json"
PEOPLE: Final = "people"
"""The name under which people are compared."""
_COLUMNS: Final = ("person", "block", "item", "answer")
_HEADER: Final = ",".join(_COLUMNS).encode()


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
            return stream.read(len(_HEADER)) == _HEADER

    def read(self, path: Path) -> list[Scores]:
        """Read one file, or all those of a folder: see :func:`read_choices`."""
        return [read_choices(one) for one in (sorted(path.glob("choices*.csv")) if path.is_dir() else [path])]


class Choice(NamedTuple):
    """What a person chose of an item: the index of the option."""

    person: str
    item: Item
    option: int


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
    study = path.parent / STUDY
    columns, rows = read_csv(path)
    if [*columns[: len(_COLUMNS)]] != [*_COLUMNS]:
        raise InputError(
            f"no columns {', '.join(_COLUMNS)}", path=path, line=1, expected="choices.csv of an export"
        )
    if not study.is_file():
        raise InputError(f"no {STUDY} beside this file", path=path, expected="the folder of an export")
    blocks = _blocks(study)
    tasks: dict[str, None] = {}
    choices = []
    seen: dict[str, Place] = {}
    for line, row in rows:
        place = Place(path, line)
        block, name = row["block"], row["item"]
        if (block, name) not in blocks:
            raise place.wrong(name, "item", f"an item of the block {block!r} of {STUDY}")
        place.once(f"{row['person']} {block} {name}", "item", seen, "each item once for each person")
        task, item, options = blocks[block, name]
        tasks[task] = None
        choices.append(Choice(row["person"], item, _option(place, row["answer"], options)))
    if len(tasks) != 1:
        raise InputError(
            f"choices of {len(tasks)} tasks" if tasks else "nobody chose anything",
            path=path,
            expected="choices of one task",
        )
    [task] = tasks
    places = {item.id: place for place, (_, item, _) in enumerate(blocks.values())}
    choices.sort(key=lambda one: places[one.item.id])
    return _scores(path, task, choices)


def _scores(path: Path, task: str, choices: Sequence[Choice]) -> Scores:
    """Judge choices, and take the mean over the people who answered each item."""
    try:
        judging = task_type(named_in_data(task))
    except InputError as error:
        raise InputError(f"choices of {task}: {error}", path=path) from None
    try:
        items, scores, notes, references, *_ = judging.choice_scores(
            [one.item for one in choices], [one.option for one in choices]
        )
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError):
        raise InputError(
            f"a question that is none of {task}", path=path.parent / STUDY, expected=f"{STUDY} of an export"
        ) from None
    ratings = scores.select(items["item"], pl.Series("rater", [one.person for one in choices]), pl.all())
    known = [name for name in ITEMS if name in items.columns and name not in ("item", "label")]
    means = (
        items.select("item", *known, "label")
        .hstack(scores)
        .group_by("item", maintain_order=True)
        .agg(
            pl.col(known).first(),
            pl.col("label").mode(maintain_order=True).first(),
            pl.col(scores.columns).mean(),
        )
    )
    return Scores(
        PEOPLE,
        path.parent.name,
        str(path),
        task,
        means.drop(scores.columns),
        means.select(scores.columns),
        (_how_many(ratings), *notes),
        references,
        ratings,
    )


def _how_many(ratings: pl.DataFrame) -> str:
    counts = ratings["item"].value_counts()["count"].to_list()
    least, most = min(counts), max(counts)
    each = f"{least}" if least == most else f"{least} to {most}"
    people = ratings["rater"].n_unique()
    return f"{people:,} people chose, {each} for each item; intervals and tests speak for other people, too"


def _blocks(path: Path) -> dict[tuple[str, str], tuple[str, Item, int]]:
    """Read the task, the item and the number of its options, by the number of its block and its id."""
    found = {}
    for block, place, own in study_questions(path):
        known = place.mapping(own.get("data"), "data")
        if "task" in known:
            found[block, place.word(own.get("id"), "id")] = _item(place, own, known)
    return found


def _item(place: Place, question: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, Item, int]:
    inside = place.inside("data")
    item = Item(
        place.word(question.get("id"), "id"),
        inside.text(known.get("cluster"), "cluster"),
        inside.text(known.get("gold"), "gold"),
        inside.mapping(known.get("data"), "data"),
    )
    options = place.texts(question.get("options"), "options")
    return inside.word(known["task"], "task"), item, len(options)


def _option(place: Place, cell: str, options: int) -> int:
    if not cell.isdecimal() or int(cell) >= options:
        raise place.wrong(cell, "answer", f"the index of an option, 0 to {options - 1}")
    return int(cell)
