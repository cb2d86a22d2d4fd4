"""People's ratings from long and wide tables, what most of them say, and everything that may be wrong with them."""

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
STATEMENTS = pl.DataFrame({"statement_id": [0, 1], "statement": ["水は濡れている。", "Birds, all, fly."]})
Row = tuple[int, str, int | None, int | None]


def files(folder: Path, *bodies: str) -> list[Path]:
    """Write one table of ratings, or those of q1 and q2."""
    names = ["people.csv"] if len(bodies) == 1 else ["individual_ratings.csv", "group_ratings.csv"]
    paths = [folder / name for name in names]
    for path, body in zip(paths, bodies, strict=True):
        path.write_text(body, encoding="utf-8")
    return paths


def read(folder: Path, *bodies: str) -> list[Row]:
    found = read_people(files(folder, *bodies)).frame
    assert found.schema == {"statement_id": pl.Int64, "person": pl.String, "q1": pl.Int8, "q2": pl.Int8}
    return found.rows()


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([LONG + "3,ann,1,0\n0,bob,1.0,\n"], [(3, "ann", 1, 0), (0, "bob", 1, None)]),
        (["statement_id,participant,q1,q2\n0,a,1,1\n\n0,b,,\n,,,\n"], [(0, "a", 1, 1)]),
        ([LONG + "0,a,yes,False\n3,a,NA,NA\n4,a, TRUE ,NA\n"], [(0, "a", 1, 0), (4, "a", 1, None)]),
        # Two wide tables are matched by name, and people may bear the names of columns.
        ([",ann,row\n5,1.0,\n0,,1\n", ",row,ann\n0,1,\n5,,0.0\n"], [(0, "row", 1, 1), (5, "ann", 1, 0)]),
        ([",Person, Q1\n0,1,0\n"] * 2, [(0, "Person", 1, 1), (0, "Q1", 0, 0)]),
    ],
)
def test_tables_of_ratings(tmp_path, bodies, expected):
    assert read(tmp_path, *bodies) == expected
    if len(bodies) == 1:
        frame = read_people(files(tmp_path, *bodies)).frame
        frame.with_columns(pl.col("q1", "q2").cast(pl.Boolean)).write_parquet(tmp_path / "p.parquet")
        assert read_people([tmp_path / "p.parquet"]).frame.rows() == expected


def test_statements_may_be_given_as_texts(tmp_path):
    body = 'person,statement,q1,q2\na,水は濡れている。,1,1\na,"Birds, all, fly.",0,1\n'
    (path,) = files(tmp_path, body)
    assert read_people([path], STATEMENTS).frame.rows() == [(0, "a", 1, 1), (1, "a", 0, 1)]
    path.write_text('statement,majority\n"Birds, all, fly.",0\n')
    assert read_majority(path, STATEMENTS).rows() == [(1, 0)]


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.sampled_from("abc")),
        st.tuples(*[st.sampled_from(["", "0.0", "1.0"])] * 2).filter(any),
        min_size=1,
    )
)
def test_wide_and_long_tables_are_the_same(tmp_path, ratings):
    def table(question: int) -> str:
        rows = (f"{s}," + ",".join(ratings.get((s, p), ("", ""))[question] for p in "abc") for s in range(5))
        return "\n".join([",a,b,c", *rows])

    rows = [f"{s},{p},{q1},{q2}" for (s, p), (q1, q2) in sorted(ratings.items())]
    assert read(tmp_path, table(0), table(1)) == read(tmp_path, LONG + "\n".join(rows))


def test_wide_tables_are_two_in_their_order(tmp_path):
    one, other = files(tmp_path, ",a\n0,1\n", ",a\n0,1\n")
    with pytest.raises(InputError, match=r"group_ratings.csv: comes before individual_ratings.csv"):
        read_people([other, one])
    with pytest.raises(InputError, match=r"3 tables of people's ratings \(expected one long or two wide"):
        read_people([one] * 3)


@pytest.mark.parametrize(
    "body",
    [
        "statement_id,majority\n1,yes\n0,FALSE\n2,NA\n",
        ",statement,opinion,human_q1,M_q1\n1,Sky.,0,1.0,0\n0,Sea.,1,0,1\n2,Air.,1,,\n",
        "statement_id,share\n1,62.5%\n0,40%\n2,50%\n",
        "statement_id,share\n1,62.5\n0,40\n2,50\n",
        "statement_id,yes,no\n1,5,3\n0,2,3\n2,4,4\n",
        "statement_id,person,q1\n1,a,1\n1,b,1\n0,a,0\n0,b,0\n2,a,0\n2,b,1\n",
        "1_q1,0_q1,2_q1,weight\n1,0,0,3\n0,1,1,2\n,,1,1\n",  # rows without names are people
        "statement_id,person,q1,weight\n1,a,1,3\n1,b,0,2\n0,a,0,3\n0,b,1,2\n2,c,1,1\n2,d,0,1\n",
    ],
)
def test_majorities(tmp_path, body):
    found = read_majority(*files(tmp_path, body))
    assert found.rows() == [(1, 1), (0, 0)]
    assert found.schema == {"statement_id": pl.Int64, "majority": pl.Int8}


def test_a_scale_and_columns_of_other_names(tmp_path):
    (path,) = files(tmp_path, "who,item,said\na,0,5\nb,0,1\nc,0,3\na,1,4\n")
    reading = Reading.of(["yes=4-5", "no=1-2", "none=3"], ["person=who", "statement_id=item", "q1=said"])
    found = read_people([path], None, reading)
    assert found.frame.rows() == [(0, "a", 1, None), (0, "b", 0, None), (1, "a", 1, None)]
    path.write_text("who,person,statement_id,q1\na,x,0,1\n")
    with pytest.raises(InputError, match="has a column person beside the one that --columns names"):
        read_people([path], None, Reading.of([], ["person=who"]))


def test_trials_of_a_survey_count_for_nothing(tmp_path):
    body = "ResponseId,Status,Finished,0_q1,1_q1\nR1,IP Address,True,1,0\nR2,Survey Preview,True,1,1\nR3,0,False,1,\n"
    found = read_people(files(tmp_path, body))
    assert found.frame.rows() == [(0, "R1", 1, None), (1, "R1", 0, None)]
    assert found.dropped[0] == "trials and unfinished answers (2 rows)"
