"""Tests of asking by batch files: what comes back by them is what a server answers at once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.models.base import Model, Price
from probsense.models.openai.batch import BLANK
from probsense.models.registry import fingerprint, load_model
from probsense.runs.ask import batch
from probsense.runs.ask.batch import Written, read_batch, write_batch
from probsense.runs.ask.plan import plan
from probsense.runs.evaluate import evaluate
from probsense.runs.store.store import Store
from probsense.tasks.base import Method, Task
from probsense.tasks.frames.task import Frames
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.winogrande.task import Winogrande
from probsense.tasks.worldsense.task import WorldSense
from support.servers.endpoints import Habits, serving

ABILITIES = "chat,top_logprobs=20,echo,many,seed"


def asking(abilities: str = ABILITIES, url: str = "http://127.0.0.1:9/v1", **more: Any) -> Model:
    """A model that is asked nothing: nobody listens there."""
    return load_model("openai:toy", base_url=url, abilities=abilities, max_tries=1, **more)


def endpoint(paths: Sequence[str], habits: Habits | None = None) -> list[dict[str, Any]]:
    """What a batch endpoint makes of files, in another order."""
    habits = habits or Habits()
    questions = [json.loads(line) for path in paths for line in Path(path).read_text().splitlines()]
    assert len({one["custom_id"] for one in questions}) == len(questions)
    answers = []
    for number, one in enumerate(questions):
        assert one["method"] == "POST"
        status, body = habits.reply(one["url"], one["body"])
        response = {"status_code": status, "request_id": f"r{number}", "body": body}
        answers.append(
            {"id": f"b{number}", "custom_id": one["custom_id"], "response": response, "error": None}
        )
    random.Random(0).shuffle(answers)
    return answers


def saved(path: Path, answers: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in answers))
    return path


def write(asked: Sequence[tuple[Task, Method]], model: Model, out: Path, **rest: Any) -> Written:
    return write_batch([plan(task, model, method) for task, method in asked], out, **rest)


CASES: list[tuple[Task, Method]] = [
    (Judgments(limit=9), "labels"),
    (Judgments(limit=6, trials=11), "sample"),
    (Winogrande(limit=6), "options"),
]


@pytest.mark.parametrize(("task", "method"), CASES, ids=lambda part: str(getattr(part, "name", part)))
def test_a_batch_answers_what_a_run_asks(task: Task, method: Method, tmp_path: Path) -> None:
    store = tmp_path / "batch.db"
    wrote = write([(task, method)], asking(), tmp_path / "out.jsonl", seed=0, store=store)
    assert wrote.files == [str(tmp_path / "out.jsonl")]
    answers = saved(tmp_path / "back.jsonl", endpoint(wrote.files))
    assert wrote.lines == len(answers.read_text().splitlines())
    read = read_batch([answers], asking(), store=store)
    assert (read.answers, read.known, read.failures, read.strangers) == (wrote.requests, 0, {}, 0)
    done = evaluate(task, asking(), method=method, store=store, quiet=True)
    assert (done.asked, done.reused) == (0, wrote.requests)
    with serving(Habits()) as url:
        live = evaluate(task, asking(url=url), method=method, store=None, quiet=True)
    assert done.outcome.answers == live.outcome.answers
    assert done.table().equals(live.table())
    for run in (done, live):
        assert all(one.server and one.server["model"] == "toy" for one in run.outcome.answers.values())


def test_reading_twice_does_no_harm(tmp_path: Path) -> None:
    store, task = tmp_path / "batch.db", Judgments(limit=6)
    wrote = write([(task, "labels")], asking(), tmp_path / "out.jsonl", seed=0, store=store)
    back = endpoint(wrote.files)
    half = saved(tmp_path / "half.jsonl", back[:3])
    assert read_batch([half], asking(), store=store).answers == 3
    with Store.open(store) as opened:
        used = opened.runs()[0].usage
    whole = saved(tmp_path / "whole.jsonl", back + back[:2])
    read = read_batch([whole, half], asking(), store=store)
    assert (read.answers, read.known) == (3, 3)
    again = read_batch([whole], asking(), store=store)
    assert (again.answers, again.known, again.failures) == (0, 6, {})
    with Store.open(store) as opened:
        assert opened.runs()[0].usage.requests == 2 * used.requests == 6
    nothing = write([(task, "labels")], asking(), tmp_path / "more.jsonl", seed=0, store=store)
    assert (nothing.files, nothing.requests, nothing.stored) == ([], 0, 6)
    assert not (tmp_path / "more.jsonl").exists()


def test_texts_to_continue_and_questions_in_one_file(tmp_path: Path) -> None:
    store, tasks = (
        tmp_path / "batch.db",
        (Winogrande(limit=4), Judgments(limit=3), Frames(limit=2, answers=3, style="published")),
    )
    asked: list[tuple[Task, Method]] = [*zip(tasks, ("options", "labels", "sample"), strict=True)]  # type: ignore[list-item]
    wrote = write(asked, asking(), tmp_path / "out.jsonl", seed=0, store=store)
    urls = [{json.loads(line)["url"] for line in Path(path).read_text().splitlines()} for path in wrote.files]
    assert urls == [{"/v1/chat/completions"}, {"/v1/completions"}]
    answers = saved(tmp_path / "back.jsonl", endpoint(wrote.files))
    read = read_batch([answers], asking(), store=store)
    assert (read.answers, read.known, read.failures, read.strangers) == (wrote.requests, 0, {}, 0)
    assert read_batch([answers], asking(), store=store).known == wrote.requests
    for task, method in asked:
        done = evaluate(task, asking(), method=method, store=store, quiet=True)
        assert done.asked == 0
        assert done.details["route"] == ("chat" if method == "labels" else "completions")


def replying(**response: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Change the response of a line."""
    return lambda one: one | {"response": one["response"] | response}


