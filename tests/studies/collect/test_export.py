"""What people answered, in the files that the tasks read."""

from __future__ import annotations

import csv
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.studies.collect.export import export
from probsense.studies.collect.storage import Storage
from probsense.tasks.choices.questions.read import read_questions
from probsense.tasks.frames.questions.read import read_frames
from probsense.tasks.judgments.people.answers import read_people
from probsense.tasks.judgments.questions.statements import read_statements
from support.studies.taking import CHECK, FRAME, HOME, SCHEMA, block_of


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return [*csv.DictReader(stream)]


def test_statements_are_the_humans_and_data_of_judgments(served, tmp_path):
    here = served(items=[{"kind": "statement", "statements": ['A, "b".', "ä\nc"], "q1": "?", "q2": "??"}])
    for q1, q2 in (("yes", "no"), ("no", "no")):
        one = here.participant().agree().send()
        while one.at != "end":
            one.send(q1=q1, q2=q2)
    export(here.storage, tmp_path / "out")
    statements = read_statements(tmp_path / "out" / "statements.csv")
    assert statements["statement"].to_list() == ['A, "b".', "ä\nc"]
    people = read_people([tmp_path / "out" / "people.csv"], statements).frame.sort("person", "statement_id")
    assert people.rows() == [(0, "1", 1, 0), (1, "1", 1, 0), (0, "2", 0, 0), (1, "2", 0, 0)]


def test_frames_are_the_data_of_frames(served, tmp_path):
    lines = [
        {**FRAME, "slot": "cause"},
        {"metadata": {"id": "p"}, "question": {"original": "Name a toy"}, "answers": {"raw": {"kite": 1}}},
    ]
    here = served(items=[block_of("frame", tmp_path, *lines, answers=2)])
    for first, second in (("Wind", "a tree"), ("wind", "WIND"), ("a  Tree", "")):
        one = here.participant().agree().send()
        while one.at != "finish":
            one.send(answer_1=first, answer_2=second)
        one.send()
    export(here.storage, tmp_path / "out")
    kite, toy = read_frames(tmp_path / "out" / "frames.jsonl")
    assert (kite.context, kite.slot, kite.question) == ("A kite is torn.", "cause", "By what?")
    assert kite.people.raw == {"a tree": 2, "wind": 2}
    assert (toy.text.strip(), toy.people.raw) == ("Name a toy", {"a tree": 2, "wind": 2})


def test_choices_with_the_right_option_and_where_it_stood(served, tmp_path):
    here = served(items=[block_of("choice", tmp_path, SCHEMA)], per_item=20)
    first = []
    for _ in range(12):
        one = here.participant().agree().send()
        first.append(one.fields()["choice"][0])
        here.clock.pass_(ms=700)
        one.send(choice=first[-1]).send()
    export(here.storage, tmp_path / "out")
    found = rows(tmp_path / "out" / "choices.csv")
    assert {*first} == {"0", "1"}
    assert [row["answer"] for row in found] == first
    assert {row["position"] for row in found} == {"1"}
    judged = {(row["option"], row["right"], row["correct"]) for row in found}
    assert judged == {("cup", "1", "0"), ("bag", "1", "1")}
    assert {row["ms"] for row in found} == {"700"}


def test_who_is_left_out_and_who_is_kept_on_request(served, tmp_path):
    age = {"name": "age", "label": "Your age?", "kind": "number"}
    here = served(checks=[CHECK], demographics=[{**HOME, "screen_out": ["land"]}, age], per_person=2)

    def take(check: str = "1", home: str = "sea", stop: bool = False) -> None:
        one = here.participant().agree().send().send(home=home, age="34,5")
        while one.at not in ("end", "finish"):
            one.send(choice=check) if "choice" in one.fields() else one.send(q1="yes", q2="no")
        if not stop:
            here.clock.pass_(minutes=3)
            one.open(str(one.page.url)).send() if one.at == "finish" else None

    take()
    take(check="0")
    take(home="land")
    take(stop=True)
    done = export(here.storage, tmp_path)
    assert (done.people, done.kept) == (4, 1)
    assert done.left_out == {"failed_checks": 1, "screened_out": 1, "unfinished": 1}
    people = rows(tmp_path / "participants.csv")
    columns = ("reasons", "end", "kept", "minutes", "answered")
    assert [tuple(row[name] for name in columns) for row in people] == [
        ("", "completion", "1", "3.0", "2"),
        ("failed_checks", "completion", "0", "3.0", "2"),
        ("screened_out", "screened_out", "0", "0.0", "0"),
        ("unfinished", "", "0", "", "2"),
    ]
    assert people[0]["started"] == "2027-01-15T08:00:00+00:00"
    assert {row["person"] for row in rows(tmp_path / "people.csv")} == {"1"}
    assert rows(tmp_path / "demographics.csv") == [{"person": "1", "home": "sea", "age": "34.5"}]
    seen = [
        (row["item"], row["field"], row["value"])
        for row in rows(tmp_path / "answers.csv")
        if row["block"] == ""
    ]
    assert seen[:3] == [("", "home", "sea"), ("", "age", "34,5"), ("Choose blue.", "choice", "blue")]
    export(here.storage, tmp_path, keep=["failed_checks", "unfinished"])
    assert {row["person"] for row in rows(tmp_path / "people.csv")} == {"1", "2", "4"}
    with pytest.raises(InputError, match="'unfinish'; did you mean 'unfinished'"):
        export(here.storage, tmp_path, keep=["unfinish"])


