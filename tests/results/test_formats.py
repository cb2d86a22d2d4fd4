"""Tables as Markdown, LaTeX and CSV."""

import csv
import io
import math
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.inference.estimate import Estimate
from probsense.results.formats import as_csv, as_latex, as_markdown, estimate_rows, narrow, paper_tables
from probsense.results.part import Part
from probsense.show.measure import ACCURACY
from probsense.show.words import Table, Words
from probsense.tasks.results import Results


def estimate(value: float, low: float, high: float, **by: object) -> Estimate:
    return Estimate("accuracy", by, value, 0.01, low, high, 0.95, 9, 8, "published", 0.5)


FOUND = Part(
    "quiz",
    Words(title="Quiz", measures={"accuracy": ACCURACY}),
    Results(
        [
            estimate(0.6, 0.55, 0.71, model="a_1"),
            estimate(0.5, -0.02, math.nan, model="a_1", problem="Infer.trivial"),
        ],
        [{"model": "a_1", "prompting": "options", "asked": 10, "answered": 9, "failed": 1}],
    ),
)
TABLE = Table(
    "Bias", ("Model", "Left", "Right"), (("m", "-0.34 (0.01)", "–"), ("n", "1", "2"), ("o", "3", "4"))
)


def test_paper_tables_have_both_ends_and_the_coverage():
    (table,) = paper_tables(FOUND)
    assert table.title == (
        "Accuracy in % (with the ends of the 95 % interval), method “published”;"
        " 9 of 10 items answered (90.0 %)"
    )
    assert table.rows == (("a_1", "60.0 [55.0, 71.0]", "50.0 (no interval)"), ("Chance", "50.0", "50.0"))


def test_a_table_is_turned_round_where_that_is_narrower():
    estimates = [*FOUND.results.estimates, estimate(0.5, 0.4, 0.6, model="a_1", problem="Infer.normal")]
    (table,) = paper_tables(replace(FOUND, results=Results(estimates)))
    assert narrow(table).columns == ("Problem", "a_1", "Chance")
    assert narrow(TABLE) is TABLE
    wide = Table("Items", ("Item", "Right", "Answer"), (("a", "1", "2"),))
    assert narrow(wide) is wide


HOSTILE = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)


@given(HOSTILE, HOSTILE)
def test_no_name_breaks_a_latex_table(name, figure):
    text = as_latex([Table(name, (name, "F", "G"), ((name, figure, "1"), ("[x]", figure, "2")))])
    rows = re.search(r"\\toprule\n(.*)\\bottomrule", text, re.DOTALL)
    assert rows
    for row in rows.group(1).replace("\\midrule\n", "").splitlines():
        bare = re.sub(r"\\[&%$#_{}]", "", row.removesuffix(r" \\"))
        assert bare.count("&") == 2
        assert not set("%#~^<>|_") & set(bare)
        assert bare.count("{") == bare.count("}")
        assert not bare.startswith("[")
        assert bare.count("$") % 2 == 0


@given(HOSTILE, HOSTILE)
def test_no_name_breaks_a_markdown_table(name, figure):
    text = as_markdown([Table("T", (name, "F", "G"), ((name, figure, "1"), ("b", figure, "")))])
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) == 4
    for row in rows:
        bare = re.sub(r"\\[\\`*|~_(\[]", "·", row)
        assert bare.count("|") == 4
        assert not set("`*~") & set(bare)
        assert not re.search(r"<[a-zA-Z/!?]|&(?!amp;|lt;)#?\w+;", bare)


def test_csv_has_a_column_for_whatever_estimates_speak_of():
    text = as_csv(estimate_rows([FOUND]))
    first, second = csv.DictReader(io.StringIO(text))
    assert list(first) == [
        *("task", "measure", "method", "model", "problem"),
        *("value", "stderr", "low", "high", "level", "n", "clusters", "chance"),
    ]
    assert (first["task"], first["problem"], second["problem"]) == ("quiz", "", "Infer.trivial")
    assert (second["low"], second["high"]) == ("-0.02", "")
    assert float(first["value"]) == 0.6


@given(st.lists(st.fixed_dictionaries({"a": HOSTILE, "b": st.integers()}), min_size=1))
def test_csv_reads_back(rows):
    back = csv.DictReader(io.StringIO(as_csv(rows)))
    assert [*back] == [{key: str(value) for key, value in row.items()} for row in rows]
