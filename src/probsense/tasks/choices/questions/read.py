"""Reads questions with the reader of their format, from a file or a folder of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, get_args

from probsense.core.errors import InputError, brief, check_name, did_you_mean
from probsense.core.files import kind_of
from probsense.core.files.tables import KINDS as TABLES
from probsense.core.files.tables import read_table
from probsense.tasks.choices.questions.published import read_alignment, read_chaosnli, read_simbench
from probsense.tasks.choices.questions.question import Question, ReaderName, normalised, several
from probsense.tasks.choices.questions.table import Questions, questions_of_table
from probsense.tasks.shared.tables.people import is_dictionary, with_texts
from probsense.tasks.shared.understood import Read

READERS: Final[dict[str, Callable[[Path], list[Question]]]] = {
    "chaosnli": read_chaosnli,
    "alignment": read_alignment,
    "simbench": read_simbench,
}
"""Readers of published formats by name."""
KINDS: Final = tuple(kind for kind in TABLES if kind != ".txt")


def read_questions(
    path: Path,
    reader: ReaderName = "table",
    *,
    groups: str | Collection[str] = (),
    drop: str | Collection[str] = (),
    columns: str | Collection[str] = (),
) -> Questions:
    """Read questions and how many people chose each option.

    Parameters
    ----------
    path : Path
        A file, or a folder of files of one format; questions of several files know the name of theirs. A data
        dictionary of REDCap among them says what the codes in the others mean.
    reader : str
        "table" for tables of any shape, or one of :data:`READERS`.
    groups : str or collection of str
        The only groups of people that count; without any, all of them.
    drop : str or collection of str
        Options that are left out, such as "Refused", with the people who chose them.
    columns : str or collection of str
        What columns of a table are, each as "role=name".

    Raises
    ------
    InputError
        For whatever is wrong in the files, a group or an option that no question has, and two questions of one name.
    """
    check_name("reader", reader, get_args(ReaderName))
    if columns and reader != "table":
        raise InputError(f"--columns with --reader {reader}", expected="a table")
    read = _of_files(path, reader, several(columns))
    found = read.found
    if groups:
        found = _of_groups(found, several(groups), path)
    for option in several(drop):
        found = _without(found, option, path)
    seen: dict[str, Question] = {}
    for one in found:
        # Files of several models have the same people.
        if seen.setdefault(one.key, one) != one:
            raise InputError(f"question {brief(one.key)} stands twice", path=path, expected="each once")
    if not seen:
        raise InputError("no questions", path=path, expected="questions that somebody answered")
    return read._replace(found=[*seen.values()])


def _of_files(path: Path, reader: ReaderName, columns: Sequence[str]) -> Questions:
    """Read the questions of each file."""
    files = files_of(path)
    if reader == "table":
        tables = [read_table(file) for file in files]
        for dictionary in [*filter(is_dictionary, tables)]:
            tables = [with_texts(table, dictionary) for table in tables]
        read = {one.path: questions_of_table(one, columns) for one in tables if not is_dictionary(one)}
    else:
        read = {file: Read(READERS[reader](file), f"the format {reader}", usual=True) for file in files}
    found = [
        one if len(read) == 1 or one.data else replace(one, data=stem(file))
        for file, own in read.items()
        for one in own.found
    ]
    return Read(
        found,
        " and ".join(dict.fromkeys(own.said for own in read.values())),
        [*dict.fromkeys(phrase for own in read.values() for phrase in own.dropped)],
        all(own.usual for own in read.values()),
    )


def files_of(path: Path) -> list[Path]:
    """List the files of a folder that a reader may read, or of the folders in it, or the one file."""
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for pattern in ("*", "*/*"):
        found = found or sorted(one for one in path.glob(pattern) if one.is_file() and kind_of(one) in KINDS)
    if not found:
        raise InputError("no data in this folder", path=path, expected=f"files {', '.join(KINDS)}")
    return found


def stem(path: Path) -> str:
    """Return the name of a file without its endings: "gpt-4" of ``gpt-4.json.gz``."""
    name = path.name.removesuffix(".gz").removesuffix(".bz2")
    return name[: -len(kind)] if (kind := Path(name).suffix) in KINDS else name


def _of_groups(questions: Sequence[Question], groups: Collection[str], path: Path) -> list[Question]:
    known = dict.fromkeys(one.group for one in questions if one.group)
    for group in groups:
        if group not in known:
            expected = f"one of {', '.join(known)}" if known else "data with groups of people"
            raise InputError(f"no group {group!r}{did_you_mean(group, known)}", path=path, expected=expected)
    return [one for one in questions if one.group in groups]


def _without(questions: Sequence[Question], option: str, path: Path) -> list[Question]:
    """Leave an option out of all questions, and the people who chose it; a question needs two others, and people."""
    name, found = normalised(option), []
    options = dict.fromkeys(text for one in questions for text in one.options)
    if name not in map(normalised, options):
        raise InputError(f"no option {option!r} to drop{did_you_mean(option, options)}", path=path)
    for one in questions:
        kept = [place for place, text in enumerate(one.options) if normalised(text) != name]
        if len(kept) == len(one.options):
            found.append(one)
            continue
        counts = [one.counts[place] for place in kept]
        total = sum(counts)
        if len(kept) < 2 or not total:
            continue
        people = None if one.people is None else total
        found.append(
            replace(
                one,
                options=tuple(one.options[place] for place in kept),
                counts=tuple(count if people is not None else count / total for count in counts),
                people=people,
                gold=kept.index(one.gold) if one.gold in kept else None,
                order=tuple(one.order[place] for place in kept) if one.order else (),
                raters=tuple((who, kept.index(place)) for who, place in one.raters if place in kept),
            )
        )
    return found
