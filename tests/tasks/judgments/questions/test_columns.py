"""The statement that a row is about: it must be one of the statements, and the same one by its text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.questions.ratings import read_ratings

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
    assert read_ratings(folder).height == 2


def test_texts_beside_ids_must_be_those_of_the_statements(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 3.,a,1,1\n")
    message = r"line 3: statement 4 is 'Statement 3\.' \(expected 'Statement 4\.', as among the statements\)"
    with pytest.raises(InputError, match=message):
        read_people([path], STATEMENTS)
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 4.,a,1,1\n")
    assert read_people([path], STATEMENTS)["statement_id"].to_list() == [3, 4]


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
        ("1,NA,a,1,1\n", r"line 2: statement is 'NA' \(expected some text\)"),
    ],
)
def test_without_the_statements_ids_and_texts_are_pairs(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(",statement,person,q1,q2\n" + rows)
    with pytest.raises(InputError, match=message):
        read_people([path])
    path.write_text(",statement,person,q1,q2\n4,Sky.,a,1,1\n2,Sea.,a,1,1\n4,Sky.,b,1,1\n")
    assert read_people([path])["statement_id"].to_list() == [4, 2, 4]
