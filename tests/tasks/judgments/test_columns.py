"""The statement that a row is about: it must be one of the statements, and the same one by its text."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from probsense.errors import InputError
from probsense.tasks.judgments.people import read_majority, read_people
from probsense.tasks.judgments.ratings import read_ratings

STATEMENTS = pl.DataFrame({"statement_id": range(12), "statement": [f"Statement {i}." for i in range(12)]})
SHIFTED = r"statement_id is '12' \(expected one of the statements, whose ids go from 0 to 11\)"


def test_ids_that_the_statements_lack_are_refused_in_every_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    ids = range(1, 13)
    path.write_text("statement_id,person,q1,q2\n" + "".join(f"{i},a,1,1\n" for i in ids))
    with pytest.raises(InputError, match=rf"line 13: {SHIFTED}"):
        read_people([path], STATEMENTS)
    path.write_text("statement_id,a,b\n" + "".join(f"{i},1,0\n" for i in ids))
    with pytest.raises(InputError, match=SHIFTED):
        read_people([path, path], STATEMENTS)
    path.write_text("statement_id,majority\n" + "".join(f"{i},1\n" for i in ids))
    with pytest.raises(InputError, match=SHIFTED):
        read_majority(path, STATEMENTS)
    path.write_text(
        "model,statement_id,question,p_yes,p_no,p_other\n" + "".join(f"m,{i},q1,1,0,0\n" for i in ids)
    )
    with pytest.raises(InputError, match=SHIFTED):
        read_ratings(path, STATEMENTS)


def test_ids_that_the_statements_lack_are_refused_in_raw_results(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    lines = [json.dumps({"id": i, "response": "Yes"}) for i in (0, 12)]
    (folder / "results_raw_q1.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(
        InputError, match=r"m: statement 12 is unknown \(expected one of the statements, whose"
    ):
        read_ratings(folder, STATEMENTS)
    assert read_ratings(folder).height == 2


def test_texts_beside_ids_must_be_those_of_the_statements(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 3.,a,1,1\n")
    message = r"line 3: statement 4 is 'Statement 3\.' \(expected 'Statement 4\.', as among the statements\)"
    with pytest.raises(InputError, match=message):
        read_people([path], STATEMENTS)
    assert read_people([path]).height == 2
    path.write_text("statement_id,statement,person,q1,q2\n3, Statement 3. ,a,1,1\n4,Statement 4.,a,1,1\n")
    assert read_people([path], STATEMENTS)["statement_id"].to_list() == [3, 4]
