"""Outputs and pictures of pages agree with what comes out to the letter, but for the last digits of models."""

import pytest

from docs.agreement import agrees, same_picture, shows
from docs.snippets import Snippet


@pytest.mark.parametrize(
    ("told", "found", "same"),
    [
        ("a  b\n", "a  b   \n\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nb\nc\n", False),
        ("a …: 1\n", "a very long: 1\n", True),
        ("█████▏░░░░", "█████░░░░░", False),
    ],
)
def test_text_agrees_to_the_letter(told, found, same):
    assert agrees(told, found) is same


@pytest.mark.parametrize(
    ("told", "found", "same"),
    [
        ("p 50.66 %", "p 50.65 %", True),
        ("p 50.66 %", "p 50.68 %", False),
        ("0.737 [0.684, 0.790], 129", "0.736 [0.685, 0.791], 129", True),
        ("1,999.9 x", "2,000.0 x", True),
        ("a   -0.01 (0.20)", "a    0.00 (0.20)", True),
        ("  9 [-1, 19]", " 10 [0, 18]", True),
        ("█████▏░░░░", "█████▎░░░░", True),
        ("█████▏░░░░", "█████▍░░░░", False),
        ("random:1   50.0", "random:1   50.1", False),
        ("a − random   50.0", "a − random   50.1", True),
    ],
)
def test_numbers_of_a_model_agree_within_one_unit_of_their_last_digit(told, found, same):
    assert agrees(told, found, rounded=True) is same


def test_pictures_may_differ_by_half_a_pixel():
    kept = '<svg width="10"><text>a 12</text></svg>'
    assert same_picture(kept, kept.replace("10", "10.2"))
    assert not same_picture(kept, kept.replace("10", "10.6"))
    assert not same_picture(kept, kept.replace("a 12", "b 12"))


def test_a_block_shows_passages_of_a_file(tmp_path):
    (tmp_path / "a.py").write_text("a = 0\nb = 1\n\nc = 2\nd = 3\n")
    for text, same in (("a = 0\n…\nc = 2\n", True), ("b = 1\nc = 2\n", False), ("    b = 1\n", False)):
        assert shows(Snippet("python", "a.py", text, 1), tmp_path) is same
