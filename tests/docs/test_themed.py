"""Charts on white become pictures for light and dark pages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import polars as pl
import pytest
from themed import DARK, themed

from probsense.show.chart import COLOURS
from probsense.show.charts import measure_chart
from probsense.show.render import file_bytes
from probsense.show.words import plain_words


@pytest.fixture(scope="module")
def chart() -> str:
    """The file of a chart of two models."""
    known = {"measure": "accuracy", "by": "problem", "low": 1 / 3, "high": 2 / 3, "chance": 0.5}
    rows = [{**known, "part": "1.23456 a", "model": model, "value": 0.51234} for model in ("a", "b")]
    return file_bytes(measure_chart("accuracy", pl.DataFrame(rows), plain_words("c")), "svg").decode()


def test_a_picture_has_two_sets_of_colours(chart: str) -> None:
    picture = themed(chart)
    drawn = picture.partition("</style>")[2]
    assert not [colour for colour in DARK if f'"{colour}"' in picture]
    assert f'"{COLOURS[1]}"' in drawn  # fit for both
    named = {*re.findall(r"var\((--\w+)\)", picture)}
    for colours in re.findall(r":root\{(.*?)\}", picture):
        assert named <= {*re.findall(r"(--\w+):#", colours)}
    assert picture.count("prefers-color-scheme:dark") == 1


def test_words_stay_and_lengths_get_short(chart: str) -> None:
    old, new = (ET.fromstring(source) for source in (chart, themed(chart)))
    said = [[element.text for element in root.iter() if element.text] for root in (old, new)]
    assert [text for text in said[1] if not text.startswith(":root")] == said[0]
    assert "1.23456 a" in said[1]
    lengths = [value for element in new.iter() for value in element.attrib.values()]
    assert not re.findall(r"\.\d\d", " ".join(lengths))
    assert new.get("role") == "img"


def test_a_picture_stays_as_it_is(chart: str) -> None:
    assert themed(themed(chart)) == themed(chart)
