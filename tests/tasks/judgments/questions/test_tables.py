"""Tables of statements and of models' answers; and of what cannot be read in any table, one line says what is wrong."""

from __future__ import annotations

import math
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.core.files.tables import read_table
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.raw import SCHEMA
from probsense.tasks.judgments.questions.statements import majority_of, read_statements
from probsense.tasks.judgments.questions.yes_no import Reading, ratings_of
from probsense.tasks.judgments.recorded import read_sizes

KNOWN = pl.DataFrame({"statement_id": [3, 5], "statement": ["Fish fly.", "Sky."], "code": ["S1", "S2"]})
READERS = {
    "people": lambda *paths: read_people(paths),
    "known": lambda *paths, columns=(): read_people(paths, KNOWN, Reading.of((), columns)),
    "majority": read_majority,
    "ratings": read_ratings,
    "known ratings": lambda path: read_ratings(path, KNOWN),
    "sizes": read_sizes,
    "statements": read_statements,
}
LONG = "statement_id,person,q1,q2"
TEXTS = ",statement,person,q1"
MASSES = "model,statement_id,question,p_yes,p_no,p_other"
RATING = "(expected 0 or 1 (no or yes, false or true), or nothing; --labels yes=TEXT,no=TEXT names"
LACKED = "statement_id is '4' (expected one of the statements, whose ids go from 3 to 5)"
PAIRS = "(expected one id for each text and one text for each id, as in the rows above)"


# The reader, lines that "|" separates, and a second table after "||".
@pytest.mark.parametrize(
    ("reader", "table", "message"),
    [
        ("people", f"{LONG}|0,a,,", "holds no rating"),
        ("people", f"{LONG}|0,a,1,1|0,b,2,1", f", line 3: q1 is '2' {RATING}"),
        ("people", "statement_id,person,q1,Q2|0,a,1,1", "has a column Q2; did you mean 'q2'?"),
        ("people", f"{LONG}|0,a,1,1|0,b,1,1|0,a,0,0", "line 4: statement_id 0, person a again"),
        ("people", "statement_id,person,answer|0,a,1", "has no column q1 (expected the columns"),
        ("people", "a,,b|1,0,1||,a,b|0,1,1", "line 1: the first column is 'a'"),
        ("people", ",a,b|0,1,2||,a,b|0,1,1", f"line 2: the rating of person 'b' is '2' {RATING}"),
        ("people", ",a,b|0,1,1||,a,c|0,1,1", "line 1: person 'b' is unknown (expected the people of 1.csv"),
        ("people", ",a|0,1|3,1||,a|0,1", "name is '3' (expected the statements of 1.csv"),
        ("people", "statement_id,a, |0,1,1||,a|0,1", "line 1: a column without a person's name"),
        ("people", f"{TEXTS}|1,Sky.,a,1|3, Sky. ,b,1", f"name is '3' {PAIRS}"),
        ("people", "statement,person,q1|Sky.,a,1", "line 2: the statements are texts (expected a column"),
        ("known", "statement,person,q1|Air.,a,1", "line 2: statement is 'Air.' (expected one of the statem"),
        ("people", f"{TEXTS}|1,Sky.,a,1|1,Air.,b,1", f"line 3: statement is 'Air.' {PAIRS}"),
        ("people", "person,Fish fly._q1|a,1", "(expected the table of the statements, with --data)"),
        ("known", f"{LONG}|3,a,1,1|4,a,1,1", f"line 3: {LACKED}"),
        (
            "known",
            f"{TEXTS}|3,Fish fly.,a,1|5,Fish fly.,a,1",
            "statement is 'Fish fly.' (expected the text that",
        ),
        ("known", "person,S1,S2|a,1,0", "has no column q1 (expected the columns"),
        ("known q1=*", "statement_id,a|3,1||statement_id,a|3,1", "--columns with two tables"),
        ("known", "person,q1_S1,S1_q2|a,1,0", "such as q1_S1 and S1_q2 tell q1 and q2 in several ways"),
        ("known", "person,q1_q2|a,1", "(expected --columns q1=q1_*,q2=q2_* or --columns q1=*_q1,q2"),
        ("known", "person,q1_S9|a,1", "line 1: the column q1_S9 names no statement"),
        ("known", "person,S1_q1|a,1|b,0|a,1", "line 4: person a again, first on line 2"),
        ("known q1=x* q2=xy*", "person,xS1,xyS1|a,1,0", "the column xyS1 is of q1 and q2 by --columns"),
        ("known q1=*_agree", "person,S1_q1|a,1", "has no column *_agree for q1"),
        ("known q1=q1_*", "person,q1_S1,q1_ S1|a,1,0", "q1_S1 and q1_ S1 are one statement and question"),
        ("known", "statement_id,person,q1,weight|3,a,1,0.5", "would not count (expected a table without it"),
        ("majority", "statement_id,majority|0,0.6", f"line 2: majority is '0.6' {RATING}"),
        ("majority", "statement_id,majority|0,", "holds no majority"),
        ("majority", "statement_id,most|0,1", "has no column majority"),
        ("majority", "statement_id,share|0,101", "line 2: share is '101'"),
        ("majority", "statement_id,person,q1,weight|0,a,1,2|1,a,1,3", "person a has several weights"),
        ("majority", "statement_id,person,q1,weight|0,a,1,-2", "line 2: weight is '-2'"),
        ("majority", "statement_id,majority,Human_Q1|0,1,1", "a column Human_Q1; did you mean 'human_q1'"),
        ("ratings", "model,statement_id,question,p_yes,p_no|m,0,q1,1,0", "has no column p_other"),
        ("ratings", f"{MASSES}|m,0,q4,1,0,0", "line 2: question is 'q4' (expected one of q1, q2, q3)"),
        ("ratings", f"{MASSES}|m,0,q1,1.5,0,-.5", "line 2: p_yes is '1.5' (expected a probability"),
        ("ratings", f"{MASSES}|m,0,q1,.5,.1,.1", "line 2: p_yes 0.5, p_no 0.1, p_other 0.1 (expected three"),
        ("ratings", f"{MASSES}|m,0,q1,.5,,", "line 2: p_yes 0.5, p_no None, p_other None"),
        ("ratings", "statement_id,m_q1|0,1|1,0.7", "line 3: m_q1 is '0.7' (expected 0 or 1"),
        ("ratings", "statement_id,human_q1|0,1", "has no column model"),
        ("sizes", "model,parameters,family|a,0,x", "line 2: parameters is '0' (expected a number above 0)"),
        ("statements", "text|A.", "has no column statement (expected a column statement)"),
        ("statements", "statement|A.|B.|A.", "line 4: statement A. again, first on line 2"),
        ("statements", "statement,Most|A.,agree", "has a column Most; did you mean 'most'?"),
        ("statements", "statement,most|A.,surely", "most is 'surely' (expected agree, disagree or divided)"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, reader, table, message):
    paths = []
    for place, body in enumerate(table.split("||")):
        paths.append(tmp_path / f"{place}.csv")
        paths[-1].write_text(body.replace("|", "\n") + "\n")
    name, _, columns = reader.partition(" q")
    given = {"columns": f"q{columns}".split()} if columns else {}
    with pytest.raises(InputError) as error:
        READERS[name](*paths, **given)
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path)) or "--columns with" in message
    assert "\n" not in str(error.value)


