"""What fills a study by program: it reads each page as it is meant, and goes the whole way over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from probsense.core.errors import ProbSenseError
from probsense.studies.collect.answers.people import gather
from probsense.studies.collect.pages.participant import pages_of
from probsense.studies.collect.rehearsal import Simulated, commands, fill, read_page
from probsense.studies.collect.server.requests import Pace
from probsense.studies.collect.server.serve import serving
from probsense.studies.collect.storage import Storage
from support.studies.taking import CHECK, FRAME, HOME, SCHEMA, Serve, block_of, make_study

FIELDS = [
    {"name": "age", "label": "Your age?", "kind": "number", "low": 18, "high": 19, "required": True},
    {"name": "tongue", "label": "Tongue?", "kind": "choice", "options": [f"L{i}" for i in range(12)]},
    {**HOME, "options": ["<sea>", "& land"]},
    {"name": "work", "label": "Work?", "kind": "text", "required": True},
    {"name": "play", "label": "Play?", "kind": "text", "required": True},
]


def blocks(folder: Path) -> list[dict[str, Any]]:
    return [
        {"kind": "statement", "statements": ["A <b> & c.", "Dogs bark."], "q1": "Agree?", "q2": "Most?"},
        block_of("frame", folder, FRAME, answers=3),
        block_of("choice", folder, SCHEMA),
    ]


class Fixed:
    """Somebody who always takes the first option, and writes one thing."""

    def weigh(self, prompt: str, options: Sequence[str]) -> list[float]:
        return [1.0, *[0.0] * (len(options) - 1)]

    def write(self, prompt: str, chance: Random) -> str:
        return "wind"


def test_each_page_is_read_as_it_is_meant(served: Serve, tmp_path: Path) -> None:
    here = served(items=blocks(tmp_path), demographics=FIELDS, checks=[CHECK])
    one = here.participant().open()
    consent = read_page(one.page.text)
    seen = (consent.heading, consent.action, consent.hidden["consent"])
    assert seen == ("About this study", "start", "yes")
    one.send(consent="yes")
    [person] = here.storage.people()
    for page in pages_of(here.study, 1, person.keys):
        read = read_page(one.page.text)
        assert read.action == page.name
        assert read.hidden["go"] == "on"
        if page.kind == "question":
            assert read.text == " ".join(page.text.split())
        required = [
            f" ({here.study.words['required']})" if page.kind == "about" and field.needed else ""
            for field in page.fields
        ]
        assert read.fields == [
            replace(field, label=field.label + more, needed=True, low=None, high=None)
            for field, more in zip(page.fields, required, strict=True)
        ]
        assert (read.given, read.faults) == ({}, {})
        values = {field.name: field.options[-1][0] if field.options else "18" for field in page.fields}
        if values:
            wrong = [name for name in values if name not in ("tongue", "home", "answer_2", "answer_3")]
            one.send()
            assert [*read_page(one.page.text).faults] == wrong
        one.send(**values)
        given = read_page(one.browser.get(f"/p/{person.token}/{page.name}").text).given
        # Repeated answers are dropped.
        assert given == ({"answer_1": "18"} if "answer_1" in values else values)
    assert read_page(one.page.text).action == ""


def filled(folder: Path, mind: Any, people: int, **changes: Any) -> tuple[list[str], list[Any]]:
    """The last pages of people who take part over HTTP, and what they answered."""
    study = make_study(folder, **{"items": blocks(folder), "per_item": 30, **changes})
    with serving(study, folder / "pilot.db") as address:
        last = fill(study, address, mind, people, seed=1)
    with closing(Storage.open_known(folder / "pilot.db")) as storage:
        return last, gather(storage)


def test_people_go_the_whole_way(tmp_path: Path) -> None:
    ids = {"participant": "pid", "session": "sid"}
    last, people = filled(tmp_path, Simulated(3), 16, demographics=FIELDS, checks=[CHECK], ids=ids)
    assert last == ["Thank you"] * 16
    assert {one.person.participant for one in people} == {f"pilot-{i}" for i in range(1, 17)}
    assert [one.reasons for one in people] == [()] * 16  # They read the attention check.
    for one in people:
        assert len(one.items) == 4
        assert one.about["age"] in ("18", "19")  # They tried another number first, and read what was wrong.
        assert {*one.about} == {field["name"] for field in FIELDS}
    answers = Counter(
        (item.key, field, value)
        for one in people
        for item in one.items
        for field, value in item.values.items()
    )
    assert 0 < answers["0/0", "q1", "yes"] < 16
    open_ = {value for _, field, value in answers if field.startswith("answer")}
    assert open_ == {"kite", "torn", "what", "Answer"}


def test_a_mind_decides_what_is_answered(tmp_path: Path) -> None:
    _, people = filled(tmp_path, Fixed(), 3, order="fixed")
    for one in people:
        first = [{"q1": "yes", "q2": "yes"}] * 2
        assert [item.values for item in one.items] == [*first, {"answer_1": "wind"}, {"choice": "0"}]


def test_people_wait_where_the_server_asks_for_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    requests = count(1)
    monkeypatch.setattr(Pace, "allows", lambda *_: next(requests) % 5 > 0)
    monkeypatch.setattr("time.sleep", waited.append)
    last, people = filled(tmp_path, Simulated(1), 1)
    assert (last, len(people[0].items)) == (["Thank you"], 4)
    assert waited == [1] * (next(requests) // 5)


def test_who_is_screened_out_and_who_finds_no_place(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    home = {**HOME, "screen_out": ["sea"]}
    assert filled(tmp_path / "out", Fixed(), 2, demographics=[home])[0] == ["Thank you for your interest"] * 2
    last, people = filled(tmp_path, Fixed(), 3, per_item=1)
    assert sorted(last) == ["Thank you", "There are no places left", "There are no places left"]
    assert len(people) == 1


def test_what_the_page_does_not_take_becomes_a_word_of_it(tmp_path: Path) -> None:
    class Odd(Fixed):
        def write(self, prompt: str, chance: Random) -> str:
            return "\x00"

    _, [one] = filled(tmp_path, Odd(), 1)
    [frame] = [item for item in one.items if item.block.kind == "frame"]
    assert frame.values["answer_1"] in ("kite", "torn", "what", "Answer")


def test_a_page_that_takes_no_answer_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probsense.studies.collect.rehearsal._Visitor._answers", lambda self, page: ())
    with pytest.raises(ProbSenseError, match=r"the page 'Question 1 of 4' takes no answer: Please answer"):
        filled(tmp_path, Fixed(), 1)


def test_what_to_do_with_the_files() -> None:
    names = ("people-2.csv", "statements-2.csv", "frames.jsonl", "answers.csv", "choices.csv")
    files = [Path("o") / name for name in names]
    assert [*commands(files)] == [
        "probsense run judgments --model builtin:tiny --data o/statements-2.csv --humans o/people-2.csv",
        "probsense run frames --model builtin:tiny --data o/frames.jsonl",
        "probsense compare RUN o/choices.csv",
    ]
