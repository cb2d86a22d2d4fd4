"""Models' answers as tables."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.raw import SCHEMA

HEADER = "model,statement_id,question,p_yes,p_no,p_other"


def file_with(folder: Path, body: str, name: str = "r.csv") -> Path:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return path


def test_a_table(tmp_path: Path) -> None:
    rows = "m,3,q1,.5,.25,.25,.7,20,.3\nm,3,q3,,,,,,\nm é,0,q2,1,-1e-9,0,,,\n"
    found = read_ratings(file_with(tmp_path, f"{HEADER},high_yes,n,low_yes\n{rows}")).frame
    assert found.schema == SCHEMA
    assert found.rows() == [
        ("m", 3, "q1", 0.5, 0.25, 0.25, 20, 0.3, 0.7),
        ("m", 3, "q3", *[None] * 6),
        ("m é", 0, "q2", 1.0, 0.0, 0.0, *[None] * 3),
    ]


def test_nan_is_no_data(tmp_path: Path) -> None:
    frame = pl.DataFrame([("a", 0, "q1", *[math.nan] * 3)], schema=HEADER.split(","), orient="row")
    frame.write_parquet(tmp_path / "r.parquet")
    assert read_ratings(tmp_path / "r.parquet").frame.row(0)[3:] == (None,) * 6


def test_a_wide_table_is_the_long_one_and_tells_how_it_was_read(tmp_path: Path) -> None:
    header = ",statement,topic,human_q1,A 1.0_q1,b_c_q1,A 1.0_q2"
    wide = file_with(tmp_path, f"{header}\n7,Fish fly.,air,0,1,,no\n2,Wood sinks.,water,1,0,Yes,1\n")
    rows = (
        "A 1.0,7,q1,1,0,0\nA 1.0,2,q1,0,1,0\nb_c,7,q1,,,\nb_c,2,q1,1,0,0\nA 1.0,7,q2,0,1,0\nA 1.0,2,q2,1,0,0"
    )
    long = file_with(tmp_path, f"{HEADER}\n{rows}\n", "long.csv")
    found = read_ratings(wide)
    assert found.frame.equals(read_ratings(long).frame)
    counts = "each yes or no counts as certain (CSV separated by commas)"
    assert found.said == f"a wide table of 2 models, of which {counts}"
    assert found.dropped == ("the columns topic, human_q1",)
    assert read_ratings(long).usual


def test_statements_may_be_given_as_texts(tmp_path: Path) -> None:
    path = file_with(tmp_path, "model,statement,question,p_yes,p_no,p_other\nm,Agua.,q1,1,0,0\n")
    statements = pl.DataFrame({"statement_id": [9], "statement": ["Agua."]})
    assert read_ratings(path, statements).frame["statement_id"].to_list() == [9]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{HEADER[:-8]}\nm,0,q1,1,0\n", r"no column p_other.*\(expected the columns"),
        (f"{HEADER}\nm,0,q4,1,0,0\n", r"line 2: question is 'q4' \(expected one of q1, q2, q3\)"),
        (f"{HEADER}\nm,0,q1,1.5,0,-.5\n", r"line 2: p_yes is '1.5' \(expected a probability"),
        (f"{HEADER}\nm,0,q1,.5,.1,.1\n", r"line 2: p_yes 0.5, p_no 0.1, p_other 0.1 \(expected three"),
        (f"{HEADER}\nm,0,q1,.5,,\n", r"line 2: p_yes 0.5, p_no None, p_other None"),
        (f"{HEADER}\nm,0,q1,1,0,0\nm,1,q1,1,0,0\nm,0,q1,1,0,0\n", "line 4: .* again, first on line 2"),
        ("statement_id,m_q1\n0,1\n1,0.7\n", r"line 3: m_q1 is '0.7' \(expected 0 or 1"),
        ("statement_id,m_q1\n0,1\n0,1\n", "line 3: statement_id 0 again, first on line 2"),
        ("statement_id,human_q1\n0,1\n", "has no column model"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_ratings(file_with(tmp_path, body))
