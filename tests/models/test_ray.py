"""A pooled model answers as the model itself does, whichever worker gives which part."""

from __future__ import annotations

import weakref
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError, ModelError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.ray import LONGEST, PARTS, Asked, Worker, check, cut, load, pooled
from probsense.models.registry import fingerprint, load_model
from probsense.models.small.random import RandomModel
from probsense.runs.evaluate import evaluate
from support.models.answers import answers, logprobs


@dataclass
class Here:
    """Workers in this process, the last part first; ``tasks`` are the parts that each got."""

    number: int = 2
    workers: list[Worker] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.workers = [Worker() for _ in range(self.number)]

    def describe(self, asked):
        descriptions = [worker.describe(asked) for worker in self.workers]
        return descriptions[0]

    def answer(self, asked, verb, parts):
        self.parts.append(len(parts))
        for number in reversed(range(len(parts))):
            yield self.workers[number % self.number].answer(asked, verb, number, parts[number])


TO_THINK = {"thinking": "on", "chains": 2, "thinking_budget": 4, "think_start": "So:", "think_end": "Answer:"}


@pytest.mark.parametrize(
    ("task", "model", "how"),
    [
        *((task, "random:3", {}) for task in ("worldsense", "judgments", "winogrande", "suite", "frames")),
        ("worldsense", "builtin:tiny", TO_THINK | {"limit": 3}),
    ],
)
def test_every_task_has_the_same_results(tmp_path, task, model, how):
    ours, theirs = (
        evaluate(task, asked, store=tmp_path / f"{i}.db", quiet=True, **{"limit": 12, **how})
        for i, asked in enumerate((pooled(Here(3), model), model))
    )
    assert ours.model == model + " (thinking)" * bool(how)
    assert (ours.id, ours.to_json()["estimates"]) == (theirs.id, theirs.to_json()["estimates"])


def test_what_cannot_think_is_refused_in_a_pool_too():
    with pytest.raises(InputError, match="cannot be asked after a thought"):
        evaluate("worldsense", pooled(Here(2), "random:1"), limit=6, quiet=True, store=None, **TO_THINK)


def test_options_forms_and_formats_reach_the_workers():
    pool, alone = pooled(Here(), "builtin:tiny"), load_model("builtin:tiny")
    assert fingerprint(pool.for_form("question")) == fingerprint(alone.for_form("question"))
    assert (pool.settled, pool.prompt_formats()) == (alone.settled, alone.prompt_formats())
    asked, own = (model.in_prompt_format("question-answer") for model in (pool, alone))
    assert fingerprint(asked) == fingerprint(own) != fingerprint(pool)
    request = LabelRequest("Is snow white?", (("yes", ("yes",)), ("no", ("no",))))
    assert answers(asked.labels([request])) == answers(own.labels([request]))
    guesser = pooled(Here(), "random:1")
    assert (guesser.settled, guesser.prompt_formats()) == (True, ())
    with pytest.raises(InputError, match="takes no option 'nonsense'"):
        pooled(Here(), "builtin:tiny", nonsense=1)


def test_usage_is_that_of_all_workers():
    requests = [ScoreRequest(f"{'The sky is ' * 8}{k}", (" blue", " red")) for k in range(40)]
    pool, alone = pooled(Here(), "builtin:tiny"), load_model("builtin:tiny")
    ours, theirs = (logprobs(answers(model.score(requests))) for model in (pool, alone))
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert pool.usage.naive == alone.usage.naive
    assert alone.usage.tokens <= pool.usage.tokens < alone.usage.naive
    assert pool.usage.seconds > 0


def test_a_worker_has_one_model_in_memory(monkeypatch):
    alive = []

    class Referred(RandomModel):
        """Can be referred to weakly."""

    def load_one(spec, dtype=""):
        assert [model for model in alive if model() is not None] == []
        model = Referred(spec, 1)
        alive.append(weakref.ref(model))
        return model

    monkeypatch.setattr("probsense.models.ray.load_model", load_one)
    worker = Worker()
    for spec, dtype in (("random:1", "a"), ("random:1", "a"), ("random:2", "a"), ("random:2", "b")):
        assert worker.describe(Asked(spec, {"dtype": dtype})).name == spec
    assert len(alive) == 3


def test_a_worker_with_another_model_is_refused():
    class Changing(Worker):
        def answer(self, asked, verb, part, requests):
            return super().answer(asked._replace(spec="random:2"), verb, part, requests)

    here = Here(1)
    pool = pooled(here, "random:1")
    here.workers = [Changing()]
    with pytest.raises(ModelError, match="a worker has loaded another random:1 than the first one had"):
        next(pool.score([ScoreRequest("a", ("b",))]))


@given(st.lists(st.tuples(st.text("ab", max_size=5), st.integers(1, 5)), max_size=40), st.integers(1, 5))
def test_parts_have_each_request_once_and_what_begins_alike_together(asked, workers):
    requests = [SampleRequest(prompt, n=n) for prompt, n in asked]
    parts = cut(requests, workers)
    assert all(parts)
    assert len(parts) <= max(1, PARTS * workers)
    assert Counter(i for part in parts for i in part) == Counter(range(len(requests)))
    texts = [requests[i].prompt for part in parts for i in part]
    assert texts == sorted(texts)


def test_long_work_has_more_parts():
    requests = [SampleRequest(f"{k:06}" * 100) for k in range(10_000)]
    parts = cut(requests, 2)
    assert len(parts) == -(-10_000 * 616 // LONGEST)
    assert max(map(len, parts)) < 1.2 * min(map(len, parts))


def test_the_model_is_loaded_with_its_own_options(monkeypatch):
    started = []
    monkeypatch.setattr(
        "probsense.models.ray.RayWorkers", lambda *given: started.append(given) or Here(given[0])
    )
    model = load("builtin:tiny", workers=3, gpus_per_worker=0.5, dtype="float32")
    assert started == [(3, 0.5, None)]
    assert model.asked == Asked("builtin:tiny", {"dtype": "float32"})
    with pytest.raises(InputError, match="did you mean 'hf:NAME'"):
        check("NAME", workers=3)
    with pytest.raises(InputError, match="takes no option 'dtipe'"):
        check("builtin:tiny", workers=3, dtipe="float32")
