"""People's answers to frames from tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.frames.questions.frames import Frame
from probsense.tasks.frames.questions.read import frames_of, read_frames

WORDS = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=4)
ANSWERS = st.dictionaries(
    WORDS, st.dictionaries(WORDS, st.integers(1, 3), min_size=1, max_size=4), min_size=1
)


def table(folder: Path, *rows: str) -> Path:
    path = folder / "frames.csv"
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def written(path: Path, rows: list[list[object]]) -> list[Frame]:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=";").writerows(rows)
    path.write_bytes(stream.getvalue().encode())
    return read_frames(path)


@given(ANSWERS)
def test_counts_rows_and_lines_give_the_same_frames(
    tmp_path_factory: pytest.TempPathFactory, answers: Mapping[str, Mapping[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("frames")
    lines = folder / "frames.jsonl"
    with lines.open("w") as stream:
        for question, own in answers.items():
            about = {"metadata": {"id": question}, "question": {"original": question}}
            stream.write(json.dumps({**about, "answers": {"raw": own}}) + "\n")
    given_ = [(question, answer, n) for question, own in answers.items() for answer, n in own.items()]
    counted = written(folder / "counts.csv", [["question", "answer", "count"], *map(list, given_)])
    each = written(
        folder / "rows.csv",
        [["question", "answer"], *([question, answer] for question, answer, n in given_ for _ in range(n))],
    )
    assert counted == each == read_frames(lines)


def test_frames_with_events_and_clusters(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "id,context,slot,answer,count,cluster",
        "kite,A kite is flown.,location,beach,5,sea",
        "kite,,,at the beach,15,sea",
        "kite,,,park,6,",
        "torn,A kite is torn.,instrument,,,",
    )
    kite, torn = read_frames(path)
    assert (kite.id, kite.text) == ("kite", "A kite is flown. Where would this be done?")
    assert kite.people.raw == {"beach": 5, "at the beach": 15, "park": 6}
    assert [(one.id, one.count, one.answers) for one in kite.people.clusters] == [
        ("sea", 20, ("beach", "at the beach"))
    ]
    assert (torn.question, torn.people.raw) == ("What would be used to do this?", {})


def test_events_tell_frames_with_one_question_apart(tmp_path: Path) -> None:
    path = table(
        tmp_path, "context,question,answer", "Rain.,Where?,here", "Snow.,Where?,there", "Rain.,Where?,here"
    )
    read = frames_of(path)
    assert [(frame.id, frame.people.raw) for frame in read.found] == [
        ("Rain. Where?", {"here": 2}),
        ("Snow. Where?", {"there": 1}),
    ]
    assert read.said == "a row for each answer (CSV separated by commas)"


def test_rows_without_an_answer_are_counted(tmp_path: Path) -> None:
    read = frames_of(table(tmp_path, "question,answer,count", "Who?,cook,3", "Who?,,2", "Who?,,"))
    assert read.found[0].people.raw == {"cook": 3}
    assert read.dropped == ["rows without an answer (2)"]
    assert read.notes(tmp_path)[0].endswith("; left out: rows without an answer (2)")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("question,count", "Who?,1"), "has no column answer"),
        (("answer,count", "cook,1"), "has no column question"),
        (("question,slot,answer", "Who?,arg0,cook"), "has no column context"),
        (("question,answer,Slot", "Who?,cook,arg0"), r"has a column Slot; did you mean 'slot'\?"),
        (
            ("question,answer,count", "Who?,cook,0"),
            r"line 2: count is '0' \(expected a whole number from 1\)",
        ),
        (("question,answer,count", "Who?,cook,1", "Who?,chef,"), "line 3: count is empty"),
        (
            ("question,answer,count", "Who?,cook,1", "Who?,cook,2"),
            "line 3: question Who., answer cook again, first on line 2",
        ),
        (
            ("id,question,answer", "a,Who?,cook", "a,What?,pan"),
            "line 3: question is 'What.', but 'Who.' on line 2",
        ),
        (("id,question,answer", "a,Who?,cook", ",What?,pan"), "line 3: id is empty"),
        (("question,answer", "Who?,cook", ",pan"), "line 3: no question"),
        (("question,answer", "Who?,"), "line 2: nobody answered 'Who.'"),
        (("context,slot,answer", "Rain.,place,here"), "line 2: no question, and the slot 'place' has none"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path: Path, rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_frames(table(tmp_path, *rows))


@pytest.mark.parametrize(("column", "cells"), [("n", ("12", "5")), ("percent", ("70.5%", "29.5 %"))])
def test_numbers_beside_answers_are_refused_unless_they_are_called_count(
    column: str, cells: tuple[str, str], tmp_path: Path
) -> None:
    rows = [
        f"{answer},{cell}" for answer, cell in zip(("A fruit?,apple", "A fruit?,pear"), cells, strict=True)
    ]
    with pytest.raises(InputError, match=f"the column {column} holds numbers that would not count"):
        read_frames(table(tmp_path, f"question,answer,{column}", *rows))


def test_other_columns_are_named_and_numbers_of_people_are_no_counts(tmp_path: Path) -> None:
    rows = ("A fruit?,apple,1,sure,", "A fruit?,pear,2,,")
    found = frames_of(table(tmp_path, "question,answer,participant,note,nothing", *rows))
    assert found.dropped == ["the column note"]
    assert found.found[0].people.raw == {"apple": 1, "pear": 1}


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = table(tmp_path, "question,Q,said", "a,Who?,cook", "b,Who?,chef")
    found = frames_of(path, ["question=Q", "answer=said"])
    assert [(frame.text, frame.people.raw) for frame in found.found] == [("Who?", {"cook": 1, "chef": 1})]
    assert found.dropped == ["the column question"]
    (tmp_path / "f.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="--columns with a file that is no table"):
        frames_of(tmp_path / "f.jsonl", ["question=Q"])


def test_an_export_has_a_frame_in_each_column(tmp_path: Path) -> None:
    path = table(tmp_path, "Timestamp,Who cooks?,Where?", "1,a cook,at home", "2,a chef,", "3,a cook,at sea")
    found = frames_of(path)
    assert {frame.text: frame.people.raw for frame in found.found} == {
        "Who cooks?": {"a cook": 2, "a chef": 1},
        "Where?": {"at home": 1, "at sea": 1},
    }
    assert found.said == "3 people × 2 questions, a column for each (CSV separated by commas)"
