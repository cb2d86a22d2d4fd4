"""Frames as a task: what is asked, and what the answers become."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from probsense.answers.questions import Cluster, Question
from probsense.errors import InputError
from probsense.records import (
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.run.evaluate import evaluate
from probsense.tasks.frames import exact
from probsense.tasks.frames.predictions import read_predictions
from probsense.tasks.frames.results import write_answers
from probsense.tasks.frames.task import MAX_TOKENS, Frames, given

FRAMES = (
    {
        "id": "balloon",
        "context": "A balloon is tied to a chair.",
        "slot": "instrument",
        "clusters": {"string": {"string": 12, "a ribbon": 8}, "tape": {"tape": 5}, "glue": {"glue": 3}},
    },
    {
        "id": "kite",
        "context": "A kite is flown.",
        "slot": "location",
        "clusters": {"beach": {"at the beach": 15, "beach": 5}, "park": {"park": 6}, "hill": {"a hill": 2}},
    },
    {
        "id": "drum",
        "context": "A drum is beaten.",
        "slot": "time",
        "clusters": {"parade": {"during a parade": 14}, "noon": {"at noon": 7}, "night": {"at night": 7}},
    },
)


def write(folder: Path, *records: Any) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    return write(tmp_path, *FRAMES)


def test_the_published_prompt(frames: Path) -> None:
    task = Frames(frames, shots=0, answers=7, temperature=0.7, top_p=0.8, seed=3)
    item = task.items()[0]
    assert (item.id, item.cluster, item.data["slot"]) == ("balloon", "balloon", "instrument")
    (request,) = task.requests(item, "sample", {})
    prompt = "[Q]: A balloon is tied to a chair. What would be used to do this? [A]:"
    assert request == SampleRequest(
        prompt, n=7, max_tokens=MAX_TOKENS, temperature=0.7, top_p=0.8, stop=("\n",), seed=3
    )


def test_the_prompt_of_a_chat(frames: Path) -> None:
    task = Frames(frames, shots=0, style="chat")
    (request,) = task.requests(task.items()[1], "sample", {})
    assert isinstance(request, SampleRequest)
    assert request.prompt.endswith("Where would this be done? (Say where it is done.)\nAnswer:")
    assert request.stop == ()


@pytest.mark.parametrize("style", ["published", "chat"])
def test_examples_are_the_same_for_all_and_never_the_frame_itself(frames: Path, style: str) -> None:
    def before(task: Frames) -> list[str]:
        prompts = [task.requests(item, "sample", {})[0].prompt for item in task.items()]
        return [prompt[: prompt.rindex("Q")] for prompt in prompts]

    mine = before(Frames(frames, shots=3, style=style))
    assert len(set(mine)) == 1
    assert mine != before(Frames(frames, shots=3, style=style, seed=1))
    packaged = Frames(shots=3, style=style)
    for item, prompt in zip(packaged.items(), before(packaged), strict=True):
        assert item.data["context"] not in prompt
        assert prompt.count("[A]:" if style == "published" else "Answer:") == 3


def test_texts_become_counts_of_answers(frames: Path) -> None:
    task = Frames(frames, answers=5)
    texts = (" String\n[Q]: and", "ribbon.", "string", "", "\n")
    answers = {task.requests(item, "sample", {})[0]: SampleResponse(texts) for item in task.items()}
    table = task.table(task.items(), "sample", answers)
    assert given(table)["kite"] == {"string": 2, "": 2, "ribbon": 1}
    assert table["n"].to_list() == [5, 5, 5]
    assert task.coverage(table) == {"asked": 3, "compared_with_people": 3, "texts": 15, "empty_texts": 6}
    found = {e.measure: e for e in task.summary(table, {"model": "m"}) if "frame" not in e.by}
    assert found["empty_rate"].value == pytest.approx(0.4, abs=1e-12)
    assert found["entropy"].value == pytest.approx(-(0.8 * math.log(0.4) + 0.2 * math.log(0.2)), abs=1e-12)


def test_answers_of_people_stand_nearer_than_nonsense(frames: Path) -> None:
    task = Frames(frames, answers=28)
    people = {frame["id"]: [a for own in frame["clusters"].values() for a in own] for frame in FRAMES}

    def figures(texts: Any) -> dict[str, Any]:
        answers = {
            task.requests(item, "sample", {})[0]: SampleResponse(texts(item.id)) for item in task.items()
        }
        table = task.table(task.items(), "sample", answers)
        return {e.measure: e for e in task.summary(table, {"model": "m"}) if "frame" not in e.by}

    near = figures(lambda name: tuple((people[name] * 28)[:28]))
    far = figures(lambda name: ("zzyzx",) * 28)
    assert near["kl"].value < far["kl"].value
    assert near["normalised"].value < far["normalised"].value
    assert near["max_answers@10"].value == 1
    assert far["max_answers@10"].value == 0
    assert far["matched"].value < 0.05
    assert {"js", "split_half", "unrelated", "false_match_rate"} <= set(near)


def scored(text: str, logprob: float, end: float = 0.0) -> OptionScore:
    return OptionScore(
        TokenLogprobs((logprob,), (text,), len(text), len(text)), TokenLogprobs((end,), ("\n",), 1, 1)
    )


def test_the_mass_of_a_cluster_is_that_of_its_strings() -> None:
    question = Question(
        "q",
        "q",
        {"a": 3, "b": 1, "c": 2},
        (Cluster("first", 4, ("a", "B ", "b")), Cluster("second", 3, ("c", "b"))),
    )
    assert exact.strings(question) == ("a", "b", "c")
    response = ScoreResponse(
        (scored(" a", math.log(0.2), math.log(0.5)), scored(" b", math.log(0.3)), scored(" c", math.log(0.1)))
    )
    masses = exact.log_masses(question, response)
    assert np.exp(masses) == pytest.approx([0.1 + 0.15, 0.1 + 0.15], abs=1e-12)
    assert exact.model_shares(masses) == pytest.approx([0.5, 0.5], abs=1e-12)
    found = {
        (e.measure, e.by.get("frame")): e
        for e in exact.figures([question] * 2, [masses] * 2, {"model": "m"}, draws=50, seed=0)
    }
    p = np.array([4, 3]) / 7
    assert found["kl", None].value == pytest.approx(float((p * np.log(p / 0.5)).sum()), abs=1e-12)
    assert found["listed_mass", "q"].value == pytest.approx(0.5, abs=1e-12)
    assert found["kl", "q"].low <= found["kl", "q"].value <= found["kl", "q"].high


def test_each_answer_is_a_cluster_where_people_made_none() -> None:
    question = Question("q", "q", {"a": 3, "b": 1})
    assert exact.clusters(question) == [("a", ("a",)), ("b", ("b",))]
    assert exact.people_counts(question).tolist() == [3, 1]


def test_what_is_scored(frames: Path) -> None:
    task = Frames(frames, shots=0)
    (request,) = task.requests(task.items()[0], "options", {})
    assert isinstance(request, ScoreRequest)
    assert request.options == (" string", " a ribbon", " tape", " glue")
    assert request.suffix == "\n"


def test_frames_without_people_are_asked_and_compared_with_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, {"id": "x", "context": "It rains.", "question": "Where?"})
    task = Frames(path, answers=2)
    (request,) = task.requests(task.items()[0], "sample", {})
    table = task.table(task.items(), "sample", {request: SampleResponse(("here", "there"))})
    assert {e.measure for e in task.summary(table, {"model": "m"})} == {"empty_rate", "entropy"}
    assert task.notes(table) == []
    assert task.tables(table, "m", []) == {}
    with pytest.raises(InputError, match="no answers of people to score"):
        task.requests(task.items()[0], "options", {})


def test_a_run_of_the_random_model_is_exact_and_repeatable(frames: Path) -> None:
    first, second = (
        evaluate("frames", "random:1", questions=frames, store=None, quiet=True) for _ in range(2)
    )
    assert first.method == "options"
    assert first.summary() == second.summary()
    assert {e.method for e in first.summary()} == {"exact"}
    assert first.coverage()["compared_with_people"] == 3
    drawn = first.task.tables(first.table(), "random:1", first.summary())  # type: ignore[attr-defined]
    sums = drawn["distributions"].group_by("model", "frame").agg(pl.col("share").sum())["share"]
    assert sums.to_numpy() == pytest.approx(np.ones(6), abs=1e-9)
    assert set(drawn["distributions"]["model"]) == {"people", "random:1 (exact)"}


def test_recorded_answers(frames: Path, tmp_path: Path) -> None:
    lines = [
        {"id": frame["id"], "response": [a for own in frame["clusters"].values() for a in own]}
        for frame in FRAMES
    ]
    lines = [line | {"response": (line["response"] * 9)[:9]} for line in lines]
    path = tmp_path / "recorded.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = evaluate("frames", f"recorded:{path}", questions=frames, answers=9, seed=1, store=None, quiet=True)
    assert run.coverage()["texts"] == 27
    figures = {e.measure: e.value for e in run.summary() if "frame" not in e.by}
    assert figures["max_answers@10"] == 1
    written = write_answers(tmp_path / "out", run.model, given(run.table()))
    back = read_predictions(written)
    assert back.counts == given(run.table())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"answers": 0}, "0 answers"),
        ({"shots": -1}, "-1 examples"),
        ({"temperature": -0.5}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"top_p": 0}, "top-p"),
        ({"style": "chatt"}, "did you mean 'chat'"),
        ({"similarity": "cosine+wordnett"}, "did you mean 'wordnet'"),
        ({"limit": 0}, "limit"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Frames(**options)


def test_more_examples_than_there_are() -> None:
    task = Frames(shots=36)
    with pytest.raises(InputError, match="at most 35"):
        task.requests(task.items()[0], "sample", {})
