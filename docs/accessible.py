"""What the theme leaves out for people who hear a page or use the keyboard; the axe test of the built pages says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ADDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper colwidths-auto docutils container">': (
        '<div class="table-wrapper colwidths-auto docutils container" tabindex="0">'
    ),
}
"""What stands in the pages, and what shall stand there."""

SEARCH = ('<article role="main" id="furo-main-content">', '<h1 class="visually-hidden">Search</h1>')
"""Where the page of the search begins, and the heading that it lacks."""


def finish(app: Any, failed: Exception | None) -> None:
    """Complete the pages that were built."""
    for page in Path(app.outdir).rglob("*.html") if failed is None else ():
        text = found = page.read_text(encoding="utf-8")
        for bare, better in ADDED.items():
            text = text.replace(bare, better)
        if page.name == "search.html" and SEARCH[1] not in text:
            text = text.replace(SEARCH[0], "".join(SEARCH))
        if text != found:
            page.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Complete pages at the end of a build."""
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True}
