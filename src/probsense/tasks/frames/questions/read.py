"""Reads frames: lines of JSON in the layout of the package or a published one, tables, and BLEnD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, kind_of, open_bytes, read_jsonl
from probsense.core.files.tables import KINDS, read_table
from probsense.tasks.frames.questions.frames import Frame, counts_of, frame_of
from probsense.tasks.frames.questions.published import parse_target, read_blend
from probsense.tasks.frames.questions.tables import frames_of_table
from probsense.tasks.shared.understood import as_read

PACKAGED: Final = Path(str(files(__package__) / "frames.jsonl"))
"""The frames that come with the package. Their answers and counts are made up, as each of them says."""

TABLES: Final = tuple(kind for kind in KINDS if kind not in (".jsonl", ".ndjson", ".json"))
"""Endings of files that are tables of answers; any other file is read as JSON lines."""

_WORDS: Final[tuple[str, ...]] = ("id", "context", "slot", "question")
_ABOUT_PEOPLE: Final = ("answers", "clusters", "illustrative")


class Read(NamedTuple):
    """The frames of a file, how it was read, what of it counts for nothing, and what a run says of that."""

    frames: list[Frame]
    said: str
    dropped: Sequence[str] = ()
    notes: Sequence[str] = ()


def read_frames(path: Path, columns: str | Sequence[str] = ()) -> list[Frame]:
    """Read frames, one a line, in the layout of the package or as targets in a published one; or from a table or a
    published file.

    Parameters
    ----------
    path : Path
        A table (CSV, TSV, XLSX, SPSS or Parquet), as
        :func:`~probsense.tasks.frames.questions.tables.frames_of_table` reads it, or
        JSON lines (plain, ``.bz2`` or ``.gz``). A line with a ``context`` is ``{"id", "context", "slot", "question",
        "answers": {answer: count}, "clusters": {name: {answer: count}}}``. The question may be left out where the slot
        is a known one, the slot where there is a question; a frame without answers and clusters is asked and compared
        with nothing. Answers that are made up have ``"illustrative": true`` beside them. Any other line is as
        :func:`~probsense.tasks.frames.questions.published.parse_target` reads it. A single JSON document is as
        :func:`~probsense.tasks.frames.questions.published.read_blend` reads it.
    columns : str or sequence of str
        What columns of a table are, each as "role=name".

    Raises
    ------
    InputError
        For a malformed file, and for an id that comes twice.
    """
    return frames_of(path, columns).frames


def frames_of(path: Path, columns: str | Sequence[str] = ()) -> Read:
    """Read frames as :func:`read_frames` does, and tell how, and what counts for nothing."""
    kind = kind_of(path)
    if kind in TABLES:
        found, said, dropped = frames_of_table(read_table(path), columns)
        return Read(_checked(path, found), said, dropped, [as_read(path, said, dropped)])
    if columns:
        raise InputError(
            "--columns with a file that is no table", path=path, expected=f"a table: {', '.join(TABLES)}"
        )
    if kind == ".json" and _is_blend(path):
        found = [(place, _of_question(question)) for place, question in read_blend(path)]
        return Read(_checked(path, found), "BLEnD")
    return Read(_checked(path, _of_lines(path)), "JSON lines")


def _is_blend(path: Path) -> bool:
    """Tell a document of BLEnD, over several lines or on one, from JSON lines."""
    with open_bytes(path) as stream:
        line = stream.readline().strip()
    return line == b"{" or b'"annotations"' in line


def _checked(path: Path, found: Iterable[tuple[Place, Frame]]) -> list[Frame]:
    """Require some frames, each with an id of its own."""
    frames: list[Frame] = []
    seen: dict[str, Place] = {}
    for place, frame in found:
        place.once(frame.id, "the id", seen)
        frames.append(frame)
    if not frames:
        raise Place(path).fault("holds no frames", 'one {"id": …, "context": …, "slot": …} a line')
    return frames


def _of_lines(path: Path) -> Iterator[tuple[Place, Frame]]:
    for line, record in read_jsonl(path):
        place = Place(path, line)
        if "context" in record:
            yield place, _frame(record, place)
        else:
            yield place, _of_question(parse_target(record, place))


def _of_question(question: Question) -> Frame:
    return Frame("", "", question.text, question)


def _frame(record: dict[str, Any], place: Place) -> Frame:
    place.record(record, needed=_WORDS[:2], optional=(*_WORDS[2:], *_ABOUT_PEOPLE))
    about = {key: place.word(record[key], key).strip() for key in _WORDS if key in record}
    groups = {
        label: counts_of(place, own, f"clusters[{brief(label)}]", place.word)
        for label, own in place.mapping(record.get("clusters", {}), "clusters").items()
    }
    if "answers" in record:
        raw = counts_of(place, record["answers"], "answers", place.word)
    else:
        raw = dict(sum(map(Counter, groups.values()), Counter()))
    clusters = [Cluster(label, sum(own.values()), tuple(own)) for label, own in groups.items()]
    made_up = record.get("illustrative", False)
    if not isinstance(made_up, bool):
        raise place.fault(f"illustrative is {brief(made_up)}", "true or false")
    return frame_of(place, about["id"], about, raw, clusters, illustrative=made_up)
