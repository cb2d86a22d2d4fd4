"""Measures how a served study bears many participants at once, and checks that no answer is lost.

    python benchmarks/collect/load.py [--people 300] [--items 20] [--think 3] [--root FOLDER]

The server is ``probsense collect`` in a process of its own. Everybody arrives in the same moment, each over a
connection of their own, reads every page, thinks for an exponential time with the given mean in seconds, and answers.
Meanwhile the researcher's page is loaded every five seconds. Times run from the request to the last byte, and include
the wait for a client that shares the machine; ``--think 0`` measures throughput, slowed by the limit on each
participant's pace.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import urlencode, urljoin, urlsplit

import numpy as np
import yaml

from probsense.studies.collect.answers import gather
from probsense.studies.collect.storage import Storage

EVERY = 5.0
"""Seconds between two looks of the researcher, and between two measurements of memory."""


@dataclass
class Load:
    """What was measured: seconds of requests and of the researcher's page, and memory in MB."""

    seconds: list[float] = field(default_factory=list)
    research: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


class Browser:
    """One connection that stays open."""

    def __init__(self, base: str, load: Load) -> None:
        self.base, self.load = base, load
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, form: Mapping[str, str] | None = None) -> tuple[str, str]:
        """Return where a request leads, and the page; ask again after a while if the server wants patience."""
        while True:
            start = time.perf_counter()
            try:
                code, headers, body = await self._once(path, form)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.streams = (
                    None  # The server closes a connection that nobody uses; browsers open another one.
                )
                code, headers, body = await self._once(path, form)
            if code != 429:
                self.load.seconds.append(time.perf_counter() - start)
                assert code in (200, 303), (code, path, body)
                return urljoin(path, headers.get("location", "")), body
            self.load.refused += 1
            await asyncio.sleep(1)

    async def _once(self, path: str, form: Mapping[str, str] | None) -> tuple[int, dict[str, str], str]:
        host = urlsplit(self.base)
        if self.streams is None:
            self.streams = await asyncio.open_connection(host.hostname, host.port)
        reader, writer = self.streams
        body = urlencode(form).encode() if form is not None else b""
        verb = "GET" if form is None else "POST"
        length = f"Content-Length: {len(body)}\r\n" if form is not None else ""
        writer.write(f"{verb} {path} HTTP/1.1\r\nHost: {host.netloc}\r\n{length}\r\n".encode() + body)
        await writer.drain()
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            writer.close()
            self.streams = None
        return int(first.split()[1]), headers, content.decode()


async def take_part(base: str, load: Load, number: int, think: float) -> tuple[str, dict[str, str]]:
    """Go the whole way; return the person's token, and what the server confirmed by the number of the page."""
    browser, chance, confirmed = Browser(base, load), Random(number), dict[str, str]()
    _, page = await browser.ask("/")
    path, _ = await browser.ask("/start", {**hidden(page), "consent": "yes"})
    while not path.endswith("/end"):
        _, page = await browser.ask(path)
        if think:
            await asyncio.sleep(chance.expovariate(1 / think))
        name = path.rsplit("/", 1)[1]
        answer = {"q1": chance.choice(["yes", "no"]), "q2": "no"} if name.isdigit() else {}
        path, _ = await browser.ask(path, {**hidden(page), "go": "on", **answer})
        if answer:
            confirmed[name] = answer["q1"]
    await browser.ask(path)
    return path.split("/")[2], confirmed


def hidden(page: str) -> dict[str, str]:
    """Return what the form of a page sends along."""
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page))


async def watch(research: str, process: int, load: Load) -> None:
    """Look at the researcher's page and at the server's memory again and again."""
    aside = Load()
    browser = Browser(research, aside)
    while True:
        await browser.ask(urlsplit(research).path)
        load.research = aside.seconds
        status = Path(f"/proc/{process}/status").read_text()
        load.memory.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024)
        await asyncio.sleep(EVERY)


async def run(base: str, research: str, process: int, people: int, think: float) -> tuple[Load, list]:
    """Let everybody take part."""
    load = Load()
    watching = asyncio.create_task(watch(research, process, load))
    found = await asyncio.gather(*(take_part(base, load, number, think) for number in range(people)))
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    return load, found


def study(folder: Path, people: int, items: int) -> Path:
    """Write a study of statements in which everybody gets a third of them."""
    block = {"kind": "statement", "statements": [f"Statement {i} is true." for i in range(3 * items)]}
    document = {
        "title": "Load",
        "consent": "Agree.",
        "instructions": "Answer.",
        "items": [{**block, "q1": "Do you agree?", "q2": "Would most people?"}],
        "per_item": people,
        "per_person": items,
    }
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def check(db: Path, found: list[tuple[str, dict[str, str]]]) -> None:
    """Compare what is stored with what was confirmed."""
    with closing(Storage.open_known(db)) as storage:
        stored = {
            one.person.token: {item.page: item.values["q1"] for item in one.items} for one in gather(storage)
        }
        ends = [person.end for person in storage.people()]
    assert stored == dict(found), "what is stored differs from what was confirmed"
    assert ends == ["completion"] * len(found)


def report(load: Load, wall: float, cpu: float, before: float) -> None:
    """Print what was measured."""
    p50, p95, p99 = np.percentile(load.seconds, [50, 95, 99]) * 1000
    count = len(load.seconds)
    print(f"{count:,} requests in {wall:.0f} s ({count / wall:.0f}/s)")
    print(f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms, longest {max(load.seconds) * 1000:.0f} ms")
    looks = np.array(load.research) * 1000
    print(f"researcher's page: median {np.median(looks):.0f} ms, longest {looks.max():.0f} ms")
    print(f"server: {cpu / count * 1000:.2f} ms of CPU a request, the researcher's page included")
    half = load.memory[len(load.memory) // 2]
    print(f"memory: {load.memory[0]:.0f} MB at first, {half:.0f} halfway, {load.memory[-1]:.0f} at the end")
    print(f"load of the machine: {before:.1f} before, {os.getloadavg()[0]:.1f} after, {os.cpu_count()} cores")


def main() -> None:
    """Serve a study, let everybody take part, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--items", type=int, default=20, help="how many each person gets")
    parser.add_argument("--think", type=float, default=3.0, help="mean seconds for a page")
    parser.add_argument("--root", type=Path, help="folder for the file of answers, as disks differ")
    chosen = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=chosen.root) as scratch:
        folder = Path(scratch)
        db = folder / "answers.db"
        words = ["collect", "serve", str(study(folder, chosen.people, chosen.items)), "--db", str(db)]
        process = subprocess.Popen(
            [sys.executable, "-m", "probsense", *words, "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        try:
            base, research = (process.stdout.readline().split()[1] for _ in range(2))
            start = time.perf_counter()
            load, found = asyncio.run(run(base, research, process.pid, chosen.people, chosen.think))
            wall = time.perf_counter() - start
            ticks = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            cpu = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        finally:
            process.kill()
            process.wait()
        check(db, found)
    report(load, wall, cpu, before)
    print(f"no answer is lost: {sum(len(answers) for _, answers in found):,} of {chosen.people} people")


if __name__ == "__main__":
    main()
