"""Wide tables of ratings: a row for each person."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.judgments.people.answers import read_people
from probsense.tasks.judgments.questions.yes_no import Reading
from probsense.tasks.shared.understood import Read

TEXTS = ["Birds, all of them, fly.", "Käse ist gelb.", "Käse", "Water is wet; always."]
STATEMENTS = pl.DataFrame(
    {"statement_id": [3, 5, 7, 9], "statement": TEXTS, "code": ["S1", "S2", "S3", "S4"], "sure": [0, 1, 1, 0]}
)
Ratings = Mapping[tuple[str, int, str], int]
RATINGS: st.SearchStrategy[Ratings] = st.dictionaries(
    st.tuples(
        st.sampled_from(["ann", "bob", "cy"]), st.sampled_from([3, 5, 7, 9]), st.sampled_from(["q1", "q2"])
    ),
    st.sampled_from([0, 1]),
    min_size=1,
)
NAMES = {
    "ids": dict(zip([3, 5, 7, 9], "3579", strict=True)),
    "codes": dict(zip([3, 5, 7, 9], STATEMENTS["code"], strict=True)),
    "texts": dict(zip([3, 5, 7, 9], TEXTS, strict=True)),
}
FORMS = ["{q}_{s}", "{s}_{q}", "{s} - {q}", "{q}: {s}", "{s} ({q})", "{s}.{q}"]


def write(
    path: Path, rows: Sequence[Sequence[object]], separator: str = ",", encoding: str = "utf-8"
) -> Path:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator).writerows(rows)
    path.write_bytes(stream.getvalue().encode(encoding))
    return path


def wide(
    ratings: Ratings, form: str, names: Mapping[int, str], yes: str = "1", no: str = "0"
) -> list[list[str]]:
    keys = [(s, q) for q in ("q1", "q2") for s in (3, 5, 7, 9)]
    text = {1: yes, 0: no, None: ""}
    header = ["person", "age", *(form.format(q=q, s=names[s]) for s, q in keys)]
    people = sorted({person for person, _, _ in ratings})
    return [header, *([p, "30", *(text[ratings.get((p, s, q))] for s, q in keys)] for p in people)]


def long(ratings: Ratings) -> list[list[object]]:
    rows = sorted({(person, statement) for person, statement, _ in ratings})
    cells = [[s, p, *(ratings.get((p, s, q), "") for q in ("q1", "q2"))] for p, s in rows]
    return [["statement_id", "person", "q1", "q2"], *cells]


@given(RATINGS, st.sampled_from(FORMS), st.sampled_from([*NAMES]), st.sampled_from(",;\t"), st.booleans())
def test_wide_and_long_tables_are_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    ratings: Ratings,
    form: str,
    names: str,
    separator: str,
    german: bool,
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    words = {"yes": "Ja", "no": "nein"} if german else {}
    reading = Reading.of([f"{label}={text}" for label, text in words.items()], ())
    rows = wide(ratings, form, NAMES[names], **words)
    path = write(folder / "wide.csv", rows, separator, "utf-16" if german else "utf-8")
    found = read_people([path], STATEMENTS, reading).frame
    assert found.equals(read_people([write(folder / "long.csv", long(ratings))], STATEMENTS).frame)
    # And back: what was read, written wide, is read as the same.
    kept = {
        (person, statement, q): rating
        for statement, person, *both in found.iter_rows()
        for q, rating in zip(("q1", "q2"), both, strict=True)
        if rating is not None
    }
    assert kept == ratings


def read(
    folder: Path, *rows: str, statements: pl.DataFrame | None = STATEMENTS, columns: Sequence[str] = ()
) -> Read:
    path = folder / "people.csv"
    path.write_text("".join(f"{row}\n" for row in rows))
    return read_people([path], statements, Reading.of((), columns))


def test_how_a_table_was_read_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "person,age,S1_q1,S2_q1,S1_q2", "ann,30,1,0,1", "bob,40,,,", "cy,9,0,,1")
    assert found.frame.rows() == [(3, "ann", 1, 1), (5, "ann", 0, None), (3, "cy", 0, 1)]
    assert found.said == (
        "a wide table: 3 people × 2 statements, q1 by *_q1 and q2 by *_q2; statements by the column code"
        " of the statements (S1 is “Birds, all of them, fly.”) (CSV separated by commas)"
    )
    assert found.dropped == ("the column age", "people without a rating (1): bob")


def test_one_question_is_enough_and_people_without_names_are_numbered(tmp_path: Path) -> None:
    found = read(tmp_path, "q2_3,q2_5", "1,0", "0,", statements=None)
    assert found.frame.rows() == [(3, "1", None, 1), (5, "1", None, 0), (3, "2", None, 0)]
    assert "q2 by q2_*; statements by their ids" in found.said


def test_columns_are_known_by_what_was_asked_there(tmp_path: Path) -> None:
    """The exports of Qualtrics number the items of a matrix from 1; only their texts tell which they are."""
    ids = ",".join(f'"{{""ImportId"":""QID{n}""}}"' for n in range(3))
    found = read(
        tmp_path,
        "ResponseId,Q1_1,Q1_2",
        'Response ID,"Do you agree? - Birds, all of them, fly.",Do you agree? - Käse ist gelb.',
        ids,
        "R_a,1,0",
    )
    assert found.frame.rows() == [(3, "R_a", 1, None), (5, "R_a", 0, None)]
    assert "statements by the texts of their columns" in found.said
    two = f"ResponseId,Q1_1,Q1_2\n,Water is wet; always.,{TEXTS[3]} And: Käse\n{ids}\nR_a,1,0".splitlines()
    with pytest.raises(InputError, match="the column Q1_2 names no statement"):
        read(tmp_path, *two)


@pytest.mark.parametrize("name", ["person", "participant", "PROLIFIC_PID", "Participant id", "ResponseId"])
def test_people_are_named_as_questionnaires_name_them(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, f"StartDate,{name},S1_q1", "2026-01-01,ann,1", "2026-01-02,bob,0")
    assert found.frame["person"].to_list() == ["ann", "bob"]


def test_two_wide_tables_may_have_labels_but_no_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", [("statement_id", "a", "b"), (3, "Ja", "nein"), (5, "weiß nicht", "")])
    labels = ["yes=ja", "no=nein", "none=weiß nicht"]
    found = read_people([path, path], STATEMENTS, Reading.of(labels, ()))
    assert found.frame.rows() == [(3, "a", 1, 1), (3, "b", 0, 0)]
    with pytest.raises(
        InputError, match=r"line 3: the rating of person 'a' is 'wei.* \(expected one of ja, nein, as"
    ):
        read_people([path, path], STATEMENTS, Reading.of(labels[:2], ()))
    with pytest.raises(InputError, match="--columns with two tables"):
        read_people([path, path], STATEMENTS, Reading.of((), ["q1=*"]))


def test_patterns_name_columns(tmp_path: Path) -> None:
    rows = ("person,S1_agree,S1_most,S2_agree", "ann,1,0,1")
    found = read(tmp_path, *rows, columns=["q1=*_agree", "q2=*_most"])
    assert found.frame.rows() == [(3, "ann", 1, 0), (5, "ann", 1, None)]
    rest = read(tmp_path, "person,S1,S1_most,age", "ann,1,0,30", columns=["q1=*", "q2=*_most"])
    assert rest.frame.rows() == [(3, "ann", 1, 0)]
    assert rest.dropped == ("the column age",)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (("person,S1,S2", "a,1,0"), [], r"has no column q1 \(expected .* or --columns q1=\* for"),
        (
            ("person,q1_S1,S1_q2", "a,1,0"),
            [],
            r"columns such as q1_S1 and S1_q2 tell q1 and q2 in several ways",
        ),
        (("person,q1_S1,q1 S2", "a,1,0"), [], r"such as q1_S1 and q1 S2 tell q1 and q2 in several ways"),
        (("person,q1_q2", "a,1"), [], r"\(expected --columns q1=q1_\*,q2=q2_\* or --columns q1=\*_q1"),
        (("person,q1_S9", "a,1"), [], "line 1: the column q1_S9 names no statement"),
        (("person,q1_S1,q1_3", "a,1,1"), [], "the column q1_S1 names no statement"),
        (("person,S1_q1", "a,2"), [], "line 2: S1_q1 is '2'"),
        (("person,S1_q1", "a,1", "b,0", "a,1"), [], "line 4: person a again, first on line 2"),
        (("person,S1_q1", "a,1", ",0"), [], "line 3: person is empty"),
        (("person,q1_S1,q1 S1", "a,1,0"), ["q1=q1*"], "names no statement"),
        (("person,xS1,xyS1", "a,1,0"), ["q1=x*", "q2=xy*"], "the column xyS1 is of q1 and q2 by --columns"),
        (("person,S1_q1", "a,1"), ["q1=*_agree"], r"has no column \*_agree for q1"),
        (("person,S1_q1", "a,"), [], "holds no rating"),
        (("person,q1_S1,q1_ S1", "a,1,0"), ["q1=q1_*"], "q1_S1 and q1_ S1 are one statement and question"),
    ],
)
def test_what_is_wrong_or_unclear_is_named(
    tmp_path: Path, rows: Sequence[str], columns: Sequence[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, *rows, columns=columns)


def test_statements_that_are_numbered_in_two_ways_are_asked_about(tmp_path: Path) -> None:
    numbered = STATEMENTS.select("statement", statement_id=pl.int_range(4), item=pl.int_range(1, 5))
    message = "name statements by their ids and by the column item of the statements, which differ"
    with pytest.raises(InputError, match=message):
        read(tmp_path, "person,q1_1,q1_2", "a,1,0", statements=numbered)
    # All four can only be meant by one of them.
    found = read(tmp_path, "person,q1_1,q1_2,q1_3,q1_4", "a,1,0,1,1", statements=numbered)
    assert found.frame["statement_id"].to_list() == [0, 1, 2, 3]


def test_a_text_without_its_table_of_statements_asks_for_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(expected the table of the statements, with --data\)"):
        read(tmp_path, "person,Water is wet._q1", "a,1", statements=None)


def test_a_long_table_stays_one(tmp_path: Path) -> None:
    found = read(tmp_path, "statement_id,person,q1,q1_seconds", "3,a,1,2.5", "5,a,,1")
    assert found.frame.rows() == [(3, "a", 1, None)]
    assert (found.said[:12], found.dropped) == (
        "a long table",
        ("the column q1_seconds", "rows without a rating (1)"),
    )


QUALTRICS = (
    "ResponseId,{columns}\nResponse ID,{asked}\n"
    + ",".join(['"{{""ImportId"": ""QID1""}}"'] * 5)
    + "\nR_1,1,0,1,0\nR_2,0,0,1,1\n"
)
NUMBERED = pl.DataFrame(
    {"statement_id": [0, 1, 2, 3], "statement": ["Dogs bark.", "Fire is hot.", "Fish fly.", "Ice."]}
)


@pytest.mark.parametrize(
    ("columns", "asked", "fault"),
    [
        ("Q1_1,Q1_2,Q2_1,Q2_2", "Agree? Dogs bark.,Agree? Ice.,Most? Dogs bark.,Most? Ice.", ""),
        # One question a statement, with one item each.
        (
            "Q1_1,Q2_1,Q3_1,Q4_1",
            "Agree? Dogs bark.,Agree? Fire is hot.,Agree? Ice.,Agree? Fish fly.",
            "only ones",
        ),
        ("Q1_1,Q2_1,a,b", "Agree? Dogs bark.,Agree? Ice.,,", "not of the same"),
        (
            "Q1_1,Q1_2,Q2_1,Q2_3",
            "Agree? Dogs bark.,Agree? Ice.,Most? Dogs bark.,Most? Ice.",
            "not of the same",
        ),
        # The file says that 1 is another statement than the one of that id.
        ("Q1_1,Q1_2,Q2_1,Q2_2", "Agree? Cats.,Agree? Rain.,Most? Cats.,Most? Rain.", "and asks “Agree"),
    ],
)
def test_questions_are_paired_by_what_the_file_proves(
    columns: str, asked: str, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(QUALTRICS.format(columns=columns, asked=asked))
    if fault:
        with pytest.raises(InputError, match=fault):
            read_people([path], NUMBERED, Reading())
    else:
        found = read_people([path], NUMBERED, Reading()).frame
        assert found.rows()[:2] == [(0, "R_1", 1, 1), (3, "R_1", 0, 0)]


def test_without_statements_items_of_a_matrix_are_paired_by_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    for last in ("Ice.", "Fire."):
        asked = f"Agree? - Dogs bark.,Agree? - Ice.,Most? - Dogs bark.,Most? - {last}"
        path.write_text(QUALTRICS.format(columns="Q1_1,Q1_2,Q2_1,Q2_2", asked=asked))
        if last == "Ice.":
            assert read_people([path]).frame.height == 4
        else:
            with pytest.raises(InputError, match="q1 and q2 are not of the same statements: 2"):
                read_people([path])


def test_numbers_of_columns_are_no_numbers_of_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="may count the statements from 1, and these are counted from 0"):
        read(tmp_path, "person,Q1_1,Q1_2", "a,1,0", statements=NUMBERED)
    known = NUMBERED.with_columns(pl.col("statement_id") + 1)
    assert read(tmp_path, "person,Q1_1,Q1_2", "a,1,0", statements=known).frame["statement_id"].to_list() == [
        1,
        2,
    ]


@pytest.mark.parametrize("header", ["statement_id,person,q1,weight", "person,3_q1,5_q1,Weight"])
def test_weights_are_refused(header: str, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"eight holds numbers that would not count .expected a table without it"
    ):
        read(tmp_path, header, "3,1,1,0.5")
