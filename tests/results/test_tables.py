"""Facts, distributions and what an examination found, as tables and words."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from probsense.core.records import ScoreRequest, ScoreResponse
from probsense.models.base import Finding
from probsense.results.tables import (
    BAR,
    bar,
    distribution_table,
    findings_text,
    quoted,
)
from probsense.runs.score import Distribution
from probsense.show.tables import print_tables
from probsense.show.words import Table
from support.scored import option


def printed(table: Table, width: int = 80) -> str:
    stream = io.StringIO()
    print_tables(Console(file=stream, width=width), [table])
    return stream.getvalue()


def test_a_rule_that_is_no_sum_shows_its_score():
    request = ScoreRequest("The sky is", (" blue", " red\n"))
    scored = (option(" blue", [0.6]), option(" red\n", [0.5, 0.4]))
    table = distribution_table(Distribution(request, ScoreResponse(scored), "token"))
    assert table.columns[3] == "Score"
    assert table.rows[1][3:5] == ("-0.8047", "-1.609")


def test_hostile_texts_are_shown_as_text():
    request = ScoreRequest("\x1b[31m[red]", ("\u202e[b]", "x"))
    scored = (option("\u202e[b]", [0.6]), option("x", [0.4]))
    text = printed(distribution_table(Distribution(request, ScoreResponse(scored))))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]" in text
    assert "[b]" in text
    assert quoted("\ud800") == '"\N{REPLACEMENT CHARACTER}"'


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_share(share):
    drawn = bar(share)
    assert len(drawn) == BAR
    eighths = sum(" ▏▎▍▌▋▊▉█".index(c) for c in drawn if c != "░")
    assert eighths == pytest.approx(share * BAR * 8, abs=1)
    assert (drawn == "░" * BAR) == (share == 0)


FOUND = [
    Finding("route", True, "chat answers"),
    Finding("first token", None, "white space only"),
    Finding("options", False, "every option would come out at chance " * 4),
]


def test_nothing_is_cut_off_in_a_narrow_terminal():
    assert findings_text(FOUND, 10).count("chance") == 4
    assert findings_text([], 80) == ""


def test_what_a_server_said_cannot_steer_the_terminal():
    assert "\x1b" not in findings_text([Finding("name", None, "it answers as \x1b[31m")], 80)
