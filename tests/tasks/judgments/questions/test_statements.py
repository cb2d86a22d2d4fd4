"""Statements from tables of any kind, in any language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.statements import majority_of, read_statements


def read(folder: Path, body: str) -> pl.DataFrame:
    path = folder / "s.csv"
    path.write_text(body, encoding="utf-8")
    return read_statements(path)


def test_without_ids_statements_are_numbered(tmp_path: Path) -> None:
    body = '\ufeffstatement\n"水は濡れている。"\nWasser ist nass.\n\n" Рыбы, говорят, немы. "\n'
    found = read(tmp_path, body)
    assert found.rows() == [(0, "水は濡れている。"), (1, "Wasser ist nass."), (2, "Рыбы, говорят, немы.")]
    assert found.schema == {"statement_id": pl.Int64, "statement": pl.String}


@pytest.mark.parametrize("header", ["statement_id", ""])
def test_ids_and_further_columns_are_kept(tmp_path: Path, header: str) -> None:
    rows = "A.,agree ,7,1,0.5,x\nB., disagree,2,,1,NA\nC.,divided,0,0,,  \nD.,\tagree,3,NA,,2 \n"
    found = read(tmp_path, f"statement, most ,{header},opinion,share,category\n{rows}")
    assert found["statement_id"].to_list() == [7, 2, 0, 3]
    assert found.columns == ["statement_id", "statement", "most", "opinion", "share", "category"]
    assert found["opinion"].equals(pl.Series("opinion", [1, None, 0, None], pl.Int64))
    assert found["share"].to_list() == [0.5, 1.0, None, None]
    assert found["category"].to_list() == ["x", "NA", None, "2"]  # NA is a missing number, and a category
    assert majority_of(found).rows() == [(7, 1), (2, 0), (3, 1)]
    path = tmp_path / "s.parquet"
    frame = pl.DataFrame({"statement": ["A.", "B."], "most": ["agree ", "disagree"]})
    frame.with_columns(pl.col("most").cast(pl.Categorical)).write_parquet(path)
    assert majority_of(read_statements(path)).rows() == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("text\nA.\n", r"s.csv: has no column statement.*\(expected a column statement\)"),
        ("statement\nA.\nB.\nA.\n", "line 4: statement A. again, first on line 2"),
        ("statement,Most\nA.,agree\n", r"s.csv: has a column Most; did you mean 'most'\?"),
        ("statement,most\nA.,surely\n", r"most is 'surely' \(expected agree, disagree or divided\)"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, body)


STATEMENTS = pl.DataFrame({"statement_id": range(12), "statement": [f"Statement {i}." for i in range(12)]})
ANSWERS = "model,question,p_yes,p_no,p_other"


@pytest.mark.parametrize(
    ("header", "row", "read"),
    [
        ("person,q1,q2", "a,1,1", lambda path: read_people([path], STATEMENTS)),
        ("a,b", "1,0", lambda path: read_people([path, path], STATEMENTS)),
        ("majority", "1", lambda path: read_majority(path, STATEMENTS)),
        (ANSWERS, "m,q1,1,0,0", lambda path: read_ratings(path, STATEMENTS)),
    ],
)
def test_ids_that_the_statements_lack_are_refused_in_every_table(
    tmp_path: Path, header: str, row: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"statement_id,{header}\n" + "".join(f"{i},{row}\n" for i in range(1, 13)))
    known = r"one of the statements, whose ids go from 0 to 11"
    with pytest.raises(InputError, match=rf"line 13: statement_id is '12' \(expected {known}\)"):
        read(path)
    raw = tmp_path / "results_raw_q1.jsonl"
    raw.write_text("".join(f'{{"id": {i}, "response": "Yes"}}\n' for i in (0, 12)))
    with pytest.raises(InputError, match=rf"statement 12 is unknown \(expected {known}"):
        read_ratings(tmp_path, STATEMENTS)


PAIRS = "expected one id for each text and one text for each id; on line"


@pytest.mark.parametrize(
    ("rows", "known", "expected"),
    [
        (["3, Statement 3. ,a", "4,Statement 4.,a"], STATEMENTS, [3, 4]),
        (
            ["3,Statement 3.,a", "4,Statement 3.,a"],
            STATEMENTS,
            "3: statement 4 is 'Statement 3\\.' .expected 'St",
        ),
        (["4,Sky.,a", "2,Sea.,a", "4,Sky.,b"], None, [4, 2, 4]),
        (["1,Sky.,a", "2,Sea.,a", "3, Sky. ,b"], None, f"4: .* 3 is 'Sky.' .{PAIRS} 2, statement 1 is 'Sky"),
        (
            ["1,Sky.,a", "2,Sea.,a", "", "2,Air.,b"],
            None,
            f"5: .* 2 is 'Air.' .{PAIRS} 3, statement 2 is 'Sea",
        ),
        (["1,,a"], None, "2: statement is empty .expected some text"),
    ],
)
def test_ids_and_texts_are_pairs(
    tmp_path: Path, rows: Sequence[str], known: pl.DataFrame | None, expected: list[int] | str
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        "".join(f"{row}\n" for row in [",statement,person,q1", *(row and f"{row},1" for row in rows)])
    )
    if isinstance(expected, list):
        assert read_people([path], known).frame["statement_id"].to_list() == expected
    else:
        with pytest.raises(InputError, match=f"line {expected}"):
            read_people([path], known)
