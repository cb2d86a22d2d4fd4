"""The report's page as a reader meets it: nothing is loaded, nothing hostile runs, questions can be found."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.results.page.items import ItemViews
from probsense.results.page.report import render_page, write_page
from probsense.results.page.report import report as report_runs
from probsense.results.part import Part
from probsense.runs.evaluate import evaluate
from probsense.show.words import plain_words
from probsense.tasks.results import Results
from probsense.tasks.worldsense.words import WORDS

pytestmark = pytest.mark.slow

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "<!--<script>",
    "\"'><svg onload=alert(3)>",
    "{{ 7 * 7 }}\\u0000\u2028\x07",
    "javascript:alert(4)",
)
TASKS = ("worldsense", "judgments", "winogrande", "suite")
MODELS = ("builtin:tiny", "random")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Write a page of two models, four tasks, and the oracle where it has an answer."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    asked = [(task, model) for task in TASKS for model in MODELS] + [("worldsense", "oracle:")]
    limits = {"worldsense": 120, "judgments": 30}
    runs = [evaluate(task, model, limit=limits.get(task), store=None, quiet=True) for task, model in asked]
    report_runs(path, *runs)
    return path


def browse(page: Any) -> None:
    """Go to the questions, and wait until they are there."""
    page.locator("#items > details > summary").click()
    page.wait_for_selector("#list li")


def found(page: Any) -> tuple[int, int]:
    """How many questions were found, of how many."""
    some, _, whole, _ = page.text_content("#found").replace(",", "").split()
    return int(some), int(whole)


def wait_for(page: Any, count: int) -> None:
    page.wait_for_function(
        "(n) => document.getElementById('found').textContent.startsWith(n + ' of')", arg=f"{count:,}"
    )


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_the_page_fits_and_is_quiet(report, show, width, scheme):
    opened = show(report, width, scheme)
    page = opened.page
    browse(page)
    page.locator("#list summary").first.click()
    page.wait_for_selector(".answer")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.chart.wide").first.is_visible() == (width > 600)
    assert page.locator("svg.chart.narrow").first.is_visible() == (width < 600)
    assert (opened.said, opened.asked) == ([], [])


def test_filters_say_what_the_estimates_say(report, show):
    page = show(report).page
    browse(page)
    table = evaluate("worldsense", "builtin:tiny", limit=120, store=None, quiet=True).table()
    n, right = table.height, table.filter(table["resp"] == table["gold"]).height
    page.select_option("#result", "right")
    wait_for(page, right)
    page.select_option("#result", "wrong")
    wait_for(page, n - right)
    page.select_option("#run", label="oracle:, asked by options")
    wait_for(page, 0)
    page.select_option("#result", "right")
    wait_for(page, n)
    problem = table["problem"][0]
    page.select_option("#group", label=problem)
    wait_for(page, table.filter(table["problem"] == problem).height)
    page.select_option("#group", "")
    page.fill("#lead", "50")
    wait_for(page, 0)
    page.fill("#lead", "")
    page.fill("#search", str(table["id"][7]).upper())
    wait_for(page, 1)
    page.locator("#list summary").first.click()
    assert f"id: {table['id'][7]}" in page.text_content(".item")
    page.fill("#search", "")
    wait_for(page, n)
    page.select_option("#run", label="builtin:tiny, asked by options")
    page.select_option("#order", "unsure")
    shown = [float(text.split()[1]) for text in page.locator("#list .margin").all_text_contents()]
    assert shown == sorted(shown)
    page.select_option("#set", label="Judgments")
    wait_for(page, 30)
    assert page.locator("#list .mark").first.text_content() == ""


def test_pictures_and_numbers_can_be_saved(report, show, tmp_path):
    page = show(report).page

    def saved(button: Any) -> Path:
        with page.expect_download() as waiting:
            button.click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    page.locator("#profile > details > summary").click()
    page.locator("#how > details > summary").click()
    picture = saved(page.locator("button.picture").first)
    assert picture.name == "profile.svg"
    assert "var(" not in picture.read_text()
    assert "<svg" in picture.read_text()
    numbers = saved(page.locator('button[data-file="worldsense.csv"]'))
    rows = list(csv.DictReader(numbers.read_text().splitlines()))
    assert {row["model"] for row in rows} == {"builtin:tiny", "random", "oracle:"}
    browse(page)
    page.select_option("#result", "wrong")
    items = list(csv.reader(saved(page.locator("#saved")).read_text().splitlines()))
    assert items[0][:3] == ["id", "problem", "question"]
    assert len(items) > found(page)[0]


def test_hostile_words_are_only_words(show, tmp_path):
    whole = "".join(HOSTILE)
    other = whole.replace("/", "")
    tokens = [[[text], [whole], [-100, -200], True] for text in HOSTILE]
    reply = {"shares": [[text, 167] for text in HOSTILE], "tokens": tokens}
    known = {"short": "", "group": whole, "about": whole, "difference": None, "people": None}
    asked = [
        {
            **known,
            "id": f"{whole}{i}",
            "prompt": f"{whole} {text}",
            "gold": text,
            "replies": [{**reply, "given": text}] * 2,
        }
        for i, text in enumerate(HOSTILE)
    ]
    by = {"model": whole, "prompting": whole, "problem": whole}
    estimate = Estimate("accuracy", by, 0.5, 0.1, 0.3, 0.7, 0.95, 9, 9, "published", math.nan)
    found = Results([estimate], [{whole: whole, "model": whole, "asked": 3}], [whole])
    parts = [
        Part(name, words, found, [{whole: whole}], [whole])
        for name, words in (("worldsense", WORDS), (other, plain_words(other)))
    ]
    path = tmp_path / "page.html"
    runs = [{"name": name, "method": "", "view": ""} for name in (whole, "b")]
    write_page(path, render_page(whole, parts, [ItemViews(whole, "", runs, asked)], byline=[whole, whole]))
    opened = show(path)
    page = opened.page
    browse(page)
    for summary in page.locator("#list > li > details > summary").all():
        summary.click()
    page.wait_for_function("() => document.querySelectorAll('.answer').length === 12")
    assert page.locator("img, iframe, object, svg[onload]").count() == 0
    assert page.locator("script:not([type])").count() == 1
    assert page.locator(".item pre").nth(1).text_content() == f"{whole} {HOSTILE[1]}"
    page.fill("#search", "onerror")
    wait_for(page, 6)
    assert (opened.said, opened.asked) == ([], [])


def test_a_script_that_got_into_the_page_would_not_run(report, show, tmp_path):
    page = report.read_text().replace(
        "</h1>", "</h1><script>document.title = 'run'</script><svg onload=alert(1)></svg>"
    )
    path = tmp_path / "page.html"
    path.write_text(page)
    opened = show(path)
    assert opened.page.title() != "run"
    assert len(opened.said) >= 2
    assert all("Content Security Policy" in words for words in opened.said)
