"""Makes up people who take part in a study, over HTTP and in Chromium, and the server that is killed meanwhile."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any
from urllib.parse import urljoin

import httpx

from rehearsal import Read, read_page

STATEMENTS = {
    "Rain makes the street wet.": 0.97,
    "A full stomach helps with shopping for food.": 0.7,
    "Most dogs can swim.": 0.75,
    "A candle burns longer in a closed jar.": 0.1,
    "Children sleep more than adults.": 0.95,
    "It is rude to open a gift at once.": 0.3,
    "Tea tastes better from a thin cup.": 0.5,
    "A ladder should stand on firm ground.": 0.98,
    "People who whistle are happy.": 0.45,
    "Bread gets hard in the open air.": 0.93,
    "A short letter takes less time to write than a long one.": 0.6,
    "Cats know when their owners are sad.": 0.6,
    "Snow can be warm.": 0.05,
    "Whoever borrows a book should give it back.": 0.97,
    "Moving house is harder than it seems.": 0.85,
    "A loud room makes people hungry.": 0.25,
    "Old keys should be kept.": 0.4,
    "An empty box weighs nothing.": 0.15,
    "Neighbours should greet each other.": 0.9,
    "Salt water freezes as easily as fresh water.": 0.3,
}
"""Statements, and the share of the people who agree."""

FRAMES = {
    "A kite is torn.": ("By what?", ("wind", "a branch", "a dog", "a wire")),
    "A loaf of bread is sliced.": ("With what?", ("a knife", "a bread knife", "a machine")),
    "A letter is read aloud.": ("Where?", ("in the kitchen", "in bed", "at school", "at home")),
    "A boat is painted.": ("By whom?", ("the owner", "a painter", "a sailor")),
    "A window is closed.": ("Why?", ("it is cold", "it rains", "noise", "wind")),
}
"""Situations, their questions, and what people answer."""

CHECK = {
    "text": "To show that you read this, please choose Blue.",
    "options": ["Red", "Blue"],
    "expected": "Blue",
}
STOPS_AFTER = 4
"""On which page with an answer the two people stop who leave for good."""
SECONDS = 120.0
Page = Mapping[str, str]


@dataclass
class Record:
    """What a person sent, and what the server confirmed, by the page; every version is the same."""

    sent: dict[str, dict[str, str]] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)
    last: str = ""


class Records:
    """What all people did, and what is to happen when so many answers are confirmed."""

    def __init__(self, thresholds: Sequence[int], then: Callable[[], None]) -> None:
        self.of: dict[str, Record] = {}
        self._thresholds, self._then = [*thresholds], then
        self._count, self._lock = 0, Lock()

    def confirm(self, record: Record, page: str) -> None:
        """Note an answer; kill the server if it is time."""
        with self._lock:
            record.confirmed.add(page)
            self._count += 1
            if self._thresholds and self._count >= self._thresholds[0]:
                del self._thresholds[0]
                self._then()


class Server:
    """The command, which can be killed and started again at the same port."""

    def __init__(self, study: Path, db: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words = ("collect", "serve", study, "--db", db, "--port", port)
        self._command = [sys.executable, "-m", "probsense", *map(str, words)]
        self.kills = 0
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        self.base, self.research = (self.process.stdout.readline().split()[1] for _ in range(2))

    def kill(self) -> None:
        """Kill it without a word, and start another one."""
        self.stop()
        self.kills += 1
        self.start()

    def stop(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()


def answers_to(person: str, page: Read) -> dict[str, str]:
    """Decide what a person answers on a page: always the same."""
    chance = Random(f"{person}/{page.text}")
    if page.text in STATEMENTS:
        agree = STATEMENTS[page.text]
        return {
            "q1": "yes" if chance.random() < agree else "no",
            "q2": "yes" if chance.random() < 0.2 + 0.6 * agree else "no",
        }
    for situation, (_, words) in FRAMES.items():
        if page.text.startswith(situation):
            return {"answer_1": chance.choice(words)}
    return {
        one.name: next(value for value, words in one.options if words == CHECK["expected"])
        for one in page.fields
    }


def is_item(page: Read) -> bool:
    """Tell whether a page asks about an item of the study; an attention check is a question without a statement."""
    return bool(page.fields) and bool(page.text)


def over_http(server: Server, records: Records, person: str, chance: Random, think: float, most: int) -> str:
    """Take part with a client that tries again until it is answered; stop for good after so many answers."""
    record, address = records.of[person], f"{server.base}?pid={person}&sid=s{person}"
    with httpx.Client(timeout=10, trust_env=False, follow_redirects=False) as browser:

        def ask(where: str, form: Page | None = None) -> httpx.Response:
            deadline = time.monotonic() + SECONDS
            while True:
                try:
                    found = browser.get(where) if form is None else browser.post(where, data=form)
                except httpx.TransportError:
                    assert time.monotonic() < deadline, "the server does not come back"
                    time.sleep(0.1)
                    continue
                if found.status_code != 429:
                    assert found.status_code in (200, 303), (where, found.status_code)
                    return found
                time.sleep(1)

        where = address
        while True:
            found = ask(where)
            while found.is_redirect:
                where = urljoin(where, found.headers["location"])
                found = ask(where)
            page = read_page(found.text)
            if not page.action:
                return page.heading
            time.sleep(chance.expovariate(1 / think))
            values = answers_to(person, page) if page.fields else {}
            name = where.rsplit("/", 1)[1].partition("?")[0]
            if is_item(page):
                record.sent[name] = values
            found = ask(urljoin(where, page.action), {**page.hidden, **values})
            if is_item(page):
                records.confirm(record, name)
                if len(record.confirmed) == most:
                    return "left"
            where = urljoin(where, found.headers["location"]) if found.is_redirect else address


async def in_browser(
    chromium: Any,
    server: Server,
    records: Records,
    person: str,
    chance: Random,
    think: float,
    most: int,
    width: int,
) -> str:
    """Take part in a window of Chromium; after an error, open the address of the study again, as people do."""
    from playwright.async_api import Error

    record, address = records.of[person], f"{server.base}?pid={person}&sid=s{person}"
    context = await chromium.new_context(viewport={"width": width, "height": 900})
    window = await context.new_page()
    window.set_default_timeout(15_000)
    deadline = time.monotonic() + 4 * SECONDS
    try:
        while time.monotonic() < deadline:
            try:
                if not window.url.startswith(server.base):
                    await window.goto(address)
                page, before = read_page(await window.content()), window.url
                if not page.action:
                    return page.heading
                await asyncio.sleep(chance.expovariate(1 / think))
                name = before.rsplit("/", 1)[1].partition("?")[0]
                values = answers_to(person, page) if page.fields else {}
                if is_item(page):
                    record.sent[name] = values
                for key, value in values.items():
                    if key.startswith("answer"):
                        await window.fill(f'input[name="{key}"]', value)
                    else:
                        await window.check(f'input[name="{key}"][value="{value}"]')
                first, button = next(iter((k, v) for k, v in page.hidden.items() if k in ("go", "consent")))
                await window.click(f'button[name="{first}"][value="{button}"]')
                await window.wait_for_url(lambda url, before=before: url != before)
                if is_item(page) and window.url.startswith(server.base):
                    # Killing the server waits for a new one, and nobody else is to wait with it.
                    await asyncio.to_thread(records.confirm, record, name)
                    if len(record.confirmed) == most:
                        return "left"
            except Error:
                await asyncio.sleep(0.3)
                with suppress(Error):
                    await window.goto(address)
        return "gave up"
    finally:
        await context.close()


async def browsing(
    server: Server, records: Records, people: Sequence[str], think: float, stops: str
) -> list[str]:
    """Let people take part in one Chromium, each in a window with cookies of their own."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        chromium = await driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        found = await asyncio.gather(
            *(
                in_browser(
                    *(chromium, server, records, person, Random(person), think),
                    most=STOPS_AFTER if person == stops else 10**6,
                    width=(1400, 400)[number % 2],
                )
                for number, person in enumerate(people)
            )
        )
        await chromium.close()
    return found
