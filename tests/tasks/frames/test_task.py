"""Frames as a task: what is asked, and what the answers become."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import SampleRequest, SampleResponse, ScoreRequest, ScoreResponse
from probsense.tasks.base import Answered, Answers
from probsense.tasks.frames.measures.results import given_answers
from probsense.tasks.frames.measures.similarities import MINILM_SHA256, definite
from probsense.tasks.frames.questions.predictions import read_predictions
from probsense.tasks.frames.questions.prompts import StyleName
from probsense.tasks.frames.questions.read import PACKAGED, read_frames
from probsense.tasks.frames.task import MAX_TOKENS, Frames
from probsense.tasks.results import MADE_UP, Results
from support.scored import option

BY = {"model": "m", "prompting": "sample"}

CLUSTERS = {
    "balloon": {"string": {"string": 12, "a ribbon": 8}, "tape": {"tape": 5}, "glue": {"glue": 3}},
    "kite": {"beach": {"at the beach": 15, "beach": 5}, "park": {"park": 6}, "hill": {"a hill": 2}},
    "drum": {"parade": {"during a parade": 14}, "noon": {"at noon": 7}, "night": {"at night": 7}},
}
CONTEXTS = {
    "balloon": ("A balloon is tied to a chair.", "instrument"),
    "kite": ("A kite is flown.", "location"),
    "drum": ("A drum is beaten.", "time"),
}


def write(folder: Path, *records: Any) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def frames(tmp_path):
    told = {name: {"context": context, "slot": slot} for name, (context, slot) in CONTEXTS.items()}
    return write(tmp_path, *({"id": name, **told[name], "clusters": CLUSTERS[name]} for name in CLUSTERS))


def sampled(task: Frames, texts: Callable[[str], Sequence[str]]) -> Answers:
    """Answer every item with texts, by its id."""
    return {
        task.requests(item, "sample", {})[0]: SampleResponse(tuple(texts(item.id))) for item in task.questions
    }


def measured(task: Frames, texts: Callable[[str], Sequence[str]]) -> Results:
    return task.measure(task.questions, "sample", sampled(task, texts), BY)


def scored(task: Frames, mass: float) -> Results:
    """Give all answers of people to a frame together this probability."""
    answers = {}
    for item in task.questions:
        (request,) = task.requests(item, "options", {})
        assert isinstance(request, ScoreRequest)
        each = [mass / len(request.options)]
        answers[request] = ScoreResponse(tuple(option(text, each, [1]) for text in request.options))
    return task.measure(task.questions, "options", answers, BY)


def overall(found: Results) -> Mapping[str, Estimate]:
    return {e.measure: e for e in found.estimates if "frame" not in e.by}


def test_the_embedding_and_the_examples_are_recorded_as_what_they_are(frames, monkeypatch):
    assert Frames(frames).options["embeddings"] == definite("auto") != "auto"
    assert [Frames(frames, style=style).options["shots"] for style in get_args(StyleName)] == [10, 1, 10]
    monkeypatch.setattr("probsense.tasks.frames.measures.similarities.find_spec", lambda name: None)
    recorded = f"minilm#sha256={MINILM_SHA256}"
    assert Frames(frames).options["embeddings"] == "chars"
    assert Frames(frames, embeddings=recorded).options["embeddings"] == recorded


def test_the_published_prompt(frames):
    task = Frames(frames, shots=0, answers=7, temperature=0.7, top_p=0.8, seed=3)
    item = task.questions[0]
    assert (item.id, item.cluster, item.data["slot"]) == ("balloon", "balloon", "instrument")
    (request,) = task.requests(item, "sample", {})
    prompt = "[Q]: A balloon is tied to a chair. What would be used to do this? [A]:"
    assert request == SampleRequest(
        prompt, n=7, max_tokens=MAX_TOKENS, temperature=0.7, top_p=0.8, stop=("\n", "[Q]:", "[q]:"), seed=3
    )
    (request,) = Frames(frames, style="published").requests(item, "sample", {})
    assert isinstance(request, SampleRequest)
    assert request.turns == ()
    assert re.fullmatch(r"\[Q\]: [^\n]+\? \[A\]: [^\n]+\n" + re.escape(prompt), request.prompt)


def test_the_prompt_of_a_chat(frames):
    task = Frames(frames, shots=2, style="chat")
    (request,) = task.requests(task.questions[1], "sample", {})
    assert isinstance(request, SampleRequest)
    instruction = "Answer the question as most people would, in one to three words."
    assert request.prompt == f"{instruction}\nA kite is flown. Where would this be done?"
    known = {frame.text: frame.people.raw for frame in read_frames(PACKAGED)}
    assert len(request.turns) == 2
    for message, reply in request.turns:
        said, text = message.split("\n")
        assert said == instruction
        assert reply == max(known[text], key=known[text].__getitem__)
    assert request.stop == ()
    (scored,) = task.requests(task.questions[1], "options", {})
    assert isinstance(scored, ScoreRequest)
    assert (scored.options, scored.suffix) == ((" at the beach", " beach", " park", " a hill"), "\n")
    assert scored.prefix == "".join(f"{said} {reply}\n" for said, reply in request.turns) + request.prompt


@pytest.mark.parametrize("method", [None, "sample", "options"])
@pytest.mark.parametrize("chat", [True, False])
def test_the_style_follows_the_model(frames, method, chat):
    style = "chat" if chat and method != "options" else "published"
    task = Frames(frames, seed=3, limit=2)
    found = task.for_model(method, chat=chat)
    assert found.options == task.options | {"style": style}
    assert found.prompt_form == ("question" if style == "chat" else "completion")
    assert found.for_model(method, chat=not chat) is found
    assert Frames(frames, style=style).for_model(method, chat=not chat).options["style"] == style


@pytest.mark.parametrize("style", ["published", "chat"])
def test_examples_are_the_same_for_all_and_never_the_frame_itself(frames, style):
    def before(task: Frames) -> list[str]:
        asked = [task.requests(item, "options", {})[0] for item in task.questions]
        return ["\n".join(request.prefix.split("\n")[:-1]) for request in asked]

    mine = before(Frames(frames, shots=3, style=style))
    assert len(set(mine)) == 1
    assert mine != before(Frames(frames, shots=3, style=style, seed=1))
    packaged = Frames(shots=3, style=style)
    for item, prompt in zip(packaged.questions, before(packaged), strict=True):
        assert item.data["context"] not in prompt
        assert prompt.count("?") == 3


def test_texts_become_counts_of_answers(frames):
    task = Frames(frames, answers=5, embeddings="chars")
    texts = (" String\n[Q]: and", "ribbon.", "string", "", "\n")
    found = measured(task, lambda name: texts)
    assert given_answers(found.table)["kite"] == {"string": 2, "": 2, "ribbon": 1}
    counts = {"texts": 15, "empty_texts": 6, "cut_texts": None, "texts_over_5_words": 0}
    known = {"asked": 3, "compared_with_people": 3, "compared_by": ["cosine", "chars"]}
    assert found.coverage == [{**known, **counts}]
    estimates = overall(found)
    entropy = -(0.8 * math.log(0.4) + 0.2 * math.log(0.2))
    assert estimates["empty_rate"].value == pytest.approx(0.4, abs=1e-12)
    assert estimates["entropy"].value == pytest.approx(entropy, abs=1e-12)
    assert all(BY.items() <= e.by.items() for e in found.estimates)


def test_cut_and_long_texts_are_counted_and_said_first(frames):
    task = Frames(frames, answers=4)
    texts = ("the string", "string that is long and thin", "a knife\nor so", "one two three four five")
    answers = {
        request: SampleResponse(texts, cut=(False, True, True, False))
        for request in sampled(task, lambda name: texts)
    }
    found = task.measure(task.questions, "sample", answers, BY)
    assert found.table["cut"].to_list() == [1, 1, 1]
    assert (found.coverage[0]["cut_texts"], found.coverage[0]["texts_over_5_words"]) == (3, 3)
    assert re.match(f"3 of 12 texts were cut at {MAX_TOKENS} tokens", found.warnings[0])
    assert found.warnings[1].startswith("3 of 12 texts have an answer of more than 5 words")
    few = task.measure(task.questions, "sample", sampled(task, lambda name: ("string",) * 4), BY)
    assert not any("5 words" in said or "cut" in said for said in few.warnings)


def test_nothing_is_compared_where_the_known_answers_have_too_little_probability(frames):
    task = Frames(frames)
    found = scored(task, 0.0499)
    assert {e.measure for e in found.estimates} == {"listed_mass"}
    assert "nothing is compared, because the known answers have 4.99% of the probability" in found.warnings[0]
    assert found.coverage[0]["compared_with_people"] == 0
    assert found.tables == {}
    with pytest.raises(InputError, match=r"m: nothing is compared, because the known answers have 4\.99%"):
        task.item_scores(Answered("m", "options", task.questions, {}, found))
    enough = scored(task, 0.0501)
    assert {"kl", "js", "listed_mass"} <= {e.measure for e in enough.estimates}
    assert enough.coverage[0]["compared_with_people"] == 3


def test_frames_without_people_are_asked_and_compared_with_nothing(tmp_path):
    path = write(tmp_path, {"id": "x", "context": "It rains.", "question": "Where?"})
    task = Frames(path, answers=2)
    found = measured(task, lambda name: ("here", "there"))
    assert {e.measure for e in found.estimates} == {"empty_rate", "entropy"}
    assert (found.notes, found.warnings) == ([], [])
    assert not found.illustrative
    assert found.tables == {}
    assert task.people(task.questions[0]) is None
    with pytest.raises(InputError, match="no answers of people to score"):
        task.requests(task.questions[0], "options", {})


@pytest.mark.parametrize(
    ("made_up", "which"), [([True], ""), ([True, False], "1 of 2 frames: "), ([False], None)]
)
def test_the_data_say_that_answers_are_made_up(tmp_path, made_up, which):
    own = {"context": "It rains.", "question": "Where?", "answers": {"here": 3, "there": 1}}
    frames = [{"id": str(i), "illustrative": one, **own} for i, one in enumerate(made_up)]
    found = measured(Frames(write(tmp_path, *frames), answers=2), lambda name: ("here", "there"))
    assert found.illustrative == all(made_up)
    said = [] if which is None else [f"{which}{MADE_UP}"]
    assert [warning for warning in found.warnings if "made up" in warning] == said


def test_sampled_answers_are_written_as_they_can_be_analysed(frames, tmp_path):
    task = Frames(frames, answers=9, seed=1)
    answers = sampled(task, lambda name: [answer for own in CLUSTERS[name].values() for answer in own] * 9)
    found = task.measure(task.questions, "sample", answers, BY)
    assert overall(found)["max_answers@10"].value == 1
    answered = Answered("a/model", "sample", task.questions, answers, found)
    assert task.write_results(None, answered) == []
    (written,) = task.write_results(tmp_path / "out", answered)
    assert written == tmp_path / "out" / "a-model_answers.jsonl"
    assert read_predictions(written).counts == given_answers(found.table)
    analysis = Frames.analyse(frames, predictions=written)
    assert [row["model"] for row in analysis.results.coverage] == ["a-model"]
    no_texts = Answered("m", "options", task.questions, {}, scored(task, 0.5))
    assert task.write_results(tmp_path / "scored", no_texts) == []
    assert not (tmp_path / "scored").exists()


def test_items_are_scored_by_the_estimates_of_single_frames(frames):
    task = Frames(frames)
    found = scored(task, 0.5)
    items, scores, notes, *_ = task.item_scores(Answered("m", "options", task.questions, {}, found))
    assert items["item"].to_list() == items["cluster"].to_list() == ["balloon", "kite", "drum"]
    assert (items["label"].null_count(), items["text"][1]) == (3, "A kite is flown.")
    assert scores.columns == ["kl", "js", "total_variation", "hellinger", "listed_mass"]
    single = [e.value for e in found.estimates if e.measure == "kl" and "frame" in e.by]
    assert (scores["kl"].to_list(), notes) == (single, ())
    # A frame without an estimate has no score.
    estimates = [e for e in found.estimates if (e.measure, e.by.get("frame")) != ("kl", "kite")]
    lacking = Answered("m", "options", task.questions, {}, replace(found, estimates=estimates))
    assert np.isnan(task.item_scores(lacking).scores["kl"].to_list()).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("answers", 0, "0 answers"),
        ("shots", -1, "-1 examples"),
        ("temperature", math.nan, "temperature"),
        ("top_p", 0, "top-p"),
        ("style", "chatt", "did you mean 'chat'"),
        ("similarity", "wordnett", "did you mean 'wordnet'"),
    ],
)
def test_options_that_cannot_be(option, value, message):
    with pytest.raises(InputError, match=message):
        Frames(**{option: value})


def test_the_frames_of_the_package_have_answers_that_were_made_up():
    found = measured(Frames(limit=2, answers=2), lambda name: ("here", "there"))
    assert {*found.tables["distributions"]["model"]} == {"illustrative", "m"}
    task = Frames(shots=36)
    with pytest.raises(InputError, match="at most 35"):
        task.requests(task.questions[0], "sample", {})