def read(reader: str, folder: Path, table: str) -> Any:
    path = folder / "table.csv"
    path.write_text(table.replace("|", "\n") + "\n", encoding="utf-8")
    return READERS[reader](path)


def test_without_ids_statements_are_numbered(tmp_path):
    found = read("statements", tmp_path, '\ufeffstatement|"水は濡れている。"||" Рыбы, говорят, немы. "')
    assert found.rows() == [(0, "水は濡れている。"), (1, "Рыбы, говорят, немы.")]
    assert found.schema == {"statement_id": pl.Int64, "statement": pl.String}


def test_ids_and_further_columns_are_kept(tmp_path):
    rows = "A.,agree ,7,1,0.5,x|B., disagree,2,,1,NA|C.,divided,0,0,,  |D.,\tagree,3,NA,,2 "
    found = read("statements", tmp_path, f"statement, most ,,opinion,share,category|{rows}")
    assert found["statement_id"].to_list() == [7, 2, 0, 3]
    assert found.columns == ["statement_id", "statement", "most", "opinion", "share", "category"]
    assert found["opinion"].equals(pl.Series("opinion", [1, None, 0, None], pl.Int64))
    assert found["share"].to_list() == [0.5, 1.0, None, None]
    assert found["category"].to_list() == ["x", "NA", None, "2"]  # NA is a missing number, and a category
    assert majority_of(found).rows() == [(7, 1), (2, 0), (3, 1)]
    path = tmp_path / "s.parquet"
    found.with_columns(pl.col("most").cast(pl.Categorical)).write_parquet(path)
    assert majority_of(read_statements(path)).rows() == [(7, 1), (2, 0), (3, 1)]


