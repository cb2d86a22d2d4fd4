"""Facts, distributions and what an examination found, as tables and words."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse, TokenLogprobs
from probsense.models.base import Finding
from probsense.models.doctor import SampleTokens, TokenRow
from probsense.results.tables import (
    BAR,
    bar,
    distribution_table,
    findings_text,
    quoted,
    tokens_table,
    views_table,
)
from probsense.runs.distribution import Distribution
from probsense.show.tables import Table, print_tables


def tokens(*ps: float) -> TokenLogprobs:
    return TokenLogprobs(tuple(map(math.log, ps)), ("t",) * len(ps), 5, 5)


def made(rule: str = "sum", suffix: str = "") -> Distribution:
    after = tokens(0.5) if suffix else tokens()
    scored = (OptionScore(tokens(0.6), after), OptionScore(tokens(0.5, 0.4), after))
    return Distribution(ScoreRequest("The sky is", (" blue", " red\n"), suffix), ScoreResponse(scored), rule)


def printed(table: Table, width: int = 80) -> str:
    stream = io.StringIO()
    print_tables(Console(file=stream, width=width), [table])
    return stream.getvalue()


def test_a_row_has_probability_bar_logprob_and_tokens() -> None:
    table = distribution_table(made())
    assert table.title == '"The sky is" …: rule sum, temperature 1'
    assert table.columns == ("Option", "p", "", "log p", "Tokens")
    assert table.rows[0] == ('" blue"', "75.00 %", "███████▌░░", "-0.511", "1")
    assert table.rows[1] == ('" red\\n"', "25.00 %", "██▌░░░░░░░", "-1.609", "2")
    assert "\x1b" not in printed(table)


def test_a_rule_that_is_no_sum_shows_its_score() -> None:
    table = distribution_table(made("token"))
    assert table.columns[3] == "Score"
    assert table.rows[1][3:5] == ("-0.8047", "-1.609")


def test_all_views_are_columns_of_one_table() -> None:
    table = views_table(made(suffix="."))
    assert table.title == '"The sky is" … ".": probability in % by view, temperature 1'
    assert table.columns == ("Option", "sum", "token", "char", "byte", "mean_prob", "partial", "full")
    assert table.rows[0][1] == "75.00"
    assert table.rows[0][6] == "50.00"


def test_hostile_texts_are_shown_as_text() -> None:
    request = ScoreRequest("\x1b[31m[red]", ("\u202e[b]", "x"))
    scored = (OptionScore(tokens(0.6), tokens()), OptionScore(tokens(0.4), tokens()))
    text = printed(distribution_table(Distribution(request, ScoreResponse(scored))))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]" in text
    assert "[b]" in text
    assert quoted("\ud800") == '"\N{REPLACEMENT CHARACTER}"'


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_share(share: float) -> None:
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


def test_findings_stand_in_three_columns() -> None:
    lines = findings_text(FOUND, 60).splitlines()
    assert lines[0] == "ok    route        chat answers"
    assert lines[1] == "note  first token  white space only"
    assert lines[2].startswith("FAIL  options      every option")
    assert all(line.startswith(" " * 19) for line in lines[3:])
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines[2:]).split()).endswith("at chance")


def test_nothing_is_cut_off_in_a_narrow_terminal() -> None:
    assert findings_text(FOUND, 10).count("chance") == 4
    assert findings_text([], 80) == ""


def test_what_a_server_said_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in findings_text([Finding("name", None, "it answers as \x1b[31m")], 80)


def test_tokens_as_a_table() -> None:
    rows = (TokenRow("prefix", "Ġis", 318, None), TokenRow("option", " Paris", None, -2.25))
    table = tokens_table(SampleTokens("is| Paris", True, rows))
    assert table.title == "Tokens of 'is| Paris'; one token spans a join"
    assert table.rows == (("prefix", "'Ġis'", "318", "–"), ("option", "' Paris'", "–", "-2.2500"))
