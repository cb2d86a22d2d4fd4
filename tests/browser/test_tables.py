"""Tables that a reader can sort."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SCRIPT = (files("probsense.results.page") / "templates" / "tables.js").read_text()
ROWS = (
    ("all", "50.0 (1.2)", "2026-11-22", "9"),
    ("b", "61.2 (2.3)", "2026-01-02", "1,000"),
    ("a10", "–", "2025-12-31", "20"),
    ("A9", "-3.0 (one cluster)", "2026-02-01", "20"),
    ("c", "100.0 [99, 100]", "", "3"),
)


@pytest.fixture
def table(show, tmp_path):
    body = "".join(
        f"<tr{' class=main' if row[0] == 'all' else ''}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in ROWS
    )
    heads = "".join(f"<th>{name}</th>" for name in ("Name", "Share", "Day", "Count"))
    path = tmp_path / "table.html"
    path.write_text(
        f"<!doctype html><meta charset=utf-8><table class=sortable><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        f"<tfoot><tr><td>foot</td></tr></tfoot></table><script>{SCRIPT}</script>"
    )
    opened = show(path)
    assert opened.said == []
    return opened.page


def order(page: Any) -> list[str]:
    return list(
        page.eval_on_selector_all("tbody tr", "(rows) => rows.map((row) => row.cells[0].textContent)")
    )


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        ("Name", ["all", "A9", "a10", "b", "c"], ["all", "c", "b", "a10", "A9"]),
        ("Share", ["all", "c", "b", "A9", "a10"], ["all", "A9", "b", "c", "a10"]),
        ("Day", ["all", "a10", "b", "A9", "c"], ["all", "A9", "b", "a10", "c"]),
        ("Count", ["all", "b", "a10", "A9", "c"], ["all", "c", "a10", "A9", "b"]),
    ],
)
def test_a_column_sorts_one_way_then_the_other_then_not(table, column, first, second):
    unsorted = order(table)
    button = table.get_by_role("button", name=column, exact=True)
    button.focus()
    for expected in (first, second, unsorted):
        table.keyboard.press("Enter")
        assert order(table) == expected
    assert table.locator("[aria-sort]").count() == 0