FAILING: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "not in time": lambda one: one | {"response": None, "error": {"message": "not in\n time"}},
    "HTTP 429: too many": replying(status_code=429, body={"error": {"message": "too  many"}}),
    "HTTP 500": replying(status_code=500, body=None),
    "the line has no answer": lambda one: one | {"response": None},
    "the answer has no choices": replying(body={"choices": []}),
    "another model answered, 'gpt'": lambda one: replying(body=one["response"]["body"] | {"model": "gpt"})(
        one
    ),
}
"""Lines that came back without an answer, by the reason."""


def test_failures_are_recorded_and_written_again(tmp_path: Path) -> None:
    store, task = tmp_path / "batch.db", Judgments(limit=12)
    wrote = write([(task, "labels")], asking(), tmp_path / "out.jsonl", seed=0, store=store)
    back = endpoint(wrote.files)
    bad = [fail(one) for one, fail in zip(back, FAILING.values(), strict=False)]
    good, errors = saved(tmp_path / "good", back[len(bad) :]), saved(tmp_path / "errors", bad)
    for _ in range(2):
        read = read_batch([good, errors], asking(), store=store)
        assert read.failures == dict.fromkeys(FAILING, 1)
    with Store.open(store) as opened:
        names = [one["custom_id"].partition("-")[0] for one in bad]
        found = opened.failures(fingerprint(asking()), names)
        assert [found[name].reason for name in names] == [*FAILING]
        assert opened._rows("SELECT count(*) FROM failures") == [(len(bad),)]
    rest = write([(task, "labels")], asking(), tmp_path / "rest.jsonl", seed=0, store=store)
    assert (rest.requests, rest.stored) == (len(bad), 12 - len(bad))
    read = read_batch([errors, saved(tmp_path / "late", endpoint(rest.files))], asking(), store=store)
    assert (read.answers, read.failures) == (len(bad), {})
    assert evaluate(task, asking(), store=store, quiet=True).asked == 0


def test_texts_that_are_too_few_fail(tmp_path: Path) -> None:
    store, task = tmp_path / "batch.db", Judgments(limit=3, trials=20)
    wrote = write([(task, "sample")], asking(), tmp_path / "out.jsonl", seed=0, store=store)
    assert (wrote.requests, wrote.lines) == (3, 9)
    short = saved(tmp_path / "short", endpoint(wrote.files, Habits(n="ignored")))
    assert read_batch([short], asking(), store=store).failures == {"1 of 8 texts came back": 3}
    back = endpoint(wrote.files)
    part = next(one for one in back if one["custom_id"].endswith("-1"))
    some = saved(tmp_path / "some", [one for one in back if one is not part])
    assert read_batch([some], asking(), store=store).failures == {"not all of its lines came back": 1}
    assert read_batch([some, saved(tmp_path / "part", [part])], asking(), store=store).answers == 1


def test_white_space_first_is_asked_for_again(tmp_path: Path) -> None:
    store, task, blank = tmp_path / "batch.db", Judgments(limit=3), Habits(blank=True)
    first = write([(task, "labels")], asking(), tmp_path / "first.jsonl", seed=0, store=store)
    one = saved(tmp_path / "one", endpoint(first.files, blank))
    assert read_batch([one], asking(), store=store).failures == {BLANK: 3}
    second = write([(task, "labels")], asking(), tmp_path / "second.jsonl", seed=0, store=store)
    assert "-1" in (tmp_path / "second.jsonl").read_text().splitlines()[0][:60]
    two = saved(tmp_path / "two", endpoint(second.files, blank))
    assert read_batch([two, one], asking(), store=store).answers == 3
    done = evaluate(task, asking(), store=store, quiet=True)
    with serving(Habits(blank=True)) as url:
        assert done.table().equals(evaluate(task, asking(url=url), store=None, quiet=True).table())


