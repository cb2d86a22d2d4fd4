"""The site as a reader meets it: every width and colour scheme, by keyboard, without a script, without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import probsense as ps
from probsense.models.small.random import RandomModel
from probsense.runs.evaluate import evaluate

pytestmark = pytest.mark.slow

Show = Callable[..., Any]
MODELS = 12
LONG = "hf:an-organisation-with-a-long-name/a-model-with-an-even-longer-name-of-many-parts-instruct-v0.3"
PAGES = (
    "index.html",
    "methods.html",
    "data.html",
    "tasks/worldsense.html",
    "tasks/worldsense-items.html",
    "tasks/suite.html",
    "models/random-0.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a site of twelve models, of which half have a family and a size."""
    folder = tmp_path_factory.mktemp("site")
    for seed in range(MODELS):
        name = LONG if seed == MODELS - 1 else f"random:{seed}"
        for task in ("worldsense", "judgments", "suite"):
            evaluate(task, RandomModel(name, seed), limit=12, store=folder / "a.db", quiet=True)
    known = "".join(
        f"'random:{i}': {{family: {'Even' if i % 2 == 0 else 'Odd'}, size: {10**i}}}\n" for i in range(8, 11)
    )
    (folder / "models.yaml").write_text(known)
    out = folder / "site"
    ps.site(folder / "a.db", out=out, models=folder / "models.yaml")
    return out


def names(page: Any) -> list[str]:
    """List the models that the leaderboard shows, in order."""
    return [
        row.locator("a").inner_text()
        for row in page.locator("table.board tbody tr").all()
        if row.is_visible()
    ]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("width", "scheme"), [(1400, "light"), (400, "dark"), (400, "light"), (1400, "dark")]
)
def test_every_page_fits_is_quiet_and_has_no_faults(
    site: Path, show: Show, faults: Any, name: str, width: int, scheme: str
) -> None:
    opened = show(site / name, width, scheme)
    assert faults(opened.page) == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert (opened.said, opened.asked) == ([], [])


def test_a_leaderboard_sorts_by_keyboard(site: Path, show: Show) -> None:
    page = show(site / "tasks" / "suite.html").page
    values = [row["value"] for row in _rows(page)]
    assert values == sorted(values, reverse=True)
    page.get_by_role("button", name="Model").focus()
    page.keyboard.press("Enter")
    assert names(page) == sorted(names(page), key=lambda name: (name[:7], _number(name)))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    values = [row["value"] for row in _rows(page)]
    assert values == sorted(values)
    assert page.locator("th[aria-sort=ascending]").count() == 1


def _number(name: str) -> int:
    return int(name.partition(":")[2]) if name.startswith("random:") else 0


def _rows(page: Any) -> list[dict[str, float]]:
    found: list[dict[str, float]] = page.eval_on_selector_all(
        "table.board tbody tr", "(rows) => rows.map((row) => ({ value: Number(row.cells[1].dataset.value) }))"
    )
    return found


def test_a_leaderboard_is_filtered_by_keyboard(site: Path, show: Show) -> None:
    page = show(site / "tasks" / "suite.html").page
    page.get_by_label("Family").focus()
    page.keyboard.type("Even")
    assert sorted(names(page)) == ["random:10", "random:8"]
    assert page.locator("output").inner_text() == f"2 of {MODELS} shown"
    page.get_by_label("Size").select_option("under 1 B")
    assert names(page) == ["random:8"]
    page.get_by_label("Family").select_option("")
    page.get_by_label("Size").select_option("unknown")
    assert len(names(page)) == MODELS - 3
    page.get_by_label("Model", exact=True).focus()
    page.keyboard.type("LONGER")
    assert names(page) == [LONG]


def test_intervals_stand_where_the_axis_says(site: Path, show: Show) -> None:
    page = show(site / "tasks" / "suite.html").page
    places = page.evaluate(
        """() => {
            const middle = (box) => box.x + box.width / 2;
            const ticks = [...document.querySelectorAll("th .axis > span")];
            const ends = ticks.map((one) => middle(one.getBoundingClientRect()));
            return [...document.querySelectorAll("table.board tbody tr")].map((row) => ({
                value: Number(row.cells[1].dataset.value),
                share: (middle(row.querySelector("circle").getBoundingClientRect()) - ends[0]) / (ends[2] - ends[0]),
            }));
        }"""
    )
    assert len(places) == MODELS
    for place in places:
        assert place["share"] == pytest.approx(place["value"], abs=0.02)


def test_without_a_script_all_but_sorting_and_filters_is_there(site: Path, browser: Any) -> None:
    context = browser.browser
    if context is None:
        page = browser.new_page()
        page.route("**/*", lambda route: route.continue_())
    else:
        page = context.new_context(java_script_enabled=False).new_page()
    text = (site / "tasks" / "suite.html").read_text()
    page.set_content(text[: text.rindex("<script>")])
    assert len(page.locator("table.board tbody tr").all()) == MODELS
    assert page.locator("form.filters").is_hidden()
    assert page.locator("circle.mark").first.is_visible()
    page.close()


def test_a_link_to_a_question_leads_to_it(site: Path, show: Show) -> None:
    page = show(site / "tasks" / "worldsense-items.html").page
    page.locator("ol.contents a").nth(4).click()
    assert page.url.partition("#")[2].startswith("item-")
    assert page.locator(":target").is_visible()
    summary = page.locator("section.question summary").nth(4)
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("section.question").nth(4).locator("details tbody tr").count() == MODELS
