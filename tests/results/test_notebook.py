"""What results look like in a notebook and at a prompt."""

from dataclasses import replace
from html import unescape

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.models.base import Finding
from probsense.results.formats import narrow
from probsense.results.listing import COLUMNS
from probsense.results.notebook import FEW, ROWS, Cell, cell
from probsense.results.profile_rows import profile_table
from probsense.runs.evaluate import evaluate
from probsense.show.words import Table
from results.elements import Html

HOSTILE = "<script>alert(1)</script>\x1b[31m & " + "long " * 2000
ALLOWED = {"div", "p", "strong", "details", "summary", "ul", "li", "wbr"}
LINES = 60
"""The lines that a prompt may take."""
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}


def check(result: object) -> Html:
    """Check that a result is short at a prompt, and in a notebook safe and of no look of its own."""
    assert len(repr(result).splitlines()) < LINES
    assert "\x1b" not in repr(result)
    html = result._repr_html_()
    found = Html(html)
    assert {*found.tags} <= ALLOWED | TABLES
    assert {name for _, own in found.elements for name in own} <= {
        *("class", "scope", "role", "tabindex", "aria-label")
    }
    return found


@pytest.fixture(scope="module")
def runs():
    tasks = (("worldsense", 24), ("judgments", 12), ("winogrande", 20), ("suite", 9))
    return [evaluate(task, "random", limit=limit, store=None, quiet=True) for task, limit in tasks]


def test_a_run_shows_its_main_estimates_in_the_words_of_the_command(runs):
    for run in runs:
        text = check(run).text
        assert f"all {len(run.items)} items answered; run {run.id[:8]}" in text
        shown = [narrow(table) for table in cell(run).tables]
        assert all(one in text for table in shown for row in (table.columns, *table.rows) for one in row)
        check(run.summary())
    assert "Winogrande (" in repr(runs[2])
    assert "random answers " in repr(runs[2])
    assert "Chance" in repr(runs[2])


def test_warnings_come_before_any_figure(runs):
    wrong = Finding("<echo>", False, "it is off by one")
    run = replace(runs[2], findings=[wrong], items=[*runs[2].items, *runs[2].items])
    text = check(replace(run, outcome=replace(run.outcome, failures={"HTTP 500": 20}))).text
    examined, incomplete = text.index("<echo> is not as it should be"), text.index("Incomplete: random")
    assert examined < incomplete < text.index("Accuracy in %")


def test_a_distribution_shows_its_options_and_what_to_know():
    found = ps.score("random", "The sky is", [" blue", " <b>yellow"])
    assert '" <b>yellow"' in check(found).text
    many = ps.score("random", HOSTILE[:300], [f" {i} {'x' * i}" for i in range(60)])
    check(many)
    assert "more rows)" in repr(many)


def test_a_profile_and_a_comparison_show_their_tables(runs):
    found = ps.Profile(runs, ["Frames of random was not asked: no."])
    text = check(found).text
    table = profile_table(found.parts())
    assert all(one in text for row in (table.columns, *table.rows) for one in row)
    assert "Frames of random was not asked: no." in text
    other = replace(runs[2], record=replace(runs[2].record, model=HOSTILE))
    assert "script" not in check(ps.compare(runs[2], other)).tags


@pytest.mark.usefixtures("undrawn")
def test_a_list_of_runs_is_a_frame_that_reads_as_the_command_prints_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    for number in range(3):
        ps.evaluate("winogrande", f"random:{number}", limit=4, quiet=True)
    found = ps.list_runs()
    text = check(found).text
    assert all(words in text for words in ("random:0", "random:1", "random:2", "Main estimate"))
    one = found.filter(pl.col("model") == "random:1")
    assert (one.columns, one.height) == ([*COLUMNS], 1)
    assert "random:0" not in one._repr_html_()
    assert "shape: (1, 15)" in repr(one)
    assert ps.list_runs().listed


def test_a_prompt_has_the_first_rows():
    table = Table("t", ("a", "b", "c"), tuple((f"row {i}", "x" * 50, "y" * 30) for i in range(200)))
    text = Cell("t", tables=[table]).text()
    assert text.count("row ") == FEW
    assert f"t (and {200 - FEW} more rows)" in text


WORDS = st.text('<>&"a1 /\x1b\n\u202e漢—', max_size=200)


@given(WORDS, st.lists(st.tuples(WORDS, WORDS), max_size=4), st.lists(WORDS, max_size=4), st.integers(1, 30))
def test_any_words_make_a_short_text_and_a_table_of_these_words(title, rows, warnings, times):
    table = Table(title, ("a", "b"), tuple(rows * times))
    made = Cell(title, warnings, warnings, [table], warnings)
    assert len(made.text().splitlines()) < LINES
    html = made.html()
    found = Html(html)
    assert found.tags.count("tr") == 1 + min(len(table.rows), ROWS)
    assert "<script" not in html
    assert unescape(html).replace("\n", "").isprintable()
