"""Statements from tables of any kind, in any language."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    found = read(tmp_path, f"statement,{header},opinion,share,category\nA.,7,1,0.5,x\nB.,2,,1,2\nC.,0,0,,\n")
    assert found["statement_id"].to_list() == [7, 2, 0]
    assert found.columns == ["statement_id", "statement", "opinion", "share", "category"]
    assert found["opinion"].to_list() == [1, None, 0]
    assert found["opinion"].dtype == pl.Int64
    assert found["share"].to_list() == [0.5, 1.0, None]
    assert found["category"].to_list() == ["x", "2", None]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("text\nA.\n", r"s.csv: has no column statement.*\(expected a column statement\)"),
        ("statement,x\nA.,1\n ,2\n", r"line 3: statement is ' ' \(expected some text\)"),
        ("statement\nA.\nB.\nA.\n", "line 4: statement A. again, first on line 2"),
        ("statement_id,statement\n1,A.\n1,B.\n", "line 3: statement_id 1 again, first on line 2"),
        ("statement_id,statement\n,A.\n", "line 2: statement_id is empty"),
        ("statement,Most\nA.,agree\n", r"s.csv: has a column Most; did you mean 'most'\?"),
        ("statement,most\nA.,surely\n", r"most is 'surely' \(expected agree, disagree or divided\)"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, body)


def test_na_is_a_missing_number_but_a_category(tmp_path: Path) -> None:
    found = read(tmp_path, "statement,fact,topic\nA.,1,NA\nB.,NA,food\nC.,0,food\n")
    assert found["fact"].to_list() == [1, None, 0]
    assert found["topic"].to_list() == ["NA", "food", "food"]


def test_white_space_around_values_does_not_count(tmp_path: Path) -> None:
    body = "statement, most ,topic\nA.,agree ,a\nB., disagree,a \nC.,divided,  \nD.,\tagree, NA \n"
    found = read(tmp_path, body)
    assert majority_of(found).rows() == [(0, 1), (1, 0), (3, 1)]
    assert found["topic"].to_list() == ["a", "a", None, "NA"]
    path = tmp_path / "s.parquet"
    frame = pl.DataFrame({"statement": ["A.", "B."], "most": ["agree ", "disagree"]})
    frame.with_columns(pl.col("most").cast(pl.Categorical)).write_parquet(path)
    assert majority_of(read_statements(path)).rows() == [(0, 1), (1, 0)]


STATEMENTS = pl.DataFrame({"statement_id": range(12), "statement": [f"Statement {i}." for i in range(12)]})
SHIFTED = r"statement_id is '12' \(expected one of the statements, whose ids go from 0 to 11\)"


@pytest.mark.parametrize(
    ("header", "row", "read"),
    [
        ("statement_id,person,q1,q2", "a,1,1", lambda path: read_people([path], STATEMENTS)),
        ("statement_id,a,b", "1,0", lambda path: read_people([path, path], STATEMENTS)),
        ("statement_id,majority", "1", lambda path: read_majority(path, STATEMENTS)),
        (
            "statement_id,model,question,p_yes,p_no,p_other",
            "m,q1,1,0,0",
            lambda p: read_ratings(p, STATEMENTS),
        ),
    ],
)
def test_ids_that_the_statements_lack_are_refused_in_every_table(
    tmp_path: Path, header: str, row: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"{header}\n" + "".join(f"{i},{row}\n" for i in range(1, 13)))
    with pytest.raises(InputError, match=rf"line 13: {SHIFTED}"):
        read(path)


def test_ids_that_the_statements_lack_are_refused_in_raw_results(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    lines = [json.dumps({"id": i, "response": "Yes"}) for i in (0, 12)]
    (folder / "results_raw_q1.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"m: statement 12 is unknown \(expected one of the statements"):
        read_ratings(folder, STATEMENTS)
    assert read_ratings(folder).frame.height == 2


def test_texts_beside_ids_must_be_those_of_the_statements(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 3.,a,1,1\n")
    message = r"line 3: statement 4 is 'Statement 3\.' \(expected 'Statement 4\.', as among the statements\)"
    with pytest.raises(InputError, match=message):
        read_people([path], STATEMENTS)
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 4.,a,1,1\n")
    assert read_people([path], STATEMENTS).frame["statement_id"].to_list() == [3, 4]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "1,Sky.,a,1,1\n2,Sea.,a,1,1\n3, Sky. ,b,1,1\n",
            r"line 4: by the column without a name, statement 3 is 'Sky\.' \(expected one id for each text and "
            r"one text for each id; on line 2, statement 1 is 'Sky\.'\)",
        ),
        (
            "1,Sky.,a,1,1\n2,Sea.,a,1,1\n\n2,Air.,b,1,1\n",
            r"line 5: .* statement 2 is 'Air\.' .* on line 3, statement 2 is 'Sea\.'\)",
        ),
        ("1,,a,1,1\n", r"line 2: statement is empty \(expected some text\)"),
    ],
)
def test_without_the_statements_ids_and_texts_are_pairs(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(",statement,person,q1,q2\n" + rows)
    with pytest.raises(InputError, match=message):
        read_people([path])
    path.write_text(",statement,person,q1,q2\n4,Sky.,a,1,1\n2,Sea.,a,1,1\n4,Sky.,b,1,1\n")
    assert read_people([path]).frame["statement_id"].to_list() == [4, 2, 4]
