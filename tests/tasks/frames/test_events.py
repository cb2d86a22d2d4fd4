"""Frames of the package and of one's own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from probsense.answers.questions import Cluster, Question
from probsense.errors import InputError
from probsense.tasks.frames.events import PACKAGED, Frame, read_frames
from probsense.tasks.frames.normalise import LENGTH, normalise
from probsense.tasks.frames.slots import SLOTS

BALLOON = {"id": "b", "context": "A balloon is tied to a chair.", "slot": "instrument"}


def written(folder: Path, *records: Any) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_the_frames_of_the_package() -> None:
    frames = read_frames(PACKAGED)
    assert len(frames) >= 36
    assert set(Counter(frame.slot for frame in frames)) == set(SLOTS)
    for frame in frames:
        assert sum(cluster.count for cluster in frame.people.clusters) == 100
        assert len(frame.people.clusters) >= 4
        assert all(normalise(answer) == answer for answer in frame.people.raw)


def test_a_frame_of_ones_own(tmp_path: Path) -> None:
    clusters = {"string": {"string": 5, "ribbon": 3}, "tape": {"tape": 2, "string": 1}}
    path = written(
        tmp_path, BALLOON | {"clusters": clusters}, BALLOON | {"id": "c", "question": "With what?"}
    )
    first, second = read_frames(path)
    raw = {"string": 6, "ribbon": 3, "tape": 2}
    text = "A balloon is tied to a chair. What would be used to do this?"
    groups = (Cluster("string", 8, ("string", "ribbon")), Cluster("tape", 3, ("tape", "string")))
    assert first == Frame(BALLOON["context"], "instrument", SLOTS["instrument"], first.people)
    assert first.people == Question("b", text, raw, groups)
    assert (second.question, second.people.raw, second.people.clusters) == ("With what?", {}, ())


def test_a_file_may_hold_published_targets(tmp_path: Path) -> None:
    target = {
        "metadata": {"id": "q"},
        "question": {"original": "Name something round."},
        "answers": {"raw": {"ball": 2}},
    }
    (frame,) = read_frames(written(tmp_path, target))
    assert (frame.id, frame.text, frame.slot) == ("q", "Name something round.", "")


FAULTS: list[tuple[dict[str, Any], str]] = [
    (BALLOON, "again, first on line 1"),
    ({"context": "x", "slot": "time"}, "id is"),
    ({"id": "x", "context": " ", "slot": "time"}, "context is"),
    ({"id": "x", "context": "x", "slot": "tmie"}, "did you mean 'time'"),
    ({"id": "x", "context": "x"}, "no question"),
    ({"id": "x", "context": "x", "slot": "time", "cluster": {}}, "did you mean 'clusters'"),
    ({"id": "x", "context": "x", "slot": "time", "clusters": []}, "clusters is"),
    ({"id": "x", "context": "x", "slot": "time", "clusters": {"a": {"b": 0}}}, "whole number from 1"),
    ({"id": "x", "context": "x", "slot": "time", "clusters": {"a": {}}}, "is empty"),
    ({"id": "x", "context": "x", "slot": "time", "answers": {"a": 1.5}}, "whole number from 1"),
    ({"id": "x", "context": "x", "slot": "time", "answers": {" ": 1}}, "some text"),
]


@pytest.mark.parametrize(("record", "message"), FAULTS)
def test_faulty_lines(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    path = written(tmp_path, BALLOON, record)
    with pytest.raises(InputError, match=rf"mine\.jsonl, line 2: .*{message}"):
        read_frames(path)


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no frames"):
        read_frames(written(tmp_path))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (" A knife.\nAnd a board", "a knife"),
        ('\n\n "Bread  Knife" ', "bread knife"),
        ("", ""),
        (" .\n\t\n", ""),
        ("🎈 Schnur", "🎈 schnur"),
        ("חוט דק\nעוד", "חוט דק"),
        ("x" * 10_000, "x" * LENGTH),
        ("a" * (LENGTH - 1) + " b", "a" * (LENGTH - 1)),
    ],
)
def test_a_text_as_an_answer(text: str, answer: str) -> None:
    assert normalise(text) == answer
