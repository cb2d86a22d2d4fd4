"""What fills a study by program: it reads each page as it is meant, and goes the whole way over HTTP."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from probsense.collect.gathered import gather
from probsense.collect.limits import BURST
from probsense.collect.pages import pages_of
from probsense.collect.pilot import Simulated, commands, fill
from probsense.collect.reading import read_page
from probsense.collect.serve import serving
from probsense.collect.storage import Storage
from probsense.errors import ProbSenseError
from support.studies.taking import make_study

Serve = Callable[..., Any]
CHECK = {"text": "Please choose Blue.", "options": ["Red", "Blue"], "expected": "Blue"}
FIELDS = [
    {"name": "age", "label": "Your age?", "kind": "number", "low": 18, "high": 19, "required": True},
    {"name": "tongue", "label": "Tongue?", "kind": "choice", "options": [f"L{i}" for i in range(12)]},
    {"name": "home", "label": "Home?", "kind": "choice", "options": ["<sea>", "& land"]},
    {"name": "work", "label": "Work?", "kind": "text", "required": True},
    {"name": "play", "label": "Play?", "kind": "text", "required": True},
]


def blocks(folder: Path) -> list[dict[str, Any]]:
    (folder / "f.jsonl").write_text('{"id": "k", "context": "A kite is torn.", "question": "By what?"}\n')
    schema = {"qID": "1", "sentence": "The _ was large.", "option1": "cup", "option2": "bag", "answer": "2"}
    (folder / "w.jsonl").write_text(json.dumps(schema) + "\n")
    return [
        {"kind": "statement", "statements": ["A <b> & c.", "Dogs bark."], "q1": "Agree?", "q2": "Most?"},
        {"kind": "frame", "data": str(folder / "f.jsonl"), "answers": 3},
        {"kind": "choice", "data": str(folder / "w.jsonl")},
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
    assert (consent.heading, consent.action, consent.hidden["consent"]) == (
        "About this study",
        "start",
        "yes",
    )
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
        assert given == (
            {"answer_1": "18"} if "answer_1" in values else values
        )  # Repeated answers are dropped.
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
    last, people = filled(tmp_path, Simulated(3), 30, demographics=FIELDS, checks=[CHECK], ids=ids)
    assert last == ["Thank you"] * 30
    assert {one.person.participant for one in people} == {f"pilot-{i}" for i in range(1, 31)}
    assert [one.reasons for one in people] == [()] * 30  # They read the attention check.
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
    assert 0 < answers["0/0", "q1", "yes"] < 30
    open_ = {value for _, field, value in answers if field.startswith("answer")}
    assert open_ == {"kite", "torn", "what", "Answer"}


def test_a_mind_decides_what_is_answered(tmp_path: Path) -> None:
    _, people = filled(tmp_path, Fixed(), 3, order="fixed")
    for one in people:
        first = [{"q1": "yes", "q2": "yes"}] * 2
        assert [item.values for item in one.items] == [*first, {"answer_1": "wind"}, {"choice": "0"}]


def test_screened_out_full_and_patient(tmp_path: Path) -> None:
    many = [{"kind": "statement", "statements": [f"S{i}." for i in range(BURST)], "q1": "?"}]
    screen = [{"name": "home", "label": "?", "kind": "choice", "options": ["a", "b"], "screen_out": ["a"]}]
    (tmp_path / "one").mkdir()
    last, people = filled(tmp_path / "one", Simulated(1), 1, items=many)  # more pages than come at once
    assert (last, len(people[0].items)) == (["Thank you"], BURST)
    (tmp_path / "two").mkdir()
    last, _ = filled(tmp_path / "two", Fixed(), 2, demographics=screen)
    assert last == ["Thank you for your interest"] * 2
    (tmp_path / "three").mkdir()
    last, people = filled(tmp_path / "three", Fixed(), 3, per_item=1)
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
    monkeypatch.setattr("probsense.collect.pilot._Visitor._answers", lambda self, page: ())
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
