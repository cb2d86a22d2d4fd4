"""A study as a participant meets it in a browser: with a mouse, by keyboard alone, on a phone, and in a frame."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import pytest
from axe_playwright_python import base as axe

from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study_file import read_study
from support.studies.taking import (
    CHECK,
    FRAME,
    SCHEMA,
    Clock,
    Participant,
    block_of,
    client,
    server,
    study_file,
)

pytestmark = pytest.mark.slow


FIELDS = [
    {"name": "age", "label": "How old are you?", "kind": "number", "low": 18, "required": True},
    {"name": "home", "label": "Where do you live?", "kind": "choice", "options": ["by the sea", "inland"]},
    {"name": "tongue", "label": "First language?", "kind": "choice", "options": [f"L{i}" for i in range(10)]},
    {"name": "work", "label": "What do you do?", "kind": "text"},
]


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """The addresses of a study of every kind of page, for participants and its researcher; somebody was too fast."""
    folder = tmp_path_factory.mktemp("study")
    statement = {
        "kind": "statement",
        "statements": ["Water is wet. " * 9],
        "q1": "Do you agree?",
        "q2": "Would most?",
    }
    blocks = [statement, block_of("frame", folder, FRAME, answers=3), block_of("choice", folder, SCHEMA)]
    study = study_file(
        folder,
        items=blocks,
        per_item=50,
        demographics=FIELDS,
        checks=[CHECK],
        time_limit=30,
        ids={"participant": "pid"},
        completion={"code": "C1A2B3", "address": "https://platform.example/done"},
    )
    with closing(Storage.open(folder / "answers.db")) as storage:
        browser = client(read_study(study), storage, Clock(time.time_ns() // 10**6))
        Participant(browser, "/?pid=quick").agree().send().send(age="35").finish()
    with server(study, folder / "answers.db", 0) as (process, base):
        yield base, process.research


@pytest.fixture(scope="module")
def address(addresses):
    """The address for participants."""
    return addresses[0]


class Looking:
    """A page, and whether it is as it should be."""

    def __init__(self, page: Any, width: int) -> None:
        self.page, self.width, self.said = page, width, list[str]()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def look(self) -> None:
        """The page fits, says nothing to the console, and has no fault that axe finds."""
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self.width
        # In a world of its own, as the page itself lets no script in.
        session = self.page.context.new_cdp_session(self.page)
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
        session.send("Runtime.evaluate", {"contextId": world, "expression": axe.AXE_SCRIPT})
        found = session.send(
            "Runtime.evaluate",
            {
                "contextId": world,
                "expression": "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))",
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        assert found["result"]["value"] == [], self.page.url
        assert self.said == []

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()
        self.page.wait_for_load_state()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_the_whole_way_is_clean(browser, address, width, scheme):
    browser.clear_cookies()
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    one = Looking(page, width)
    page.goto(f"{address}?pid=p{width}")
    one.look()
    one.press("I agree")
    one.look()
    one.press("Continue")
    one.press("Continue")  # Nothing is filled in yet.
    assert page.evaluate("document.activeElement.className") == "errors"
    one.look()
    page.get_by_role("link", name="How old are you?").click()
    assert page.evaluate("document.activeElement.name") == "age"
    page.get_by_label("How old are you?").fill("35")
    page.get_by_label("by the sea").check()
    page.get_by_label("First language?").select_option("L3")
    one.press("Continue")
    for _ in range(4):
        one.look()
        for group in page.get_by_role("group").all():
            group.get_by_role("radio").last.check()
        if page.get_by_label("Answer 1").count():
            page.get_by_label("Answer 1").fill("wind")
        one.press("Continue")
    one.look()
    page.reload()
    page.go_back()
    assert page.get_by_role("button", name="Continue").count() == 1
    page.go_forward()
    one.press("Finish")
    one.look()
    assert "C1A2B3" in page.text_content("main")
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_the_researchers_page_is_clean(browser, addresses, width, scheme):
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    one = Looking(page, width)
    page.goto(addresses[1])
    one.look()
    assert "too fast" in page.text_content("main")
    one.press("Pause")
    one.look()
    one.press("Resume")
    page.close()