def test_ids_may_stand_beside_their_texts_and_texts_alone(tmp_path):
    for reader in ("known", "people"):
        found = read(reader, tmp_path, f"{TEXTS}|5, Sky. ,a,1|3,Fish fly.,a,1|5,Sky.,b,1")
        assert found.frame["statement_id"].to_list() == [5, 3, 5]
    found = read("known ratings", tmp_path, f"{MASSES.replace('_id', '')}|m,Sky.,q1,1,0,0")
    assert found.frame["statement_id"].to_list() == [5]


def test_answers_of_models(tmp_path):
    rows = "m,3,q1,.5,.25,.25,20|m,3,q3,,,,|m é,0,q2,1,-1e-9,0,"
    found = read("ratings", tmp_path, f"{MASSES},n|{rows}").frame
    assert found.schema == SCHEMA
    assert found.rows() == [
        ("m", 3, "q1", 0.5, 0.25, 0.25),
        ("m", 3, "q3", None, None, None),
        ("m é", 0, "q2", 1.0, 0.0, 0.0),
    ]
    path = tmp_path / "r.parquet"  # NaN is no data
    found.with_columns(pl.col("p_yes", "p_no", "p_other").fill_null(math.nan)).write_parquet(path)
    assert read_ratings(path).frame.equals(found)


def test_a_wide_table_is_the_long_one_and_tells_how_it_was_read(tmp_path):
    header = ",statement,topic,human_q1,A 1.0_q1,b_c_q1,A 1.0_q2"
    wide = read("ratings", tmp_path, f"{header}|7,Fish fly.,air,0,1,,no|2,Wood sinks.,water,1,0,Yes,1")
    rows = "A 1.0,7,q1,1,0,0|A 1.0,2,q1,0,1,0|b_c,7,q1,,,|b_c,2,q1,1,0,0|A 1.0,7,q2,0,1,0|A 1.0,2,q2,1,0,0"
    long = read("ratings", tmp_path, f"{MASSES}|{rows}")
    assert wide.frame.equals(long.frame)
    counts = "each yes or no counts as certain (CSV separated by commas)"
    assert wide.said == f"a wide table of 2 models, of which {counts}"
    assert wide.dropped == ("the columns topic, human_q1",)
    assert long.usual


def test_ids_that_the_statements_lack_are_refused_in_raw_results(tmp_path):
    path = tmp_path / "results_raw_q1.jsonl"
    path.write_text('{"id": 3, "response": "Yes"}\n{"id": 4, "response": "Yes"}\n')
    with pytest.raises(InputError, match="statement 4 is unknown"):
        read_ratings(tmp_path, KNOWN)


@pytest.mark.parametrize(
    ("words", "cells", "expected"),
    [
        ("", "1|no|TRUE|0,0||NA", [1, 0, 1, 0, None, None]),
        ("yes=ja¦agree no=Nein", "Ja|nein|agree|", [1, 0, 1, None]),
        ("yes=1 no=2 none=-99¦weiß", "1.0|2|-99|Weiß", [1, 0, None, None]),
        ("yes=NEIN no=ja", "nein|ja", [1, 0]),
        ("yes=ja no=nein", "ja|yes", "line 3: q1 is 'yes' (expected one of ja, nein, as --labels says"),
        ("ja", "", "--labels 'ja' (expected yes=…, no=…, none=… joined by commas, each at most once)"),
        ("yes=a yes=b", "", "--labels 'yes=b'"),
        ("yes=a¦b no=B", "", "--labels no=B (expected each text once, and none empty)"),
        ("yes=ja", "", "--labels without yes or without no"),
        ("q3=*", "", "--columns 'q3=*' (expected q1=…, q2=…"),
        ("person=*", "", "--columns person=* (expected one * where"),
    ],
)
def test_texts_are_ratings(tmp_path, words, cells, expected):
    """A broken bar stands between texts."""
    path, options = tmp_path / "t.csv", words.replace("¦", "|").split()
    path.write_text("q1;x\n" + "".join(f"{cell};1\n" for cell in cells.split("|")))
    given = ([], options) if "*" in words else (options, [])
    refused = pytest.raises(InputError, match=re.escape(str(expected)))
    with nullcontext() if isinstance(expected, list) else refused:
        assert ratings_of(read_table(path), "q1", Reading.of(*given)).to_list() == expected
