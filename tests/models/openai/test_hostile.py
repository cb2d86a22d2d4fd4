"""A server that fails in every way: each request ends as a true answer or as a failure, nothing twice, nothing lost."""

import gc
import tracemalloc
from collections import Counter

import pytest

from probsense.core.records import (
    Failure,
    LabelRequest,
    LabelResponse,
    SampleRequest,
    ScoreRequest,
    response_to_json,
)
from probsense.models.openai.requests import Abilities
from support.models.answers import collect
from support.servers import hostile
from support.servers.asking import CHAT_20, ECHO, model

YES_NO = (("yes", ("yes",)), ("no", ("no",)))


LABELS = [LabelRequest(f"Is {i} a number?", YES_NO) for i in range(150)]
SCORES = [ScoreRequest(f"Number {i} is", (" even", " rather odd"), " they say") for i in range(60)]
SAMPLES = [SampleRequest(f"Say {i}", n=10, temperature=1.0) for i in range(60)]

SWIFT = [fault for fault in hostile.FAULTS if fault not in ("timeout", "drip")]


def told(answer):
    """What an answer says, up to the text of a token that means nothing."""
    if not isinstance(answer, LabelResponse):
        return answer
    names = sorted(answer.mass)
    figures = [round(x, 12) for name in names for x in (answer.mass[name], *answer.bounds[name])]
    return figures, answer.source, answer.note, answer.server


def honest(can, verb, requests):
    """The answers of the same server where nothing fails."""
    with hostile.serving() as server:
        return collect(getattr(model(server.url, can), verb)(requests))


@pytest.mark.parametrize("tries", [2, 6])
@pytest.mark.parametrize(
    ("can", "verb", "requests"),
    [
        (CHAT_20, "labels", LABELS),
        (ECHO, "labels", LABELS),
        (ECHO, "score", SCORES),
        (CHAT_20, "sample", SAMPLES),
        (Abilities("chat", seed=True), "sample", SAMPLES[:20]),
    ],
    ids=["labels-chat", "labels-completions", "score", "sample", "sample-one-by-one"],
)
def test_thirty_in_a_hundred_fail(can, verb, requests, tries):
    truth = honest(can, verb, requests)
    # A wrong model name in the first answer of all would be taken for an alias.
    with hostile.serving(0.3, SWIFT, seed=1) as server:
        asked = model(server.url, can, tries=tries, concurrency=8)
        asked._served = hostile.MODEL
        found = collect(getattr(asked, verb)(requests))
    assert set(found) == set(truth) == set(range(len(requests)))
    kinds = Counter(type(answer) for answer in found.values())
    for index, answer in found.items():
        if isinstance(answer, Failure):
            assert (bool(answer.reason), answer.tries) == (True, tries)
        else:
            assert told(answer) == told(truth[index])
            response_to_json(answer)
    assert (kinds[Failure] > 0) is (tries == 2) or kinds[Failure] < 0.02 * len(requests)
    assert asked.usage.requests >= sum(server.asked.values())
    assert set(server.faults) == set(SWIFT)


@pytest.mark.parametrize("fault", [*hostile.REFUSALS, *hostile.BROKEN, "wrong model"])
def test_each_fault_is_a_failure_that_says_why(fault):
    with hostile.serving(1.0, [fault]) as server:
        asked = model(server.url, tries=2, timeout=0.2)
        asked._served = hostile.MODEL
        ((index, failure),) = collect(asked.labels(LABELS[:1])).items()
    assert (index, failure.tries) == (0, 2)
    said = {
        "timeout": "no whole answer within 0.2 seconds",
        "drip": "no whole answer within 0.2 seconds",
        "cut": "the answer was cut off",
        "truncated": "not valid JSON",
        "no JSON": "not valid JSON",
        "a list": "no JSON object",
        "wrong model": "another model answered, 'another-one'",
    }
    assert said.get(fault, f"HTTP {fault.split()[0]}: not now") in failure.reason


def test_memory_does_not_grow_with_requests():
    def measure(n):
        """Bytes that are kept when so many requests were answered, and the most that there were meanwhile."""
        with hostile.serving(0.3, SWIFT, seed=2) as server:
            asked = model(server.url, concurrency=8)
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            for _ in asked.labels(LABELS[:1] * n):
                pass
            most = tracemalloc.get_traced_memory()[1] - before
            gc.collect()
            return tracemalloc.get_traced_memory()[0] - before, most

    tracemalloc.start()
    try:
        _, (few, _), (many, most) = (measure(n) for n in (20, 30, 90))
    finally:
        tracemalloc.stop()
    assert many < few + 15_000
    assert most < 5_000_000
