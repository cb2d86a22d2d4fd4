"""People's ratings from long and wide tables, and everything that may be wrong with them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.questions.yes_no import Reading

LONG = "statement_id,person,q1,q2\n"
STATEMENTS = pl.DataFrame(
    {"statement_id": [0, 1], "statement": ["水は濡れている。", "Birds, all of them, fly."]}
)
A_RATING = (
    r"\(expected 0 or 1 \(no or yes, false or true\), or nothing; --labels yes=TEXT,no=TEXT names others"
)
Row = tuple[int, str, int | None, int | None]


def file_with(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return path


def read(folder: Path, body: str) -> list[Row]:
    return read_people([file_with(folder, "people.csv", body)]).frame.rows()


def wide(folder: Path, q1: str, q2: str) -> list[Row]:
    files = [
        file_with(folder, f"{name}_ratings.csv", body) for name, body in (("individual", q1), ("group", q2))
    ]
    return read_people(files).frame.rows()


def test_a_long_table(tmp_path: Path) -> None:
    found = read_people([file_with(tmp_path, "p.csv", LONG + "3,ann,1,0\n0,bob,1.0,\n3,bob,,0.0\n")]).frame
    assert found.schema == {"statement_id": pl.Int64, "person": pl.String, "q1": pl.Int8, "q2": pl.Int8}
    assert found.rows() == [(3, "ann", 1, 0), (0, "bob", 1, None), (3, "bob", None, 0)]


def test_rows_without_a_rating_are_left_out(tmp_path: Path) -> None:
    long = LONG.replace("person", "participant")
    assert read(tmp_path, long + "0,a,1,1\n\n0,b,,\n,,,\n1,b,0,1\n") == [(0, "a", 1, 1), (1, "b", 0, 1)]


def test_statements_may_be_given_as_texts(tmp_path: Path) -> None:
    body = 'person,statement,q1,q2\na,水は濡れている。,1,1\na,"Birds, all of them, fly.",0,1\n'
    path = file_with(tmp_path, "p.csv", body)
    assert read_people([path], STATEMENTS).frame.rows() == [(0, "a", 1, 1), (1, "a", 0, 1)]
    with pytest.raises(InputError, match=r"line 2: the statements are texts .*a column statement_id"):
        read_people([path])
    file_with(tmp_path, "p.csv", body + "b,Birds fly.,1,1\n")
    with pytest.raises(InputError, match=r"line 4: statement is 'Birds fly.' \(expected one of the"):
        read_people([path], STATEMENTS)


def test_wide_tables_are_matched_by_name(tmp_path: Path) -> None:
    found = wide(tmp_path, ",ann,row,cy\n5,1.0,,0\n0,,1,\n", ",cy,ann,row\n0,,0,1\n5,1.0,,\n")
    assert found == [(0, "ann", None, 0), (0, "row", 1, 1), (5, "ann", 1, None), (5, "cy", 0, 1)]


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.sampled_from("abc")),
        st.tuples(*[st.sampled_from([None, 0, 1])] * 2).filter(lambda pair: pair != (None, None)),
        min_size=1,
    )
)
def test_wide_and_long_tables_are_the_same(
    tmp_path: Path, ratings: dict[tuple[int, str], tuple[int | None, int | None]]
) -> None:
    def cell(statement: int, person: str, question: int) -> str:
        value = ratings.get((statement, person), (None, None))[question]
        return "" if value is None else f"{value}.0"

    def table(question: int) -> str:
        rows = (f"{s}," + ",".join(cell(s, p, question) for p in "abc") for s in range(5))
        return "\n".join([",a,b,c", *rows])

    rows = [f"{s},{p},{cell(s, p, 0)},{cell(s, p, 1)}" for s, p in sorted(ratings)]
    assert wide(tmp_path, table(0), table(1)) == read(tmp_path, LONG + "\n".join(rows))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "is empty"),
        (LONG, "holds no rows"),
        (LONG + "0,a,,\n", "holds no rating"),
        (LONG + "0,a,1,1\n0,b,2,1\n", rf"people.csv, line 3: q1 is '2' {A_RATING}"),
        (LONG + "0,a,1,1\n0,b,1,maybe\n", "line 3: q2 is 'maybe'"),
        (LONG + "0,a,1,1\n0,,1,1\n", r"line 3: person is empty \(expected a name\)"),
        (LONG.replace("q2", "Q2") + "0,a,1,1\n", r"a column Q2; did you mean 'q2'\?"),
        (LONG + "-1,a,1,1\n", r"line 2: statement_id is '-1' \(expected a whole number from 0\)"),
        (LONG + "0,a,1,1\n\n0,b,1,1\n0,a,0,0\n", "line 5: statement_id 0, person a again, first on line 2"),
        ("statement_id,persn,q1,q2\n0,a,1,1\n", "no column person; did you mean 'persn'"),
        ("statement_id,person,answer\n0,a,1\n", r"has no column q1 \(expected .*\(or one of both\)"),
        ("person,q1,q2\na,1,1\n", "has no column statement_id"),
    ],
)
def test_what_is_wrong_with_a_long_table_is_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, body)


@pytest.mark.parametrize(
    ("q1", "q2", "message"),
    [
        ("a,,b\n1,0,1\n", ",a,b\n0,1,1\n", r"individual_ratings.csv, line 1: the first column is 'a'"),
        (",a,b\n0,1,2\n", ",a,b\n0,1,1\n", rf"line 2: the rating of person 'b' is '2' {A_RATING}"),
        (",a,b\n0,1,1\n1,x,5\n", ",a,b\n0,1,1\n1,,\n", "line 3: the rating of person 'a' is 'x'"),
        (",a,b\n0,1,1\n", ",a,c\n0,1,1\n", r"line 1: person 'b' is unknown \(expected the people of group_"),
        (",a\n0,1\n", ",a,c\n0,1,1\n", r"group_ratings.csv, line 1: person 'c' is unknown"),
        (
            ",a\n0,1\n3,1\n",
            ",a\n0,1\n",
            r"individual_ratings.csv, line 3: .* is '3' \(expected the statements of group_",
        ),
        (",a\n0,1\n", ",a\n0,1\n4,1\n", r"group_ratings.csv, line 3: the column without a name is '4'"),
        (",a\n0,1\n0,1\n", ",a\n0,1\n", "line 3: statement_id 0 again, first on line 2"),
        (",a\nx,1\n", ",a\n0,1\n", "line 2: the column without a name is 'x'"),
        ("statement_id,a, \n0,1,1\n", ",a\n0,1\n", "line 1: a column without a person's name"),
        ("Statement_ID,a\n0,1\n", ",a\n0,1\n", "has a column Statement_ID; did you mean 'statement_id'"),
        (",a\n0,\n", ",a\n0,\n", "holds no rating"),
    ],
)
def test_what_is_wrong_with_wide_tables_is_named(tmp_path: Path, q1: str, q2: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wide(tmp_path, q1, q2)


def test_wide_tables_the_wrong_way_round(tmp_path: Path) -> None:
    files = [file_with(tmp_path, f"{name}_ratings.csv", ",a\n0,1\n") for name in ("group", "individual")]
    with pytest.raises(InputError, match=r"group_ratings.csv: comes before individual_ratings.csv"):
        read_people(files)


def test_three_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"3 tables of people's ratings \(expected one long or two wide"):
        read_people([file_with(tmp_path, "p.csv", LONG + "0,a,1,1\n")] * 3)


@pytest.mark.parametrize(
    "body",
    [
        "statement_id,majority\n1,1\n0,0\n2,\n",
        ",statement,opinion,human_q1,M_q1\n1,Sky.,0,1.0,0\n0,Sea.,1,0,1\n2,Air.,1,,\n",
        "statement_id,share\n1,62.5%\n0,40%\n2,50%\n",
        "statement_id,share\n1,62.5\n0,40\n2,50\n",
        "statement_id,yes,no\n1,5,3\n0,2,3\n2,4,4\n",
        "statement_id,person,q1\n1,a,1\n1,b,1\n0,a,0\n0,b,0\n2,a,0\n2,b,1\n",
        "statement_id,person,q1,weight\n1,a,1,3\n1,b,0,2\n0,a,0,3\n0,b,1,2\n2,c,1,1\n2,d,0,1\n",
    ],
)
def test_majorities(tmp_path: Path, body: str) -> None:
    found = read_majority(file_with(tmp_path, "m.csv", body))
    assert found.rows() == [(1, 1), (0, 0)]
    assert found.schema == {"statement_id": pl.Int64, "majority": pl.Int8}


def test_majorities_by_text(tmp_path: Path) -> None:
    path = file_with(tmp_path, "m.csv", 'statement,majority\n"Birds, all of them, fly.",0\n')
    assert read_majority(path, STATEMENTS).rows() == [(1, 0)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("statement_id,majority\n0,0.6\n", rf"m.csv, line 2: majority is '0.6' {A_RATING}"),
        ("statement_id,majority\n0,1\n0,1\n", "line 3: statement_id 0 again, first on line 2"),
        ("statement_id,majority\n0,\n", "holds no majority"),
        ("statement_id,most\n0,1\n", "has no column majority"),
        ("statement_id,share\n0,101\n", "line 2: share is '101'"),
        ("statement_id,person,q1,weight\n0,a,1,2\n1,a,1,3\n", "person a has several weights"),
        ("statement_id,person,q1,weight\n0,a,1,-2\n", "line 2: weight is '-2'"),
        ("majority\n1\n", "has no column statement_id"),
        ("statement_id,majority,Human_Q1\n0,1,1\n", "has a column Human_Q1; did you mean 'human_q1'"),
    ],
)
def test_what_is_wrong_with_majorities_is_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_majority(file_with(tmp_path, "m.csv", body))


def test_ratings_in_words_and_missing_ones_of_r(tmp_path: Path) -> None:
    rows = "0,a,yes,No\n1,a,TRUE,false\n2,a,NA,1\n3,a,NA,NA\n4,a, Yes ,NA\n"
    found = [(0, "a", 1, 0), (1, "a", 1, 0), (2, "a", None, 1), (4, "a", 1, None)]
    assert read(tmp_path, LONG + rows) == found
    pl.DataFrame({"statement_id": [0], "person": ["a"], "q1": [True], "q2": [False]}).write_parquet(
        tmp_path / "p.parquet"
    )
    assert read_people([tmp_path / "p.parquet"]).frame.rows() == [(0, "a", 1, 0)]
    path = file_with(tmp_path, "m.csv", "statement_id,majority\n0,yes\n1,NA\n2,FALSE\n")
    assert read_majority(path).rows() == [(0, 1), (2, 0)]


def test_people_of_wide_tables_may_bear_the_names_of_columns(tmp_path: Path) -> None:
    table = ",Person, Q1,N \n0,1,0,1\n"
    assert [row[1] for row in wide(tmp_path, table, table)] == ["N", "Person", "Q1"]


def test_a_scale_and_columns_of_other_names(tmp_path: Path) -> None:
    path = file_with(tmp_path, "p.csv", "who,item,said\na,0,5\nb,0,1\nc,0,3\na,1,4\n")
    reading = Reading.of(["yes=4-5", "no=1-2", "none=3"], ["person=who", "statement_id=item", "q1=said"])
    found = read_people([path], None, reading)
    assert found.frame.rows() == [(0, "a", 1, None), (0, "b", 0, None), (1, "a", 1, None)]
    assert "answers that --labels calls none (1)" in found.dropped
    path = file_with(tmp_path, "p.csv", "who,person,statement_id,q1\na,x,0,1\n")
    with pytest.raises(InputError, match="has a column person beside the one that --columns names"):
        read_people([path], None, Reading.of([], ["person=who"]))


def test_trials_of_a_survey_count_for_nothing(tmp_path: Path) -> None:
    body = "ResponseId,Status,Finished,0_q1,1_q1\nR1,IP Address,True,1,0\nR2,Survey Preview,True,1,1\nR3,0,False,1,\n"
    found = read_people([file_with(tmp_path, "p.csv", body)])
    assert found.frame.rows() == [(0, "R1", 1, None), (1, "R1", 0, None)]
    assert found.dropped[0] == "trials and unfinished answers (2 rows)"
