"""Tests of asking by batch files: what comes back by them is what a server answers at once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.models.base import Model
from probsense.models.registry import fingerprint, load_model
from probsense.runs.ask import batch as module
from probsense.runs.ask.batch import Read, Written, read_batch, write_batch
from probsense.runs.ask.plan import plan
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store
from probsense.tasks.base import Method, Task
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


@dataclass
class Batch:
    """A store, and the files that go to a batch endpoint and come back."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "batch.db"

    def write(self, *asked: tuple[Task, Method], model: Model | None = None, name: str = "out") -> Written:
        planned = [plan(task, model or asking(), method) for task, method in asked]
        return write_batch(planned, self.folder / f"{name}.jsonl", seed=0, store=self.store)

    def read(self, *files: Sequence[object], model: Model | None = None) -> Read:
        paths = [self.folder / f"back-{number}" for number in range(len(files))]
        for path, answers in zip(paths, files, strict=True):
            path.write_text("".join(f"{json.dumps(one)}\n" for one in answers))
        return read_batch(paths, model or asking(), store=self.store)

    def evaluated(self, task: Task, method: Method | None = None) -> Run:
        return evaluate(task, asking(), method=method, store=self.store, quiet=True)

    def records(self) -> list[RunRecord]:
        with Store.open(self.store) as opened:
            return opened.runs()

    def count(self, table: str) -> int:
        with Store.open(self.store) as opened:
            return int(opened._rows(f"SELECT count(*) FROM {table}")[0][0])


@pytest.fixture
def batch(tmp_path):
    return Batch(tmp_path)


CASES = [
    (Judgments(limit=9), "labels"),
    (Judgments(limit=6, trials=11), "sample"),
    (Winogrande(limit=6), "options"),
]


@pytest.mark.parametrize(("task", "method"), CASES, ids=lambda part: str(getattr(part, "name", part)))
def test_a_batch_answers_what_a_run_asks(task, method, batch):
    wrote = batch.write((task, method))
    back = endpoint(wrote.files)
    assert (wrote.files, wrote.lines) == ([str(batch.folder / "out.jsonl")], len(back))
    assert batch.read(back) == Read(wrote.requests, 0, {}, 0)
    done = batch.evaluated(task, method)
    assert done.asked == 0
    assert done.reused == wrote.requests
    with serving(Habits()) as url:
        live = evaluate(task, asking(url=url), method=method, store=None, quiet=True)
    assert done.outcome.answers == live.outcome.answers
    assert done.table().equals(live.table())
    for run in (done, live):
        assert all(one.server and one.server["model"] == "toy" for one in run.outcome.answers.values())


def test_reading_twice_does_no_harm(batch):
    asked = Judgments(limit=6), "labels"
    back = endpoint(batch.write(asked).files)
    stranger = {"custom_id": f"{'0' * 32}-0", "response": None, "error": None}
    assert batch.read([stranger, *back[:3], stranger]) == Read(3, 0, {}, 2)
    used = batch.records()[0].usage
    assert batch.read(back + back[:2], back[:3]) == Read(3, 3, {}, 0)
    assert batch.read(back) == Read(0, 6, {}, 0)
    assert batch.records()[0].usage.requests == 2 * used.requests == 6
    nothing = batch.write(asked, name="more")
    assert nothing.files == []
    assert nothing.requests == 0
    assert nothing.stored == 6
    assert not (batch.folder / "more.jsonl").exists()


