"""Wide tables of ratings: a row for each person."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
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
IDS, CODES = [3, 5, 7, 9], ["S1", "S2", "S3", "S4"]
STATEMENTS = pl.DataFrame({"statement_id": IDS, "statement": TEXTS, "code": CODES, "sure": [0, 1, 1, 0]})
NUMBERED = pl.DataFrame({"statement_id": range(4), "statement": ["Dogs.", "Fire.", "Fish.", "Ice."]})
Ratings = Mapping[tuple[str, int, str], int]
RATINGS = st.dictionaries(
    st.tuples(st.sampled_from(["ann", "bob", "cy"]), st.sampled_from(IDS), st.sampled_from(["q1", "q2"])),
    st.sampled_from([0, 1]),
    min_size=1,
)
NAMES = [dict(zip(IDS, map(str, names), strict=True)) for names in (IDS, CODES, TEXTS)]
FORMS = ["{q}_{s}", "{s}_{q}", "{s} - {q}", "{q}: {s}", "{s} ({q})", "{s}.{q}"]
TABLES = st.tuples(st.sampled_from(FORMS), st.sampled_from(NAMES), st.sampled_from(",;\t"), st.booleans())


@given(RATINGS, TABLES)
def test_what_is_written_is_read(tmp_path_factory, ratings, of):
    form, names, separator, german = of
    path = tmp_path_factory.mktemp("tables") / "wide.csv"
    keys = [(s, q) for q in ("q1", "q2") for s in IDS]
    words = {1: "Ja", 0: "nein"} if german else {1: "1", 0: "0"}
    people = sorted({person for person, _, _ in ratings})
    with path.open("w", newline="", encoding="utf-16" if german else "utf-8") as stream:
        table = csv.writer(stream, delimiter=separator)
        table.writerow(["person", "age", *(form.format(q=q, s=names[s]) for s, q in keys)])
        for p in people:
            table.writerow([p, "30", *(words.get(ratings.get((p, s, q), 2), "") for s, q in keys)])
    found = read_people([path], STATEMENTS, Reading.of(["yes=ja", "no=nein"] if german else [], ())).frame
    each = found.unpivot(["q1", "q2"], index=["person", "statement_id"]).drop_nulls()
    assert {tuple(key): rating for *key, rating in each.iter_rows()} == ratings


def read(
    folder: Path, *rows: str, statements: pl.DataFrame | None = STATEMENTS, columns: Sequence[str] = ()
) -> Read:
    path = folder / "people.csv"
    path.write_text("".join(f"{row}\n" for row in rows))
    return read_people([path], statements, Reading.of((), columns))


def test_how_a_table_was_read_is_told(tmp_path):
    found = read(tmp_path, "person,age,S1_q1,S2_q1,S1_q2", "ann,30,1,0,1", "bob,40,,,", "cy,9,0,,1")
    assert found.frame.rows() == [(3, "ann", 1, 1), (5, "ann", 0, None), (3, "cy", 0, 1)]
    assert found.said == (
        "a wide table: 3 people × 2 statements, q1 by *_q1 and q2 by *_q2; statements by the column code"
        " of the statements (S1 is “Birds, all of them, fly.”) (CSV separated by commas)"
    )
    assert found.dropped == ("the column age", "people without a rating (1): bob")


def test_one_question_is_enough_and_people_without_names_are_numbered(tmp_path):
    found = read(tmp_path, "q2_3,q2_5", "1,0", "0,", statements=None)
    assert found.frame.rows() == [(3, "1", None, 1), (5, "1", None, 0), (3, "2", None, 0)]
    assert "q2 by q2_*; statements by their ids" in found.said


def test_columns_are_known_by_what_was_asked_there(tmp_path):
    """The exports of Qualtrics number the items of a matrix from 1; only their texts tell which they are."""
    ids = ",".join(f'"{{""ImportId"":""QID{n}""}}"' for n in range(3))
    asked = 'Response ID,"Do you agree? - Birds, all of them, fly.",Do you agree? - Käse ist gelb.'
    found = read(tmp_path, "ResponseId,Q1_1,Q1_2", asked, ids, "R_a,1,0")
    assert found.frame.rows() == [(3, "R_a", 1, None), (5, "R_a", 0, None)]
    assert "statements by the texts of their columns" in found.said
    two = f",Water is wet; always.,{TEXTS[3]} And: Käse"
    with pytest.raises(InputError, match="the column Q1_2 names no statement"):
        read(tmp_path, "ResponseId,Q1_1,Q1_2", two, ids, "R_a,1,0")


def test_patterns_name_columns(tmp_path):
    rows = ("person,S1_agree,S1_most,S2_agree", "ann,1,0,1")
    found = read(tmp_path, *rows, columns=["q1=*_agree", "q2=*_most"])
    assert found.frame.rows() == [(3, "ann", 1, 0), (5, "ann", 1, None)]
    rest = read(tmp_path, "person,S1,S1_most,age", "ann,1,0,30", columns=["q1=*", "q2=*_most"])
    assert (rest.frame.rows(), rest.dropped) == ([(3, "ann", 1, 0)], ("the column age",))


def test_a_long_table_stays_one(tmp_path):
    found = read(tmp_path, "statement_id,person,q1,q1_seconds", "3,a,1,2.5", "5,a,,1")
    assert found.frame.rows() == [(3, "a", 1, None)]
    assert found.dropped == ("the column q1_seconds", "rows without a rating (1)")


def test_statements_that_are_numbered_in_two_ways_are_asked_about(tmp_path):
    numbered = NUMBERED.with_columns(item=pl.int_range(1, 5))
    message = "name statements by their ids and by the column item of the statements, which differ"
    with pytest.raises(InputError, match=message):
        read(tmp_path, "person,q1_1,q1_2", "a,1,0", statements=numbered)
    # All four can only be meant by one of them.
    found = read(tmp_path, "person,q1_1,q1_2,q1_3,q1_4", "a,1,0,1,1", statements=numbered)
    assert found.frame["statement_id"].to_list() == [0, 1, 2, 3]


def test_numbers_of_columns_are_no_numbers_of_rows(tmp_path):
    rows = ("person,Q1_1,Q1_2", "a,1,0")
    with pytest.raises(InputError, match="may count the statements from 1, and these are counted from 0"):
        read(tmp_path, *rows, statements=NUMBERED)
    known = NUMBERED.with_columns(pl.col("statement_id") + 1)
    assert read(tmp_path, *rows, statements=known).frame["statement_id"].to_list() == [1, 2]


BOTH = "Q1_1,Q1_2,Q2_1,Q2_2"


@pytest.mark.parametrize(
    ("columns", "asked", "known", "fault"),
    [
        (BOTH, "Do? Dogs.,Do? Ice.,Most? Dogs.,Most? Ice.", NUMBERED, ""),
        ("Q1_1,Q2_1,Q3_1,Q4_1", "Dogs.,Fire.,Ice.,Fish.", NUMBERED, "only ones"),
        ("Q1_1,Q2_1,a,b", "Dogs.,Ice.,,", NUMBERED, "not of the same statements: 1"),
        ("Q1_1,Q1_2,Q2_1,Q2_3", "Dogs.,Ice.,Dogs.,Ice.", NUMBERED, "same statements: 2, 3"),
        # The file says that 1 is another statement than the one of that id.
        (BOTH, "Do? Cats.,Do? Rain.,Most? Cats.,Most? Rain.", NUMBERED, "and asks “Do"),
        (BOTH, "Do? - Dogs.,Do? - Ice.,Most? - Dogs.,Most? - Ice.", None, ""),
        (BOTH, "Do? - Dogs.,Do? - Ice.,Most? - Dogs.,Most? - Fire.", None, "same statements: 2"),
    ],
)
def test_questions_are_paired_by_what_the_file_proves(columns, asked, known, fault, tmp_path):
    ids = ",".join(['"{""ImportId"": ""QID1""}"'] * 5)
    rows = f"ResponseId,{columns}", f"Response ID,{asked}", ids, "R_1,1,0,1,0", "R_2,0,0,1,1"
    with pytest.raises(InputError, match=fault) if fault else nullcontext():
        found = read(tmp_path, *rows, statements=known).frame
        first, second = (1, 2) if known is None else (0, 3)
        assert found.rows()[:2] == [(first, "R_1", 1, 1), (second, "R_1", 0, 0)]
