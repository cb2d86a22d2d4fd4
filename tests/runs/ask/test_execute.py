"""Asking: rounds, the store before the model, models that misbehave, and the account of what answers took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import ModelError
from probsense.core.records import (
    LabelResponse,
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreResponse,
    TokenLogprobs,
    request_key,
)
from probsense.models.base import Batch, Capabilities
from probsense.models.registry import fingerprint
from probsense.runs.ask.execute import Interrupted, execute
from probsense.runs.ask.plan import Plan
from probsense.runs.ask.rounds import Outcome
from probsense.runs.store.store import Store
from probsense.tasks.base import Method
from support.run_fakes import Clerk, Quiz


def run(quiz: Quiz, clerk: Clerk, store: Store, method: Method = "sample") -> Outcome:
    items = quiz.items()
    record = store.start_run(quiz, items, method, 0, clerk)
    return execute(Plan(quiz, clerk, method, items), items, store, lambda done, total: None, run=record.id)


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_every_request_is_asked_once(method):
    quiz, clerk = Quiz(n=30), Clerk()
    with Store.open(None) as store:
        outcome = run(quiz, clerk, store, method)
    wanted = {r for item in quiz.items() for r in quiz.requests(item, method, outcome.answers)}
    assert set(outcome.answers) == wanted
    assert sorted(clerk.asked) == sorted(request_key(r) for r in wanted)
    assert outcome.asked == len(wanted)
    assert outcome.reused == 0
    assert clerk.calls == (2 if method == "sample" else 1)


@given(st.sets(st.integers(0, 19)), st.integers(1, 25), st.sampled_from(["options", "labels", "sample"]))
def test_whatever_is_stored_before_is_not_asked_and_changes_nothing(before, batch, method):
    quiz = Quiz()
    with Store.open(None) as store:
        whole = run(quiz, Clerk(), store, method)
    with Store.open(None) as store:
        run(Quiz(n=0), Clerk(), store, method)
        firsts = [quiz.requests(quiz.items()[i], method, {})[0] for i in before]
        known = {request_key(request): whole.answers[request] for request in firsts}
        store.put(fingerprint(Clerk()), list(known.items()))
        outcome = run(quiz, clerk := Clerk(batch=batch), store, method)
    assert dict(outcome.answers) == dict(whole.answers)
    assert known.keys().isdisjoint(clerk.asked)
    assert outcome.asked == whole.asked - len(known)
    assert outcome.reused == len(known)


def test_equal_words_of_two_items_are_two_requests_of_a_model_that_answers_by_item():
    quiz = Quiz(n=20, twins=True)
    with Store.open(None) as store:
        clerk = Clerk(capabilities=Capabilities(score=True, by_item=True))
        outcome = run(quiz, clerk, store, "options")
    assert len(set(clerk.asked)) == outcome.asked == len(outcome.answers) == 20
    a, b = (outcome.answers[quiz.requests(item, "options", {})[0]] for item in quiz.items()[:2])
    assert a != b


def test_progress_counts_items():
    told = []
    quiz, clerk = Quiz(n=6, twins=True), Clerk(batch=1)
    with Store.open(None) as store:
        store.start_run(quiz, quiz.items(), "options", 0, clerk)
        planned = Plan(quiz, clerk, "options", quiz.items())
        execute(planned, quiz.items(), store, lambda done, total: told.append((done, total)))
    assert told == [(0, 6), (2, 6), (4, 6), (6, 6)]


class Stopped(Clerk):
    """Is interrupted after so many batches."""

    stop_after = 0

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for count, batch in enumerate(super().sample(requests)):
            if count == self.stop_after:
                raise KeyboardInterrupt
            yield batch


@pytest.mark.parametrize(("path", "batches"), [(None, 0), (None, 2), ("a.db", 2)])
def test_what_arrived_before_the_interruption_is_kept(path, batches, tmp_path):
    clerk = Stopped(batch=4)
    clerk.stop_after = batches
    said = (
        r"are stored in .*a\.db; run the same command again to resume"
        if path
        else "answers; nothing is stored"
    )
    with Store.open(path and tmp_path / path) as store:
        with pytest.raises(Interrupted, match=f"{4 * batches} of 20 .*{said}"):
            run(Quiz(), clerk, store)
        keys = [request_key(Quiz().requests(item, "sample", {})[0]) for item in Quiz().items()]
        assert len(store.get(fingerprint(clerk), keys)) == 4 * batches


def test_an_interruption_while_a_batch_is_stored_does_not_lose_it():
    class Struck(Store):
        struck = False

        def put(self, *args, **kept):
            if not self.struck:
                self.struck = True
                raise KeyboardInterrupt
            return super().put(*args, **kept)

    with Struck.open(None) as store:
        with pytest.raises(Interrupted, match="after 4 of 20"):
            run(Quiz(), Clerk(batch=4), store)
        assert run(Quiz(), Clerk(), store).reused == 4


ONE = OptionScore(TokenLogprobs((-1.0,), ("a",), 1, 1), TokenLogprobs((), (), 0, 0))


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("sample", None, "left 20 of 20 requests without an answer"),
        ("sample", SampleResponse(()), "does not fit the sample request"),
        ("options", ScoreResponse((ONE,)), "does not fit the score request"),
        ("labels", LabelResponse({"yes": 1.0}, 0.0), "does not fit the labels request"),
        ("labels", LabelResponse({"yes": float("nan"), "no": 0.0}, 0.0), "cannot be stored"),
    ],
)
def test_a_model_that_misbehaves(method, answer, message):
    class Bad(Clerk):
        def score(self, requests):
            yield [(i, answer) for i in range(len(requests)) if answer]

        labels = sample = score

    with Store.open(None) as store, pytest.raises(ModelError, match=f"clerk: .*{message}"):
        run(Quiz(), Bad(), store, method)
