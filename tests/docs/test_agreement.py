"""Outputs and pictures of pages agree with what comes out to the letter, but for the last digits of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.documents.agreement import agrees, of_model, same_picture, shows
from support.documents.snippets import Snippet


@pytest.mark.parametrize(
    ("told", "found", "same"),
    [
        ("a  b\n", "a  b   \n\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nb\nc\n", False),
        ("a …: 1\n", "a …: 1\n", True),
        ("a\n", "b\n", False),
        ("a\n…\n", "a\n", True),
        ("a 0.50", "a 0.51", False),
        ("█████▏░░░░", "█████░░░░░", False),
    ],
)
def test_text_agrees_to_the_letter(told: str, found: str, same: bool) -> None:
    assert agrees(told, found) is same


@pytest.mark.parametrize(
    ("told", "found", "same"),
    [
        ("p 50.66 %", "p 50.65 %", True),
        ("p 50.66 %", "p 50.67 %", True),
        ("p 50.66 %", "p 50.68 %", False),
        ("p 50.66 %", "p 50.6 %", False),
        ("p 50.66 %", "p 50.660 %", False),
        ("p 50.66 %", "q 50.66 %", False),
        ("0.737 [0.684, 0.790], 129", "0.736 [0.685, 0.791], 129", True),
        ("0.737 [0.684, 0.790], 129", "0.737 [0.684, 0.790], 128", False),
        ("up to 0.2.", "up to 0.3.", True),
        ("1,999.9 x", "2,000.0 x", True),
        ("a   -0.01 (0.20)", "a    0.00 (0.20)", True),
        ("a    0.00 (0.20)", "a   -0.01 (0.20)", True),
        ("a    99.9", "a   100.0", True),
        ("count 7", "count 8", False),
        ("  9 [-1, 19]", " 10 [0, 18]", True),
        ("9 [1, 19]", "9 [1, 21]", False),
        ("version 0.1.0", "version 0.1.1", False),
        ("… 0.5\n…\nz 1.0", "b 0.6\nc\nz 0.9", True),
        ('" b"   50.66 %   █████▏░░░░   -11.320   1', '" b"   50.65 %   █████░░░░░   -11.319   1', True),
        ("█████▏░░░░", "█████▎░░░░", True),
        ("█████▏░░░░", "█████▍░░░░", False),
        ("██████████", "█████████▉", True),
        ("░░░░░░░░░░", "▏░░░░░░░░░", True),
        ("random:1   50.0", "random:1   50.1", False),
        ("| random | 50.0 |", "| random | 50.1 |", False),
        ("a − random   50.0", "a − random   50.1", True),
    ],
)
def test_numbers_of_a_model_agree_within_one_unit_of_their_last_digit(
    told: str, found: str, same: bool
) -> None:
    assert agrees(told, found, rounded=True) is same


@pytest.mark.parametrize(
    ("text", "output", "computes"),
    [
        ("probsense run suite --model builtin:tiny", "", True),
        ("probsense compare a.db", "builtin:tiny   0.5", True),
        ("probsense run suite --model random", "random   0.5", False),
        ("probsense audit worldsense set", None, False),
    ],
)
def test_numbers_are_of_a_model_where_command_or_output_names_it(
    text: str, output: str | None, computes: bool
) -> None:
    assert of_model(Snippet("bash", "", text, 1, output)) is computes


@pytest.mark.parametrize(
    ("found", "same"),
    [
        ('<svg width="10.2"><text>a 12</text></svg>', True),
        ('<svg width="10.6"><text>a 12</text></svg>', False),
        ('<svg width="10"><text>b 12</text></svg>', False),
        ('<svg width="10"><text>a 12 1</text></svg>', False),
    ],
)
def test_pictures_may_differ_by_half_a_pixel(found: str, same: bool) -> None:
    assert same_picture('<svg width="10"><text>a 12</text></svg>', found) is same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("b = 1\n\nc = 2\n", True),
        ("a = 0\n…\nc = 2\n", True),
        ("b = 1\nc = 2\n", False),
        ("c = 2\n…\nb = 1\n", False),
        ("    b = 1\n", False),
    ],
)
def test_a_block_shows_a_file_or_passages_of_it(text: str, same: bool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 0\nb = 1\n\nc = 2\nd = 3\n")
    assert shows(Snippet("python", "a.py", text, 1), tmp_path) is same
