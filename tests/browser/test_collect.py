"""A study as a participant meets it in a browser: with a mouse, by keyboard alone, on a phone, and in a frame."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python import base as axe

from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study_file import read_study
from support.studies.taking import Clock, Participant, client, server, study_file

pytestmark = pytest.mark.slow


FIELDS = [
    {"name": "age", "label": "How old are you?", "kind": "number", "low": 18, "required": True},
    {"name": "home", "label": "Where do you live?", "kind": "choice", "options": ["by the sea", "inland"]},
    {"name": "tongue", "label": "First language?", "kind": "choice", "options": [f"L{i}" for i in range(10)]},
    {"name": "work", "label": "What do you do?", "kind": "text"},
]
CHECK = {"text": "Choose blue.", "options": ["red", "blue"], "expected": "blue"}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of a study of every kind of page, for participants and its researcher; somebody was too fast."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "f.jsonl").write_text('{"id": "k", "context": "A kite is torn.", "question": "By what?"}\n')
    (folder / "w.jsonl").write_text(
        '{"qID": "1", "sentence": "The _ was large.", "option1": "cup", "option2": "bag", "answer": "2"}\n'
    )
    blocks = [
        {
            "kind": "statement",
            "statements": ["Water is wet. " * 9],
            "q1": "Do you agree?",
            "q2": "Would most?",
        },
        {"kind": "frame", "data": "f.jsonl", "answers": 3},
        {"kind": "choice", "data": "w.jsonl"},
    ]
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
        somebody = Participant(
            client(read_study(study), storage, Clock(time.time_ns() // 10**6)), "/?pid=quick"
        )
        somebody.agree().send().send(age="35").finish()
    with server(study, folder / "answers.db", 0) as (process, base):
        yield base, process.research


@pytest.fixture(scope="module")
def address(addresses: tuple[str, str]) -> str:
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
def test_the_whole_way_is_clean(browser: Any, address: str, width: int, scheme: str, tmp_path: Path) -> None:
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
        page.screenshot(path=tmp_path / f"{width}.png")
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


def test_the_whole_way_by_keyboard(browser: Any, address: str) -> None:
    browser.clear_cookies()
    page = browser.new_page()
    page.goto(f"{address}?pid=keys")

    def tab_to(check: str) -> None:
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate(f"(e => {check})(document.activeElement)"):
                return
        raise AssertionError(check)

    def enter() -> None:
        with page.expect_navigation():
            page.keyboard.press("Enter")

    tab_to("e.value === 'yes'")
    enter()
    tab_to("e.value === 'on'")
    enter()
    tab_to("e.name === 'age'")
    page.keyboard.type("35")
    enter()  # from the field itself: on, not back
    seen = set()
    while page.locator("h1").text_content().startswith("Question"):
        seen.add(page.locator("h1").text_content())
        for name in page.evaluate(
            "[...new Set([...document.querySelectorAll('input:not([type=hidden])')].map(e => e.name))]"
        ):
            tab_to(f"e.name === '{name}'")
            if page.evaluate("document.activeElement.type") == "radio":
                page.keyboard.press("Space")
                page.keyboard.press("ArrowDown")
            else:
                page.keyboard.type("wind")
        tab_to("e.value === 'on'")
        enter()
    assert len(seen) == 4
    tab_to("e.value === 'on'")
    enter()
    assert page.locator("h1").text_content() == "Thank you"
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_the_researchers_page_is_clean(
    browser: Any, addresses: tuple[str, str], width: int, scheme: str, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    one = Looking(page, width)
    page.goto(addresses[1])
    one.look()
    assert "too fast" in page.text_content("main")
    page.screenshot(path=tmp_path / f"{width}.png", full_page=True)
    one.press("Pause")
    one.look()
    stranger = browser.new_page()
    stranger.goto(f"{addresses[0]}?pid=late{width}")
    assert stranger.locator("h1").text_content() == "This study is paused"
    stranger.close()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download answers").click()
    assert zipfile.is_zipfile(download.value.path())
    one.press("Resume")
    assert page.get_by_role("button", name="Pause").count() == 1
    page.close()


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address of another site that shows its files."""
    folder = tmp_path / "platform"
    folder.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("localhost", 0), handler) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        yield folder, f"http://localhost:{site.server_port}"
        site.shutdown()


@pytest.mark.parametrize("allowed", [True, False])
def test_only_a_named_platform_can_show_it_in_a_frame(
    browser: Any, platform: tuple[Path, str], tmp_path: Path, allowed: bool
) -> None:
    """The frame gets no cookies, as the address of another site; the way leads to the end without."""
    folder, origin = platform
    study = study_file(tmp_path, per_person=1, **({"embed": [origin]} if allowed else {}))
    with server(study, tmp_path / "answers.db", 0) as (_, base):
        (folder / "task.html").write_text(f'<iframe src="{base}" width="600" height="900"></iframe>')
        browser.clear_cookies()
        page = browser.new_page()
        page.goto(f"{origin}/task.html")
        frame = page.frame_locator("iframe")
        if not allowed:
            assert frame.get_by_text("About this study").count() == 0
            page.close()
            return
        frame.get_by_role("button", name="I agree").click()
        frame.get_by_role("button", name="Continue").click()
        frame.get_by_role("group").first.get_by_role("radio").first.check()
        frame.get_by_role("group").last.get_by_role("radio").first.check()
        assert browser.cookies(base) == []
        frame.get_by_role("button", name="Continue").click()
        frame.get_by_role("button", name="Finish").click()
        frame.get_by_role("heading", name="Thank you").wait_for()
        page.close()
