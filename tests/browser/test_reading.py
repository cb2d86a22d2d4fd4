"""How a reader finds the way through a page: by contents, links, keys, choices of models, and on paper."""

from __future__ import annotations

from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.results.page.report import render_page, write_page
from probsense.results.part import Part
from probsense.show.measure import PERCENT, Group, Measure
from probsense.show.words import ProfileRow, Words
from probsense.tasks.results import Results

pytestmark = pytest.mark.slow

MODELS = ("m", "m (large)", "other")


def task(name: str, value: float) -> Part:
    """Make a part with a chart that leads, a group, another measure, a warning and a note."""
    words = Words(
        title=name.title(),
        measures={one: Measure(one.title(), f"how {one}", PERCENT) for one in ("quick", "near", "far")},
        groups=[Group("Distances", "How far it is.", ("far",))],
        leading=("quick",),
        profile=[ProfileRow("quick", "quickness", "how quick", people=0.9)],
    )
    estimates = [
        Estimate(
            *(measure, {"model": model, **part}),
            *(value + i / 10, 0.1, value - 0.1, value + 0.3, 0.95, 9, 9, "m", 0.5),
        )
        for measure in ("quick", "near", "far")
        for i, model in enumerate(MODELS)
        for part in ({}, {"problem": "first"}, {"problem": "second"})
    ]
    measured = Results(estimates, notes=[f"a note on {name}"], warnings=[f"a warning of {name}"])
    return Part(name, words, measured, [{"model": model, "seed": 0} for model in MODELS])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("reading") / "page.html"
    parts = [task("sprint", 0.5), task("relay", -0.2)]
    write_page(path, render_page("Two races", parts, byline=["A. Runner", "May 2026"]))
    return path


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, show, faults, width, scheme):
    assert faults(show(page, width, scheme).page) == []


def test_a_link_opens_what_is_folded(page, show):
    opened = show(page).page
    fold = opened.locator("#task-relay-distances > details")
    assert fold.get_attribute("open") is None
    opened.evaluate("location.hash = '#task-relay-distances'")
    opened.wait_for_function("document.querySelector('#task-relay-distances > details').open")
    assert opened.locator("#task-relay-distances table").is_visible()
    fold.locator("summary").click()
    opened.locator(".panel a", has_text="Distances").last.click()
    opened.wait_for_function("document.querySelector('#task-relay-distances > details').open")


def unfold(page: Any) -> None:
    """Open all that is folded."""
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def shown(page: Any, model: str) -> dict[str, int]:
    """Count what is visible of a model: marks of charts, heads of tables, and sentences."""
    return {
        name: page.evaluate(
            """([selector, model]) => [...document.querySelectorAll(selector)].filter((found) =>
                (found.dataset.model ?? found.textContent.replace(" ↕", "").trim()) === model
                && found.checkVisibility() && found.getBoundingClientRect().width > 0).length""",
            [selector, model],
        )
        for name, selector in (
            ("marks", "svg.wide [data-model]"),
            ("heads", "main thead th"),
            ("results", ".results strong"),
        )
    }


def test_models_are_hidden_everywhere_and_the_address_says_which(page, show):
    opened = show(page).page
    unfold(opened)
    before = {model: shown(opened, model) for model in MODELS}
    assert all(count > 0 for counts in before.values() for count in counts.values())
    opened.get_by_label("m (large)").uncheck()
    assert shown(opened, "m (large)") == {"marks": 0, "heads": 0, "results": 0}
    assert {model: shown(opened, model) for model in ("m", "other")} == {m: before[m] for m in ("m", "other")}
    assert "without=m+%28large%29" in opened.url
    opened.reload()
    unfold(opened)
    assert shown(opened, "m (large)")["marks"] == 0
    assert not opened.get_by_label("m (large)").is_checked()
    opened.get_by_label("m (large)").check()
    assert {model: shown(opened, model) for model in MODELS} == before
    assert "without" not in opened.url


def test_values_of_a_chart_are_told_to_the_pointer_and_to_the_keys(page, show):
    opened = show(page).page
    chart = opened.locator("#profile svg.wide")
    tip = opened.locator("#tip")
    assert not tip.is_visible()
    chart.focus()
    opened.keyboard.press("End")
    last = tip.text_content()
    opened.keyboard.press("Home")
    first = tip.text_content()
    assert tip.is_visible()
    assert first.startswith("m, Sprint: quickness: 50.0 % [40.0, 80.0]")
    assert first != last
    opened.keyboard.press("ArrowRight")
    assert tip.text_content() not in (first, "")
    opened.keyboard.press("Escape")
    assert not tip.is_visible()
    chart.locator("path[data-tip]").nth(1).hover(force=True)
    assert "%" in tip.text_content()


def test_without_javascript_nothing_is_lost(page, browser):
    opened = browser.new_page()
    opened.context.new_cdp_session(opened).send("Emulation.setScriptExecutionDisabled", {"value": True})
    opened.goto(page.as_uri())
    assert opened.locator(".panel nav").is_visible()
    assert opened.locator("svg.wide title").count() > 20
    assert not opened.locator("fieldset").is_visible()
    opened.locator("#how > details > summary").click()
    assert opened.locator("#how table").first.is_visible()
    opened.close()
