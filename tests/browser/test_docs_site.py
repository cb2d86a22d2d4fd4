"""The built pages of the documentation: without warnings and without the network, to be found and to be read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.stem for path in DOCS.glob("*.md"))
LOOKED_AT = ("index", "worldsense", "reference-commands", "search")
SCHEMES = ("light", "dark")

LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\s(?:src|srcset|data)=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preload|preconnect))[^>]*?\shref=["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//"""
)
"""Whatever a browser would load from elsewhere by itself."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built pages; a warning is an error. The notebook is not executed: tests/docs/test_notebook.py does."""
    out = tmp_path_factory.mktemp("site")
    how = ("-W", "-q", "-b", "html", "-D", "nb_execution_mode=off", "-d", out / "trees")
    command = (sys.executable, "-m", "sphinx", *how, DOCS, out / "html")
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return out / "html"


@pytest.fixture
def opened(browser, site):
    """Open a page of the site at a width, in a colour scheme."""
    page = browser.new_page()

    def at(name: str, width: int, scheme: str) -> Any:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield at
    page.close()


def test_nothing_comes_from_elsewhere(site):
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    assert len(files) > len(PAGES)
    found = [f"{path.name}: {hit[0]}" for path in files for hit in LOADED.finditer(path.read_text())]
    assert not found


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_axe_finds_nothing(opened, faults, name, scheme):
    assert faults(opened(name, 1400, scheme)) == []


def test_no_page_scrolls_sideways_on_a_phone(opened):
    wide = []
    for name in PAGES:
        page = opened(name, 400, "light")
        if page.evaluate("document.documentElement.scrollWidth") > 400:
            wide.append(name)
    assert not wide


def test_pictures_take_the_colours_of_the_page(opened):
    page = opened("winogrande", 1400, "light")
    colours = []
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        colours.append(page.eval_on_selector("article img", "image => getComputedStyle(image).colorScheme"))
    assert colours == ["light", "dark"]