def replying(**response: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Change the response of a line."""
    return lambda one: one | {"response": one["response"] | response}


FAILING = {
    "not in time": lambda one: one | {"response": None, "error": {"message": "not in\n time"}},
    "HTTP 429: too many": replying(status_code=429, body={"error": {"message": "too  many"}}),
    "HTTP 500": replying(status_code=500, body=None),
    "the line has no answer": lambda one: one | {"response": None},
    "the answer has no choices": replying(body={"choices": []}),
    "another model answered, 'gpt'": lambda one: replying(body={**one["response"]["body"], "model": "gpt"})(
        one
    ),
}
"""Lines that came back without an answer, by the reason."""


def test_failures_are_recorded_and_written_again(batch):
    asked = Judgments(limit=12), "labels"
    back = endpoint(batch.write(asked).files)
    bad = [fail(one) for one, fail in zip(back, FAILING.values(), strict=False)]
    for _ in range(2):
        assert batch.read(back[len(bad) :], bad).failures == dict.fromkeys(FAILING, 1)
    with Store.open(batch.store) as opened:
        names = [one["custom_id"].partition("-")[0] for one in bad]
        found = opened.failures(fingerprint(asking()), names)
    assert [found[name].reason for name in names] == [*FAILING]
    assert batch.count("failures") == len(bad)
    rest = batch.write(asked, name="rest")
    assert rest.requests == len(bad)
    assert rest.stored == 12 - len(bad)
    read = batch.read(bad, endpoint(rest.files))
    assert read.answers == len(bad)
    assert read.failures == {}
    assert batch.evaluated(asked[0]).asked == 0


def test_tokens_and_cost_are_counted_once(batch):
    (batch.folder / "prices.yaml").write_text("toy: {input: 1000000, output: 2000000}\n")
    model = asking(prices=batch.folder / "prices.yaml")
    back = endpoint(batch.write((Judgments(limit=3), "labels"), model=model).files)
    for one in back:
        one["response"]["body"]["usage"] = {"prompt_tokens": 10, "completion_tokens": 1}
    for _ in range(2):
        batch.read(back, model=model)
    used = batch.records()[0].usage
    assert (used.requests, used.tokens, used.written, used.cost) == (3, 30, 3, 36.0)


def test_a_file_has_one_route_and_no_more_than_is_taken(batch, monkeypatch):
    monkeypatch.setattr(module, "MOST_LINES", 5)
    wrote = batch.write(*CASES)
    assert [Path(path).name for path in wrote.files[:2]] == ["out.jsonl", "out-2.jsonl"]
    parts = [[json.loads(line) for line in Path(path).read_text().splitlines()] for path in wrote.files]
    assert max(map(len, parts)) <= 5
    assert all(len({one["url"] for one in part}) == 1 for part in parts)
    owners = [{one["custom_id"].partition("-")[0] for one in part} for part in parts]
    assert sum(map(len, owners)) == wrote.requests  # the lines of a request stay together
    # Texts to continue and questions are read from one set of files.
    assert batch.read(endpoint(wrote.files)) == Read(wrote.requests, 0, {}, 0)
    monkeypatch.setattr(module, "MOST_LINES", 50_000)
    monkeypatch.setattr(module, "MOST_BYTES", 2000)
    batch.write(*CASES, name="small")
    assert all(path.stat().st_size <= 2000 for path in batch.folder.glob("small*.jsonl"))


def test_rounds_go_on_after_reading(batch):
    task, rounds = WorldSense(limit=6), 0
    while (wrote := batch.write((task, "sample"), name=f"{rounds}")).files:
        rounds += 1
        batch.read(endpoint(wrote.files))
    assert rounds == 2
    assert batch.evaluated(task, "sample").asked == 0


QUESTION = {"custom_id": f"{'0' * 32}-0", "method": "POST", "url": "/v1/completions", "body": {}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no run of openai:toy"),
        ("{", "line 1: not valid JSON"),
        ('{"custom_id": "mine"}', "line 1: custom_id is 'mine'"),
        ('{"custom_id": 7}', "line 1: custom_id is 7"),
        (json.dumps(QUESTION), "line 1: a question"),
        (json.dumps(QUESTION | {"response": None}), "no run of openai:toy"),
        ("\xff", "not UTF-8"),
    ],
)
def test_what_is_no_answer_is_refused(text, said, batch):
    back = endpoint(batch.write(CASES[0]).files)
    path = batch.folder / "back.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=said):
        read_batch([path], asking(), store=batch.store)
    # Good lines before a bad one are not stored, either.
    path.write_text("".join(f"{json.dumps(one)}\n" for one in back)[:-40])
    with pytest.raises(InputError, match="line 9"):
        read_batch([path], asking(), store=batch.store)
    assert batch.count("responses") == 0


@pytest.mark.parametrize("model", ["random:1", "labelling"])
def test_models_that_cannot_be_asked_so(model, batch):
    toy = asking()
    toy.asking = replace(toy.asking, can=replace(toy.asking.can, label_ids="logprob_token_ids"))
    with pytest.raises(InputError, match=r"batch files for|by their ids"):
        batch.write(CASES[0], model=load_model(model) if ":" in model else toy)
