"""Tables as people have them, from ``data check`` to a run, and thirty that are wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.command import Probsense, assert_refused

STATEMENTS = [f"Aussage {n}: Käse ist {'gelb' if n % 3 else 'laut'}." for n in range(20)]
PEOPLE = [f"P{n:02d}" for n in range(15)]
TEXT = {1: "ja", 0: "nein", None: ""}


def write(
    path: Path, rows: Sequence[Sequence[object]], separator: str = ",", encoding: str = "utf-8"
) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator).writerows(rows)
    path.write_bytes(stream.getvalue().encode(encoding))


@pytest.fixture
def study(tmp_path: Path) -> None:
    """One study of twenty statements and fifteen people as a long table and as a wide one from a German Excel."""
    rng = np.random.default_rng(4)
    cells = rng.choice([1, 0, None], (15, 20, 2), p=[0.5, 0.3, 0.2])
    write(tmp_path / "statements.csv", [("statement",), *((text,) for text in STATEMENTS)])
    long = [(n, person, *cells[p, n]) for p, person in enumerate(PEOPLE) for n in range(20)]
    write(tmp_path / "long.csv", [("statement_id", "person", "q1", "q2"), *long])
    header = ("person", "Alter", *(f"{text} - {q}" for q in ("q1", "q2") for text in STATEMENTS))
    wide = [(p, 20, *(TEXT[one] for q in (0, 1) for one in cells[i, :, q])) for i, p in enumerate(PEOPLE)]
    write(tmp_path / "wide.csv", [header, *wide], ";", "windows-1252")


@pytest.mark.parametrize("model", ["random:1", pytest.param("builtin:tiny", marks=pytest.mark.slow)])
def test_a_wide_table_gives_the_figures_of_the_long_one(
    probsense: Probsense, study: None, model: str
) -> None:
    data = ("--data", "statements.csv")
    labels = ("--labels", "yes=ja,no=nein")
    told = probsense("data", "check", "wide.csv", *data, *labels)
    assert (
        "\nread as a wide table: 15 people × 20 statements, q1 and q2 by the endings - q1 and - q2"
        in told.out
    )
    assert told.err == "wide.csv, line 1: not UTF-8 text; the file is read as Latin-1\n"
    command = told.out.splitlines()[-1].removeprefix("go on with: probsense ").replace("builtin:tiny", model)
    documents: list[dict[str, Any]] = [
        json.loads(probsense(*words, "--json", "-q").out)
        for words in (command.split(), ("run", "judgments", "-m", model, *data, "--humans", "long.csv"))
    ]
    assert documents[0]["estimates"] == documents[1]["estimates"]
    (note,) = {*documents[0]["notes"]} - {*documents[1]["notes"]}
    assert "wide.csv is read as a wide table" in note
    run = [document["run"]["options"] for document in documents]
    assert (run[0]["labels"], "labels" in run[1]) == (["yes=ja", "no=nein"], False)


def test_frames_from_a_table_give_the_figures_of_lines(probsense: Probsense, tmp_path: Path) -> None:
    counts = {
        "Wo steigt ein Drachen?": {"am Strand": 9, "im Park": 4},
        "Womit isst man Käse?": {"Gabel": 7, "Hand": 5},
    }
    rows = [(question, answer, n) for question, own in counts.items() for answer, n in own.items()]
    write(tmp_path / "frames.csv", [("question", "answer", "count"), *rows], ";", "utf-16")
    with (tmp_path / "frames.jsonl").open("w") as stream:
        for question, own in counts.items():
            about = {"metadata": {"id": question}, "question": {"original": question}}
            stream.write(json.dumps({**about, "answers": {"raw": own}}) + "\n")
    told = probsense("data", "check", "frames.csv")
    assert told.out.startswith("2 frames with 25 answers of people, 4 of them different")
    assert "(CSV separated by semicolons, in UTF-16)" in told.out
    found = [
        json.loads(
            probsense("run", "frames", "-m", "random:1", "--answers", "5", "--data", name, "--json", "-q").out
        )
        for name in ("frames.csv", "frames.jsonl")
    ]
    assert found[0]["estimates"] == found[1]["estimates"]


def test_the_tasks_that_can_read_a_file_are_named(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text("question,option,answer,count\nWho?,cook,cook,3\nWho?,chef,chef,2\n")
    done = probsense("data", "check", "both.csv")
    assert_refused(
        done, "both.csv: choices and frames can read it (expected --task choices or --task frames)"
    )
    for task, said in (("choices", "1 questions, 2 options"), ("frames", "1 frames with 5 answers")):
        assert probsense("data", "check", "both.csv", "--task", task).out.startswith(said)
    assert_refused(probsense("data", "check", "both.csv", "--task", "frmes"), "did you mean 'frames'?")
    (tmp_path / "none.csv").write_text("a,b\n1,2\n")
    assert_refused(
        probsense("data", "check", "none.csv"),
        "none.csv: no task can read it; choices: has no column question; frames: has no column answer; judgments:",
    )


HEAD = "person,q1_0,q1_1\n"
ANSWERS = "question,answer,count\n"
WRONG: dict[str, tuple[str, bytes | str, str]] = {
    "no file": ("judgments", b"", "t.csv: is empty"),
    "a header alone": ("judgments", HEAD, "t.csv: holds no rows"),
    "blank rows": ("judgments", HEAD + ",,\n,,\n", "t.csv: holds no rows"),
    "no rating": ("judgments", HEAD + "a,,\n", "t.csv: holds no rating"),
    "a rating of 3": ("judgments", HEAD + "a,1,0\nb,3,0\n", "t.csv, line 3: q1_0 is '3'"),
    "a decimal rating": ("judgments", HEAD.replace(",", ";") + "a;0,5;1\n", "t.csv, line 2: q1_0 is '0,5'"),
    "German": ("judgments", HEAD + "a,ja,nein\n", "t.csv, line 2: q1_0 is 'ja'"),
    "a person twice": ("judgments", HEAD + "a,1,0\nb,1,0\na,0,0\n", "t.csv, line 4: person a again"),
    "nobody": ("judgments", HEAD + "a,1,0\n,1,0\n", "t.csv, line 3: person is empty"),
    "a short row": ("judgments", HEAD + "a,1,0\nb,1\n", "t.csv, line 3: 2 cells (expected 3"),
    "a long row": ("judgments", HEAD + "a,1,0\nb,1,1,1\n", "t.csv, line 3: 4 cells (expected 3"),
    "an open quote": ("judgments", HEAD + 'a,"1,0\n', "t.csv, line 2: not valid CSV"),
    "a column twice": (
        "judgments",
        "person,q1_0,q1_0\na,1,0\n",
        "t.csv, line 1: the column 'q1_0' stands twice",
    ),
    "two marks": (
        "judgments",
        "person,q1_0,1_q1\na,1,0\n",
        "t.csv, line 1: columns such as q1_0 and 1_q1 tell",
    ),
    "no statement": ("judgments", "person,q1_x\na,1\n", "t.csv, line 1: the column q1_x names no statement"),
    "no mark": ("judgments", "person,0,1\na,1,0\n", "t.csv, line 1: columns such as 0, 1 name statements"),
    "long and short": ("judgments", "statement_id,q1,q2\n0,1,1\n", "t.csv: has no column person"),
    "another case": (
        "judgments",
        "statement_id,person,Q1\n0,a,1\n",
        "t.csv: has a column Q1; did you mean 'q1'?",
    ),
    "no id": ("judgments", "statement_id,person,q1\nx,a,1\n", "t.csv, line 2: statement_id is 'x'"),
    "a statement twice": ("judgments", "statement\nA\nB\nA\n", "t.csv, line 4: statement A again"),
    "two separators": (
        "judgments",
        "person;q1_0,q1_1\na;1,0\n",
        "t.csv, line 1: cells can be separated by commas",
    ),
    "no text": ("judgments", b"person,q1_0\n\xff\x00,1\n", "t.csv, line 2: not UTF-8 text"),
    "half of UTF-16": ("judgments", b"\xff\xfep\x00e", "t.csv: not UTF-16 text"),
    "no answer": ("frames", ANSWERS + "Who?,,\n", "t.csv, line 2: nobody answered"),
    "a count of 0": ("frames", ANSWERS + "Who?,cook,0\n", "t.csv, line 2: count is '0'"),
    "half a count": (
        "frames",
        ANSWERS.replace(",", ";") + "Who?;cook;1,5\n",
        "t.csv, line 2: count is '1,5'",
    ),
    "a count in words": ("frames", ANSWERS + "Who?,cook,two\n", "t.csv, line 2: count is 'two'"),
    "an answer twice": (
        "frames",
        ANSWERS + "Who?,cook,1\nWho?,cook,2\n",
        "t.csv, line 3: answer 'cook' again",
    ),
    "no question": ("frames", ANSWERS + "Who?,cook,1\n,cook,1\n", "t.csv, line 3: no question"),
    "no column": ("frames", "question,reply\nWho?,cook\n", "t.csv: has no column answer"),
    "one option": ("choices", "question,option,count\nq,a,1\n", "t.csv, line 2: a question with 1 option"),
    "a negative count": ("choices", "question,option,count\nq,a,1\nq,b,-1\n", "t.csv, line 3: count is '-1'"),
    "shares": (
        "choices",
        "question;option;share\nq;a;0,5\nq;b;0,9\n",
        "t.csv, line 2: shares that sum to 1.4",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_is_one_line_with_its_place(probsense: Probsense, tmp_path: Path, name: str) -> None:
    task, content, said = WRONG[name]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = probsense("data", "check", "t.csv", "--task", task)
    assert_refused(done, said)
    assert "Traceback" not in done.err
