"""Pages in a headless Chromium, where there is one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python import base as axe
from playwright.sync_api import sync_playwright

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@dataclass
class Opened:
    """A page, everything that it said to the console, and everything that it asked for besides itself."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser with a new profile of its own."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("there is no chromium")
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=executable, headless=True, args=FLAGS
        )
        yield context
        context.close()


@pytest.fixture(scope="session")
def faults():
    """Say what axe finds on a page, all of whose details are opened."""

    def found(page: Any) -> list[tuple[str, list[str]]]:
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.evaluate(axe.AXE_SCRIPT)
        said = page.evaluate("axe.run()")
        assert said["passes"]
        return [
            (fault["id"], [node["html"][:120] for node in fault["nodes"][:3]]) for fault in said["violations"]
        ]

    return found


@pytest.fixture
def show(browser):
    """Open a file at a width, in a colour scheme."""
    pages = []

    def opened(path: Path, width: int = 1400, scheme: str = "light") -> Opened:
        page = browser.new_page()
        pages.append(page)
        found = Opened(page)
        page.on("console", lambda message: found.said.append(message.text))
        page.on("pageerror", lambda error: found.said.append(str(error)))
        page.on("dialog", lambda dialog: (found.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: found.asked.append(request.url))
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto(path.as_uri())
        assert found.asked == [path.as_uri()]
        found.asked.clear()
        return found

    yield opened
    for page in pages:
        page.close()
