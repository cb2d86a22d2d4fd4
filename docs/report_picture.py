"""What a reader of a report sees first, as pictures: ``python docs/report_picture.py REPORT.html OUT.png``.

Beside OUT.png, which is light and tall, come OUT-light.png, OUT-dark.png and OUT-phone.png: first screens. With "-"
for the report, OUT.png shows what comes on standard input, as a terminal of 100 columns does. Needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
from html import escape
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import sync_playwright

SCREENS: Final[dict[str, tuple[int, int, Literal["light", "dark"]]]] = {
    "": (1100, 1380, "light"),
    "-light": (1280, 800, "light"),
    "-dark": (1280, 800, "dark"),
    "-phone": (390, 844, "light"),
}
"""Width, height and colours of each picture, by the end of its name."""


TERMINAL: Final = (
    "width: 100ch; margin: 0; padding: 1em; white-space: pre-wrap; font: 14px/1.3 monospace; color: #e6e8eb;"
    " background: #15181c"
)
"""How the text of a terminal is set."""


def pictures(report: Path, out: Path) -> None:
    """Draw the top of a report on each screen, or a terminal."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        if str(report) == "-":
            page = browser.new_page()
            page.set_content(f'<pre style="{TERMINAL}">{escape(sys.stdin.read())}</pre>')
            page.locator("pre").screenshot(path=out)
            return
        for name, (width, height, colours) in SCREENS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
            page.goto(report.resolve().as_uri())
            page.screenshot(path=out.with_stem(out.stem + name))
        browser.close()


if __name__ == "__main__":
    pictures(*map(Path, sys.argv[1:]))
