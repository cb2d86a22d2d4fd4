"""vLLM itself gives the numbers of transformers, whatever its cache holds, and ends with the command."""

import os
import signal
import subprocess
import sys
import time

import pytest

from probsense.analysis.distributions.label_mass import YES_NO
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.base import in_form
from probsense.models.registry import load_model
from probsense.models.small.builtin import HERE
from support.models.answers import answers, logprobs

CLOSE = 1e-4
"""Nats by which float32 may differ; 6e-6 on the built-in model and 4e-5 on SmolLM2 were seen."""
STORY = "Anna is taller than Bob. Bob is taller than Carl. Carl is taller than Dora. " * 3
SCORES = [
    ScoreRequest(STORY + question, options, suffix)
    for question in ("Is Anna tall? Answer:", "Bob is", "Carl is taller than", "")
    for options in ((" yes", " no"), (" a wooden blanket from the cellar", " a wooden chair", " so"))
    for suffix in ("", ". So it is")
]
SCORES += [ScoreRequest("Bob is", (" yes", " no"), system="You are Anna.")]
THOUGHT = Thought("<think>\n", "Bob is tall.\n", "</think>\n\n")
SCORES += [ScoreRequest("Bob is", (" yes", " no"), ".", thought=THOUGHT)]
LABELS = [
    LabelRequest(STORY + question, YES_NO, system=system)
    for question in ("Is Anna tall? Yes or no:", "Say no:")
    for system in ("", "You are Anna.")
]
LABELS += [LabelRequest(STORY, YES_NO, thought=THOUGHT)]
TEXTS = [SampleRequest(STORY + question, n=2, max_tokens=8) for question in ("Is Anna tall?", "So")]
TEXTS += [SampleRequest("Are you tall?", max_tokens=8, system="You are Anna.")]
TEXTS += [SampleRequest("Are you tall?", max_tokens=8, thought=Thought("<think>\n"), stop=("</think>",))]


def same(ours, theirs):
    """Compare all verbs; the most probable texts may part where two tokens are as probable."""
    scored = answers(theirs.score(SCORES))
    for _ in range(2):  # The second time the engine has it all in its cache.
        assert logprobs(answers(ours.score(SCORES))) == pytest.approx(logprobs(scored), abs=CLOSE)
    for one, other in zip(answers(ours.labels(LABELS)), answers(theirs.labels(LABELS)), strict=True):
        assert one.mass == pytest.approx(other.mass, abs=CLOSE)
        assert one.note == other.note
        assert [p for _, p in one.others] == pytest.approx([p for _, p in other.others], abs=CLOSE)
    assert answers(ours.sample(TEXTS)) == answers(theirs.sample(TEXTS))


def test_the_tiny_model_is_that_of_transformers(tiny, plain):
    same(tiny, plain)


@pytest.mark.real
def test_a_real_model_is_that_of_transformers(smollm2):
    ours, theirs = (load_model(f"{kind}:{smollm2}", dtype="float32") for kind in ("vllm", "hf"))
    for form in ("completion", "question"):
        one, other = in_form(ours, form), in_form(theirs, form)
        assert one.capabilities == other.capabilities
        same(one, other)


def command(*words):
    return [sys.executable, "-m", "probsense", *words, "--model", f"vllm:{HERE / 'tiny'}"]


def test_a_command_shows_results_alone():
    asked = ("score", "Anna is", " tall", " small")
    done = subprocess.run(command(*asked), capture_output=True, text=True, timeout=600, check=True)
    assert [line for line in done.stderr.splitlines() if not line.startswith("getting vllm:")] == []
    assert "tall" in done.stdout
    assert done.stdout.startswith('"Anna is"')


def test_nothing_is_left_after_an_interrupt(tmp_path):
    store, log = tmp_path / "run.db", tmp_path / "log"
    words = command("run", "worldsense", "--tuples", "400", "--store", str(store))
    with log.open("w") as stream:
        own = {"start_new_session": True, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
        process = subprocess.Popen(words, stdout=stream, stderr=stream, **own)
        try:
            until = time.monotonic() + 600
            while not store.exists():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until
                time.sleep(0.5)
            time.sleep(5)
            process.send_signal(signal.SIGINT)
            assert process.wait(100) == 1
            assert log.read_text().splitlines()[-1].startswith("probsense: interrupted")
            with pytest.raises(ProcessLookupError):
                os.killpg(process.pid, 0)
        finally:
            process.kill()
