"""The top of a report as a picture: ``python docs/report_picture.py REPORT.html OUT.png``; needs Chromium."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1100, 1380


def picture(report: Path, out: Path) -> None:
    """Draw what a reader of a report sees first."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report.resolve().as_uri())
        page.screenshot(path=out)
        browser.close()


if __name__ == "__main__":
    picture(*map(Path, sys.argv[1:]))