def test_the_last_version_counts_and_all_are_told(served, tmp_path):
    here = served(per_person=1)
    one = here.participant().agree().send()
    page = str(one.page.url)
    for q1 in ("yes", "no", "no", "yes"):
        here.clock.pass_(ms=400)
        one.open(page).send(q1=q1, q2="no")
    one.send()
    export(here.storage, tmp_path)
    [row] = rows(tmp_path / "people.csv")
    assert (row["q1"], row["ms"]) == ("1", "1600")
    assert {row["versions"] for row in rows(tmp_path / "answers.csv")} == {"3"}


def test_two_blocks_of_a_kind_have_files_of_their_own(served, tmp_path):
    blocks = [{"kind": "statement", "statements": [text], "q1": "?"} for text in ("a", "b")]
    here = served(items=blocks)
    here.participant().agree().finish()
    export(here.storage, tmp_path)
    assert [row["statement"] for row in rows(tmp_path / "people.csv")] == ["a"]
    assert [row["statement"] for row in rows(tmp_path / "people-2.csv")] == ["b"]


def test_the_codebook_names_every_column_and_nothing_tells_the_codes(served, tmp_path):
    age = {"name": "age", "label": "Your age?", "kind": "number"}
    here = served(demographics=[age], completion={"code": "SECRET7"})
    here.participant().agree().finish(text="30")
    done = export(here.storage, tmp_path)
    book = {(row["file"], row["column"]): row["meaning"] for row in rows(tmp_path / "codebook.csv")}
    tables = [path for path in done.files if path.suffix == ".csv" and path.name != "codebook.csv"]
    columns = {(path.name, name) for path in tables for name in pl.read_csv(path, infer_schema=False).columns}
    assert {*book} == columns
    assert all(book.values())
    assert book["demographics.csv", "age"] == "Your age?"
    assert json.loads((tmp_path / "study.json").read_text())["title"] == "Everyday statements"
    assert not any("SECRET7" in path.read_text() for path in done.files)


def test_numbers_are_exported_as_they_were_given(served, tmp_path):
    here = served(demographics=[{"name": "income", "label": "?", "kind": "number"}])
    for text in ("1234567", "123456.50", "+0,125", "12345678901234567890"):
        here.participant().agree().send().send(income=text).finish()
    export(here.storage, tmp_path)
    exported = [row["income"] for row in rows(tmp_path / "demographics.csv")]
    assert exported == ["1234567", "123456.50", "0.125", "12345678901234567890"]


def test_nobody_writes_rows_or_formulas_into_the_tables(served, tmp_path):
    work = {"name": "work", "label": "?", "kind": "text"}
    here = served(ids={"participant": "p", "study": "s", "session": "t"}, demographics=[work])
    address = "/?p=bob%0D99&s=%3DHYPERLINK(1)&t=%40x%0A"
    here.participant(address).agree().send().send(work="=1+1").finish()
    export(here.storage, tmp_path)
    [row] = rows(tmp_path / "participants.csv")
    assert (row["participant"], row["study"], row["session"]) == ("bob99", "'=HYPERLINK(1)", "'@x")
    assert rows(tmp_path / "demographics.csv") == [{"person": "1", "work": "'=1+1"}]
    assert "'=1+1" in [row["value"] for row in rows(tmp_path / "answers.csv")]
    here.storage._db.execute("UPDATE people SET participant = ?", ("ann\r2",))  # of an older version
    export(here.storage, tmp_path)
    assert [row["participant"] for row in rows(tmp_path / "participants.csv")] == ["ann 2"]


def test_an_export_is_of_one_moment(served, tmp_path, monkeypatch):
    here = served()
    one = here.participant().agree().send()
    own = Storage.all_answers

    def answers(storage: Storage) -> Any:
        one.finish()  # between two looks of the export
        return own(storage)

    monkeypatch.setattr(Storage, "all_answers", answers)
    with closing(here.storage.again()) as storage:
        done = export(storage, tmp_path)
    assert (done.people, done.kept, done.left_out) == (1, 0, {"unfinished": 1})
    assert {row["answered"] for row in rows(tmp_path / "participants.csv")} == {"0"}


def test_files_that_are_no_study_are_refused(tmp_path):
    Storage.open(tmp_path / "empty.db").close()
    for name, message in (("none.db", "no such file"), ("empty.db", "holds no study")):
        with pytest.raises(InputError, match=message):
            Storage.open_known(tmp_path / name)


def test_choices_are_the_data_of_choices(served, tmp_path):
    table = tmp_path / "rooms.csv"
    table.write_text(
        "question,text,context,option,count\nq,Is it cold?,It snows.,Yes,1\nq,Is it cold?,It snows.,No,1\n"
    )
    here = served(items=[{"kind": "choices", "data": str(table)}], per_item=20)
    for chosen in ("0", "0", "1"):
        here.participant().agree().send().send(choice=chosen).send()
    export(here.storage, tmp_path / "out")
    (one,) = read_questions(tmp_path / "out" / "choices.csv").found
    assert (one.text, one.options) == ("It snows.\n\nIs it cold?", ("Yes", "No"))
    assert (one.counts, one.people) == ((2.0, 1.0), 3.0)
    assert [option for _, option in one.raters] == [0, 0, 1]
