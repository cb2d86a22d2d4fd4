"""Takes a study from its file to a report, with people who are made up, and accounts for every answer.

    python benchmarks/collect_acceptance.py [--people 40] [--browsers 6] [--model MODEL ...] [--out DIR]

The server is ``probsense collect`` in a process of its own. Some people sit in Chromium, the others ask over HTTP, all
at once. Two of them stop midway and never return, one of them in Chromium if anybody is. The server is killed twice
(SIGKILL) while people answer, and started again. Each item needs so many people that the last two find places only if
those of the two who stopped were given back; they come after that time. Then the export must hold every answer that the
server confirmed, none twice, and none that nobody sent. Last, models are set against the export, and a page reports it.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any
from urllib.parse import urljoin

import httpx
import yaml

from probsense.studies.collect.rehearsal import Read, read_page

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
CODE = "C1A2B3"
PER_PERSON = 10
KILLED_AFTER = 4
"""On which page with an answer the two people stop."""
KILLS = (0.3, 0.65)
"""The shares of all answers at which the server is killed."""
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
                    most=KILLED_AFTER if person == stops else 10**6,
                    width=(1400, 400)[number % 2],
                )
                for number, person in enumerate(people)
            )
        )
        await chromium.close()
    return found


def write_study(folder: Path, people: int, away: float) -> Path:
    """Write a study whose goal needs all people but the two who stop."""
    frames = "".join(
        f'{{"id": "f{i}", "context": "{context}", "question": "{question}"}}\n'
        for i, (context, (question, _)) in enumerate(FRAMES.items())
    )
    (folder / "frames.jsonl").write_text(frames)
    statements = {
        "kind": "statement",
        "statements": [*STATEMENTS],
        "q1": "Do you agree with this statement?",
        "q2": "Do you think most people would agree with this statement?",
        "per_person": PER_PERSON,
        "per_item": people * PER_PERSON // len(STATEMENTS),
    }
    document = {
        "title": "Everyday life",
        "consent": "We study what people think about everyday life.\n\n- You may stop at any time.",
        "instructions": "There are no right or wrong answers.",
        "items": [statements, {"kind": "frame", "data": "frames.jsonl"}],
        "per_item": people,
        "checks": [CHECK],
        "abandon_after": away,
        "ids": {"participant": "pid", "session": "sid"},
        "completion": {"code": CODE},
    }
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open(newline="") as stream:
        return [*csv.DictReader(stream)]


def account(out: Path, records: Mapping[str, Record], stopped: Sequence[str]) -> Iterator[str]:
    """Compare an export with what people sent and what the server confirmed; yield what was found."""
    people = {row["person"]: row for row in rows(out / "participants.csv")}
    who = {number: row["participant"] for number, row in people.items()}
    assert Counter(who.values()) == Counter(dict.fromkeys(records, 1)), "somebody is missing, or there twice"
    stored: dict[str, dict[str, dict[str, str]]] = {person: {} for person in records}
    for row in rows(out / "answers.csv"):
        if row["kind"] == "check":  # What people are recorded to have sent is about items alone.
            continue
        fields = stored[who[row["person"]]].setdefault(row["page"], {})
        assert row["field"] not in fields, f"twice: {row}"
        assert row["versions"] == "1", f"several versions: {row}"
        fields[row["field"]] = row["value"]
    confirmed = lost = foreign = 0
    for person, record in records.items():
        for page in record.confirmed:
            confirmed += 1
            lost += stored[person].get(page) != record.sent[page]
        foreign += sum(record.sent.get(page) != values for page, values in stored[person].items())
    assert (lost, foreign) == (0, 0), f"{lost} answers are lost, {foreign} were never sent"
    count = sum(map(len, stored.values()))
    yield f"{count:,} answers in the export, {confirmed:,} confirmed to people: none lost, none twice, none foreign"
    finished = [row for row in people.values() if row["end"] == "completion" and row["kept"] == "1"]
    assert {row["participant"] for row in finished} == {*records} - {*stopped}
    each = Counter(row["statement_id"] for row in rows(out / "people.csv"))
    least, most = min(each.values()), max(each.values())
    yield f"{len(finished)} of {len(people)} people finished; statements have {least} to {most} people each"


def take_part(
    server: Server, records: Records, people: Sequence[str], browsers: int, think: float, away: float
) -> tuple[list[str], list[str]]:
    """Let everybody take part; return the last headings of all people, and who stopped."""
    late, first = people[-2:], people[:-2]
    seated, connected = first[:browsers], first[browsers:]
    stopped = [*seated[:1], *connected][:2]
    with ThreadPoolExecutor(len(people)) as pool:
        sitting = pool.submit(
            lambda: asyncio.run(browsing(server, records, seated, think, seated[0])) if seated else []
        )

        def take(person: str) -> str:
            most = KILLED_AFTER if person in stopped else 10**6
            return over_http(server, records, person, Random(person), think, most)

        heads = [*pool.map(take, connected)]
        heads = [*sitting.result(), *heads]
        # Whoever stopped did so long ago, but perhaps not long enough.
        time.sleep(away * 60)
        return [*heads, *pool.map(take, late)], stopped


def analyse(out: Path, models: Sequence[str], folder: Path) -> Iterator[str]:
    """Set models against the export, and write a page; yield what was asked.

    Small models say little that is yes or no, so other answers are dropped: there are more results to report.
    """
    store, report = folder / "runs.db", folder / "report.html"
    humans = ("--judgments.data", out / "statements.csv", "--humans", out / "people.csv", "--other", "drop")
    targets = ("--frames.data", out / "frames.jsonl", "--frames.answers", 8)
    for model in models:
        start = time.perf_counter()
        command(
            "run", "judgments", "frames", "--model", model, *humans, *targets, "--store", store, "--quiet"
        )
        yield f"judgments and frames of {model}: {time.perf_counter() - start:.0f} s"
    command("report", store, "--out", report)
    yield f"report: {report.stat().st_size / 1e6:.1f} MB"


def command(*words: object) -> str:
    """Run a command of ProbSense."""
    done = subprocess.run(
        [sys.executable, "-m", "probsense", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    """Take the study the whole way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=40, help="an even number")
    parser.add_argument("--browsers", type=int, default=6, help="how many of them sit in Chromium")
    parser.add_argument("--think", type=float, default=1.0, help="mean seconds for a page")
    parser.add_argument("--away", type=float, default=0.5, help="minutes after which places are given back")
    parser.add_argument(
        "--model", action="append", default=[], help="set against the export; may be repeated"
    )
    parser.add_argument("--out", type=Path, help="folder to keep everything in")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        study = write_study(folder, chosen.people - 2, chosen.away)
        server = Server(study, folder / "study.db")
        people = [f"w{number}" for number in range(1, chosen.people + 1)]
        whole = chosen.people * (PER_PERSON + len(FRAMES))
        records = Records([round(share * whole) for share in KILLS], server.kill)
        records.of.update((person, Record()) for person in people)
        start = time.perf_counter()
        try:
            heads, stopped = take_part(server, records, people, chosen.browsers, chosen.think, chosen.away)
        finally:
            server.stop()
        assert Counter(heads) == {"Thank you": chosen.people - len(stopped), "left": len(stopped)}, Counter(
            heads
        )
        print(
            f"{chosen.people} people, {chosen.browsers} of them in Chromium: {time.perf_counter() - start:.0f} s"
        )
        print(f"the server was killed {server.kills} times; {len(stopped)} people left for good")
        command("collect", "export", folder / "study.db", "--out", folder / "people")
        for line in account(folder / "people", records.of, stopped):
            print(line)
        for line in analyse(folder / "people", chosen.model, folder) if chosen.model else ():
            print(line, flush=True)


if __name__ == "__main__":
    main()
