"""How far texts stick out of a picture in wide letters."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.show.render import SVG, overhang


def picture(text: str, anchor: str = "start", x: float = 0, turned: str = "") -> ET.Element:
    """A picture of 100 by 50 pixels with one text of 10 pixels in two nested groups."""
    return ET.fromstring(
        f'<svg xmlns="{SVG}" viewBox="0 0 100 50"><g transform="translate({x / 2},7)"><g transform="translate(0.0,1)">'
        f'<text text-anchor="{anchor}" transform="translate({x / 2},9){turned}" font-size="10px">{text}</text>'
        "</g></g></svg>"
    )


@pytest.mark.parametrize(
    ("anchor", "x", "expected"),
    [
        ("start", 0, (0, 0)),
        ("start", 90, (0, 10)),
        ("middle", 5, (5, 0)),
        ("middle", 95, (0, 5)),
        ("end", 5, (15, 0)),
        ("end", 100, (0, 0)),
    ],
)
def test_the_anchor_says_where_a_text_lies(anchor: str, x: float, expected: tuple[float, float]) -> None:
    assert overhang(picture("MM", anchor, x)) == pytest.approx(expected)


def test_bold_letters_are_wider_and_turned_lines_are_as_wide_as_high() -> None:
    bold = picture("MM", "end", 0)
    next(bold.iter(f"{{{SVG}}}text")).set("font-weight", "bold")
    assert overhang(bold)[0] == pytest.approx(1.2 * overhang(picture("MM", "end", 0))[0])
    assert overhang(picture("M" * 30, "middle", 50, " rotate(-90)")) == (0, 0)


@given(st.text(st.characters(categories=("L", "N", "P", "Z"), exclude_characters="<&"), max_size=30))
def test_no_text_is_wider_than_its_number_of_wide_letters(text: str) -> None:
    left, right = overhang(picture(text.replace("\r", ""), "end"))
    assert 0 <= left <= 10 * len(text)
    assert right == 0
    assert overhang(picture(f"{text}M", "end"))[0] == pytest.approx(left + 10)
