from __future__ import annotations

from probsense.models.base import Finding
from probsense.models.doctor import SampleTokens, TokenRow
from probsense.results.doctor import findings_text, tokens_table

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
