"""A study, and people who take part in it by the pages alone."""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urljoin

import yaml
from starlette.testclient import TestClient

from probsense.studies.collect.server.app import build_app
from probsense.studies.collect.study_file import read_study

START = 1_800_000_000_000
CHECK = {"text": "Choose blue.", "options": ["red", "blue"], "expected": "blue"}
HOME = {"name": "home", "label": "Your home?", "kind": "choice", "options": ["sea", "land"]}
FRAME = {"id": "0", "context": "A kite is torn.", "question": "By what?"}
SCHEMA = {"qID": "0", "sentence": "The _ was large.", "option1": "cup", "option2": "bag", "answer": "2"}


def block_of(kind, folder, *records, **keys):
    """Write the records of frames or choices, and return their block of a study."""
    path = folder / f"{kind}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return {"kind": kind, "data": str(path), **keys}


def study_file(folder, **changes):
    """Write a study of statements, with some keys changed; None leaves one out."""
    document = {
        "title": "Everyday statements",
        "consent": "What it is about.\n\n- You may stop.\n- Nothing else is stored.",
        "instructions": "Read, and answer.",
        "items": [
            {
                "kind": "statement",
                "statements": ["Water is wet.", "Fire is cold.", "Dogs bark."],
                "q1": "Do you agree?",
                "q2": "Would most people agree?",
            }
        ],
        "per_item": 5,
        **changes,
    }
    path = folder / "study.yaml"
    known = {key: value for key, value in document.items() if value is not None}
    path.write_text(yaml.safe_dump(known, allow_unicode=True, sort_keys=False))
    return path


def make_study(folder, **changes):
    """Read the study of :func:`study_file`."""
    return read_study(study_file(folder, **changes))


@dataclass
class Clock:
    """A clock that moves when it is told to; in milliseconds."""

    now: int = START

    def __call__(self):
        return self.now

    def pass_(self, *, minutes=0, ms=0):
        self.now += round(minutes * 60_000) + ms


def client(study, storage, clock, **options):
    """A browser without cookies of its own so far."""
    storage.begin(study, clock())
    return TestClient(build_app(study, storage, clock), base_url="http://study.example", **options)


@dataclass
class Form:
    """A form of a page: where it goes, and what it sends along."""

    action: str
    hidden: dict[str, str]


def form_of(html):
    """The form of a page."""
    action = re.search(r'<form method="post" action="([^"]*)"', html)
    assert action is not None, html
    fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', html)
    return Form(action[1], {name: unescape(value) for name, value in fields})


@dataclass
class Participant:
    """Somebody who reads pages and fills in forms."""

    browser: Any
    address: str = "/"
    page: object = field(default=None)

    def open(self, address=None):
        self.page = self.browser.get(self.address if address is None else address)
        return self

    @property
    def at(self):
        """The last part of the address."""
        return self.page.url.path.rsplit("/", 1)[-1]

    @property
    def text(self):
        return unescape(re.sub(r"<[^>]+>", " ", self.page.text))

    @property
    def heading(self):
        found = re.search(r"<h1>(.*?)</h1>", self.page.text)
        return unescape(found[1]) if found else ""

    def send(self, **values):
        """Send the form of this page."""
        form = form_of(self.page.text)
        where = urljoin(str(self.page.url), form.action)
        self.page = self.browser.post(where, data={**form.hidden, "go": "on", **values})
        return self

    def agree(self):
        return self.open().send(consent="yes")

    def fields(self):
        """The names of the fields of this page, with the values of choices."""
        found = {}
        for name, value in re.findall(
            r'<input type="radio" name="([^"]*)" id="[^"]*" value="([^"]*)"', self.page.text
        ):
            found.setdefault(name, []).append(unescape(value))
        for name in re.findall(r'<input type="text" name="([^"]*)"', self.page.text):
            found[name] = []
        return found

    def given(self):
        """What the page shows as answered."""
        texts = re.findall(r'<input type="text" name="([^"]*)" id="[^"]*" value="([^"]+)"', self.page.text)
        chosen = re.findall(
            r'<input type="radio" name="([^"]*)" id="[^"]*" value="([^"]*)" checked', self.page.text
        )
        return {name: unescape(value) for name, value in (*texts, *chosen)}

    def answer(self, choose=0, text="wind"):
        """Answer whatever this page asks."""
        return self.send(
            **{name: values[choose] if values else text for name, values in self.fields().items()}
        )

    def finish(self, choose=0, text="wind"):
        """Answer everything, from here to the end."""
        while self.at != "end":
            self.answer(choose, text)
        return self


class Process(subprocess.Popen[str]):
    """A server that has said the address of the researcher's page."""

    research = ""


@contextmanager
def server(study, db, port, *more):
    """A server, and its address for participants."""
    words = ("collect", study, "--db", db, "--port", port, *more)
    process = Process(
        [sys.executable, "-m", "probsense", *map(str, words)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.fullmatch(r"participants: (https?://\S+)\n", process.stdout.readline())
        assert found is not None, process.communicate()
        research = re.fullmatch(r"researcher: (https?://\S+)\n", process.stdout.readline())
        assert research is not None
        process.research = research[1]
        assert process.stdout.readline() == f"answers: {db}\n"
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()