def test_tokens_and_cost_are_counted_once(tmp_path: Path) -> None:
    store, task = tmp_path / "batch.db", Judgments(limit=3)
    (tmp_path / "prices.yaml").write_text("toy: {input: 1000000, output: 2000000}\n")
    model = asking(prices=tmp_path / "prices.yaml")
    assert model.price == Price(1e6, 2e6)
    wrote = write([(task, "labels")], model, tmp_path / "out.jsonl", seed=0, store=store)
    back = endpoint(wrote.files)
    for one in back:
        one["response"]["body"]["usage"] = {"prompt_tokens": 10, "completion_tokens": 1}
    for _ in range(2):
        read_batch([saved(tmp_path / "back", back)], model, store=store)
    with Store.open(store) as opened:
        used = opened.runs()[0].usage
    assert (used.requests, used.tokens, used.written, used.cost) == (3, 30, 3, 36.0)


def test_a_file_has_one_route_and_no_more_than_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_LINES", 5)
    wrote = write(CASES, asking(), tmp_path / "out.jsonl", seed=0, store=tmp_path / "batch.db")
    assert wrote.files[:2] == [str(tmp_path / "out.jsonl"), str(tmp_path / "out-2.jsonl")]
    parts = [[json.loads(line) for line in Path(path).read_text().splitlines()] for path in wrote.files]
    assert max(map(len, parts)) <= 5
    assert all(len({one["url"] for one in part}) == 1 for part in parts)
    owners = [{one["custom_id"].partition("-")[0] for one in part} for part in parts]
    assert sum(map(len, owners)) == wrote.requests  # the lines of a request stay together
    monkeypatch.setattr(batch, "MOST_LINES", 50_000)
    monkeypatch.setattr(batch, "MOST_BYTES", 2000)
    write(CASES, asking(), tmp_path / "small.jsonl", seed=0, store=tmp_path / "batch.db")
    assert all(path.stat().st_size <= 2000 for path in tmp_path.glob("small*.jsonl"))


def test_rounds_go_on_after_reading(tmp_path: Path) -> None:
    store, task = tmp_path / "batch.db", WorldSense(limit=6)
    rounds = 0
    while True:
        out = tmp_path / f"{rounds}.jsonl"
        wrote = write([(task, "sample")], asking(), out, seed=0, store=store)
        if not wrote.files:
            break
        rounds += 1
        read_batch([saved(tmp_path / "back", endpoint(wrote.files))], asking(), store=store)
    assert rounds == 2
    assert evaluate(task, asking(), method="sample", store=store, quiet=True).asked == 0


QUESTION = {"custom_id": f"{'0' * 32}-0", "method": "POST", "url": "/v1/completions", "body": {}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no run of openai:toy"),
        ("{", "line 1: not valid JSON"),
        ("[]", "line 1: list found"),
        ('{"custom_id": "mine"}', "line 1: custom_id is 'mine'"),
        ('{"custom_id": 7}', "line 1: custom_id is 7"),
        (json.dumps(QUESTION), "line 1: a question"),
        (json.dumps(QUESTION | {"response": None}), "no run of openai:toy"),
        ("\xff", "not UTF-8"),
    ],
)
def test_what_is_no_answer_is_refused(text: str, said: str, tmp_path: Path) -> None:
    write([CASES[0]], asking(), tmp_path / "out.jsonl", seed=0, store=tmp_path / "batch.db")
    (tmp_path / "back.jsonl").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=said):
        read_batch([tmp_path / "back.jsonl"], asking(), store=tmp_path / "batch.db")


def test_a_bad_line_leaves_nothing_behind(tmp_path: Path) -> None:
    wrote = write([CASES[0]], asking(), tmp_path / "out.jsonl", seed=0, store=tmp_path / "batch.db")
    back = saved(tmp_path / "back.jsonl", endpoint(wrote.files))
    back.write_text(back.read_text()[:-40])
    with pytest.raises(InputError, match="line 9"):
        read_batch([back], asking(), store=tmp_path / "batch.db")
    with Store.open(tmp_path / "batch.db") as opened:
        assert opened._rows("SELECT count(*) FROM responses") == [(0,)]


@pytest.mark.parametrize("model", ["random:1", "labelling"])
def test_models_that_cannot_be_asked_so(model: str, tmp_path: Path) -> None:
    from dataclasses import replace

    toy = asking()
    toy.asking = replace(toy.asking, can=replace(toy.asking.can, label_ids="logprob_token_ids"))
    loaded = load_model(model) if ":" in model else toy
    with pytest.raises(InputError, match=r"batch files for|by their ids"):
        write([CASES[0]], loaded, tmp_path / "out.jsonl", seed=0, store=tmp_path / "batch.db")
