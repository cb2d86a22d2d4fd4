"""Takes a study from its file to a report, with people who are made up, and accounts for every answer.

    python benchmarks/collect/acceptance.py [--people 40] [--browsers 6] [--model MODEL ...] [--out DIR]

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
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import yaml

from participants import CHECK, FRAMES, STATEMENTS, STOPS_AFTER, Record, Records, Server, browsing, over_http

CODE = "C1A2B3"
PER_PERSON = 10
KILLS = (0.3, 0.65)
"""The shares of all answers at which the server is killed."""


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
            most = STOPS_AFTER if person in stopped else 10**6
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
    humans = (
        "judgments",
        "--data",
        out / "statements.csv",
        "--humans",
        out / "people.csv",
        "--other",
        "drop",
    )
    targets = ("frames", "--data", out / "frames.jsonl", "--answers", 8)
    for model in models:
        start = time.perf_counter()
        for asked in (humans, targets):
            command("run", *asked, "--model", model, "--store", store, "--quiet")
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
