"""Answers and commands through llama.cpp's server equal those of the same model in this process."""

import json
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engines.llamacpp.asking import PLAIN, STORY, TRUTH, ask
from probsense.core.errors import InputError
from probsense.core.records import (
    Failure,
    LabelRequest,
    SampleRequest,
    ScoreRequest,
    TokenLogprobs,
)

TOLERANCE = 5e-5
"""Nats between the two engines, both in float32: ten times what was seen."""
BO = STORY.format("Bo")


def agree(one, other):
    for a, b in ((one.option, other.option), (one.suffix, other.suffix)):
        np.testing.assert_allclose(a.logprobs, b.logprobs, rtol=0, atol=TOLERANCE)
        assert (a.chars, a.bytes) == (b.chars, b.bytes)
    assert one.straddles == other.straddles


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    prefix=st.text("abc T.,'0 \né", min_size=1, max_size=12),
    options=st.lists(st.text("ab T.'1 \n🙂", min_size=1, max_size=8), min_size=1, max_size=2, unique=True),
    suffix=st.text("ab .2é", max_size=6),
)
@example(prefix="0", options=[" "], suffix="a")
def test_options_of_any_text(served, known, prefix, options, suffix):
    request = ScoreRequest(f"Say {prefix}", tuple(options), suffix)
    try:
        (expected,) = ask(known.score, request)
    except InputError:
        # An option that shares its only token with the suffix: the server may not show that it has none of its own.
        with suppress(InputError):
            assert isinstance(ask(served.score, request)[0], Failure)
        return
    (found,) = ask(served.score, request)
    for one, other in zip(found.options, expected.options, strict=True):
        whole, same = (np.concatenate([x.option.logprobs, x.suffix.logprobs]) for x in (one, other))
        np.testing.assert_allclose(whole, same, rtol=0, atol=TOLERANCE)
        if not (one.straddles or other.straddles):
            agree(one, other)


def test_labels_lie_within_their_bounds(served, known):
    requests = [LabelRequest(BO, TRUTH), LabelRequest(f"{BO}\nAnswer:", TRUTH)]
    for one, other in zip(ask(served.labels, *requests), ask(known.labels, *requests), strict=True):
        assert (one.source, other.source) == ("topk", "exact")
        assert sum(one.mass.values()) + one.other == pytest.approx(1)
        for name, (low, high) in one.bounds.items():
            assert low - TOLERANCE <= other.mass[name] <= high + TOLERANCE


def test_texts(served, known):
    requests = [
        SampleRequest(BO, max_tokens=12),
        SampleRequest("Tom stands", max_tokens=20),
        SampleRequest("Tom stands", max_tokens=20, stop=(".", " of")),
    ]
    found, expected = ask(served.sample, *requests), ask(known.sample, *requests)
    assert [one.texts for one in found] == [one.texts for one in expected]


def test_drawn_texts(served):
    request = SampleRequest("Tom stands", n=12, max_tokens=6, temperature=1.0, seed=4)
    first, again = ask(served.sample, request), ask(served.sample, request)
    assert len(first[0].texts) == 12
    assert len(set(first[0].texts)) > 3  # the server takes one text by a request: each has a seed of its own
    assert first == again
    assert first[0].server["model"] == "tiny"


def test_a_text_that_is_too_long_or_has_no_prefix_fails_alone(served):
    long = ScoreRequest("word " * 600, (" TRUE", " FALSE"))
    bare = ScoreRequest("", ("Tom stands", "A rose is a rose"), ".")
    short, failed, first = ask(served.score, ScoreRequest(BO, (" TRUE", " FALSE")), long, bare)
    # The server keeps the log-probability of the first token to itself, though it has one.
    assert "give a prefix" in first.reason
    assert isinstance(short.options[0].option, TokenLogprobs)
    assert isinstance(failed, Failure)
    assert "context" in failed.reason


def test_doctor(base_url):
    command = [sys.executable, "-m", "probsense", "doctor", "openai:tiny", "--json"]
    command += ["-M", f"base_url={base_url}", "-M", "prompt_format=plain"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    found = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["options"]["ok"]
    assert found["options, in a batch"]["data"]["largest_difference"] < 1e-3
    assert found["labels, probabilities"]["ok"]
    assert not found["texts, the most probable"]["ok"]
    assert done.returncode == 1
    subprocess.run([*command, "-M", f"extra_body={PLAIN}"], timeout=600, check=True)
