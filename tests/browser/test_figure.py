"""Charts in files, in a browser that has no letters but the wide ones of DejaVu Sans."""

from __future__ import annotations

import math

import polars as pl
import pytest

from probsense.results.profile_rows import draw_profile
from probsense.show.chart import Chart
from probsense.show.charts import measure_chart
from probsense.show.render import file_bytes
from probsense.show.words import plain_words

pytestmark = pytest.mark.slow

ENDS = """() => {
  const box = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll("text")].map(text => {
    const own = text.getBoundingClientRect();
    return [text.textContent, own.left - box.left, box.right - own.right, own.top - box.top, box.bottom - own.bottom];
  });
}"""
"""How far each text is from the four sides of the picture."""


def profile(parts: list[str], models: list[str]) -> Chart:
    """A profile of several tasks and models."""
    rows = [
        {
            **{"part": part, "model": model, "value": 0.6, "low": 0.4, "high": 0.7},
            **{"chance": 0.5, "shortcut_ceiling": math.nan, "people": 1.0},
        }
        for part in parts
        for model in models
    ]
    return Chart("profile", "Profile", "", pl.DataFrame(rows), draw_profile)


def accuracy(parts: list[str], models: list[str]) -> Chart:
    """The accuracies of several problems and models."""
    known = {"measure": "accuracy", "by": "problem", "value": 0.6, "low": 0.4, "high": 1.0, "chance": 0.5}
    rows = [{**known, "part": part, "model": model} for part in parts for model in models]
    return measure_chart("accuracy", pl.DataFrame(rows), plain_words("quiz"))


PARTS = ["Winogrande: accuracy", "WorldSense: accuracy", "MMMM WWWW: mummy", "x"]
MODELS = ["builtin:smollm2", "hf:HuggingFaceTB/SmolLM2-135M-Instruct", "random"]


@pytest.mark.parametrize("make", [profile, accuracy])
@pytest.mark.parametrize("width", [480, 720])
def test_every_text_lies_within_the_picture(browser, tmp_path, make, width):
    picture = tmp_path / "chart.svg"
    content = file_bytes(make(PARTS, MODELS), "svg", width).decode()
    assert "sans-serif" in content
    picture.write_text(content.replace("sans-serif", "DejaVu Sans"))
    page = browser.new_page()
    page.goto(picture.as_uri())
    found = page.evaluate(ENDS)
    page.close()
    assert {"60", "Winogrande: accuracy"} <= {text for text, *_ in found}
    assert not [one for one in found if min(one[1:]) < 0]
