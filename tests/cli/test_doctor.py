"""``probsense doctor`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Probsense, assert_refused
from support.servers.endpoints import Habits, serving


def test_a_local_model(probsense: Probsense) -> None:
    document = json.loads(probsense("doctor", "builtin:tiny", "--json").out)
    assert (document["schema"], document["model"]) == (1, "builtin:tiny")
    assert document["capabilities"]["labels"] == "exact"
    assert document["details"]["backend"] == "hf"
    assert {finding["ok"] for finding in document["findings"]} <= {True, None}


def test_what_is_needed_is_not_there(probsense: Probsense) -> None:
    done = probsense("doctor", "random", "--method", "sample")
    assert done.code == 1
    assert "FAIL  methods" in done.out
    assert probsense("doctor", "random", "--method", "labels").code == 0
    assert_refused(probsense("doctor", "random", "--method", "option"), "did you mean 'options'")


def test_an_endpoint(probsense: Probsense, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    with serving(Habits(key="sk-canary-0123456789")) as url:
        done = probsense("doctor", "openai:toy", "-M", f"base_url={url}", "--json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert {finding["ok"] for finding in document["findings"]} <= {True, None}
    assert document["capabilities"]["score"]
    assert "canary" not in done.out


def test_an_endpoint_that_ignores_echo(probsense: Probsense) -> None:
    with serving(Habits(echo="ignored", prompt_logprobs="ignored")) as url:
        done = probsense("doctor", "openai:toy", "-M", f"base_url={url}")
        words = ("run", "winogrande", "--model", "openai:toy", "-M", f"base_url={url}", "--data", "w.jsonl")
        Path("w.jsonl").write_text(
            '{"qID": "a-1", "sentence": "It is _ .", "option1": "hot", "option2": "cold", "answer": "1"}\n'
        )
        run, wished = probsense(*words), probsense(*words, "--method", "options")
    assert (done.code, done.err) == (1, "")
    assert "FAIL  options" in done.out
    assert "would come out at chance" in " ".join(done.out.split())
    for refused in (run, wished):
        assert_refused(refused, "would come out at chance")
