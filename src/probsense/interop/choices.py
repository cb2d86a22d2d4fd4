"""Reads what people chose: the export of a study, as one more answerer beside models."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

import polars as pl

from probsense.analysis.comparison.scores import ITEMS, Scores
from probsense.core.errors import InputError
from probsense.core.files import Place, open_bytes
from probsense.core.records import Item
from probsense.tasks.people_forms import CHOSEN, STUDY, PeopleQuestion, exported_choices
from probsense.tasks.registry import named_in_data, task_type

PEOPLE: Final = "people"
"""The name under which people are compared."""
_HEADER: Final = ",".join(CHOSEN).encode()


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
    tasks = {place.word(one.question.data.get("task"), f"the task of {one.question.id}") for one in choices}
    if len(tasks) != 1:
        raise InputError(
            f"choices of {len(tasks)} tasks" if tasks else "nobody chose anything",
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
            [_item(place, one.question) for one in choices], [one.option for one in choices]
        )
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError):
        raise InputError(
            f"a question that is none of {task}", path=place.path, expected=f"{STUDY} of an export"
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


def _item(place: Place, question: PeopleQuestion) -> Item:
    """Make the item that a question was made of."""
    name, known = question.id, question.data
    return Item(
        name,
        place.text(known.get("cluster"), f"the cluster of {name}"),
        place.text(known.get("gold"), f"the right answer of {name}"),
        place.mapping(known.get("data"), f"the data of {name}"),
    )


def _how_many(ratings: pl.DataFrame) -> str:
    counts = ratings["item"].value_counts()["count"].to_list()
    least, most = min(counts), max(counts)
    each = f"{least}" if least == most else f"{least} to {most}"
    people = ratings["rater"].n_unique()
    return f"{people:,} people chose, {each} for each item; intervals and tests speak for other people, too"
