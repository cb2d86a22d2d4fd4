"""Models on the command line: their options, and ``probsense score`` and ``probsense doctor`` as a user calls them."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.cli.models import options_of
from probsense.cli.options import read_pairs
from probsense.core.errors import InputError
from probsense.core.options import Option
from support.command import assert_refused
from support.servers.endpoints import Habits, serving


def option(name: str, kind: Any = str, *, many: bool = False) -> Option:
    return Option(name, kind, many, False, (), None, "", positional=False)


KNOWN = {
    one.name: one
    for one in (option("rule"), option("laps", int), option("wet", bool), option("files", Path, many=True))
}


@given(st.text())
def test_any_text_is_a_value(text):
    assert read_pairs([f"rule={text}"], KNOWN, "-M") == {"rule": text}


@given(st.lists(st.text(), max_size=3))
def test_what_is_no_option_is_refused(words):
    with suppress(InputError):
        assert read_pairs(words, KNOWN, "-M").keys() <= KNOWN.keys()


def test_each_model_gets_the_options_that_it_takes():
    words = ["dtype=float64", "model-arg=a=b", "model_arg=c=d", "think_start=So:"]
    models = ["builtin:tiny", "lm-eval:hf", "random", "ray:builtin:tiny"]
    found, thoughts = options_of(models, [*words, "workers=3"], thoughts=True)
    assert found == {
        "builtin:tiny": {"dtype": "float64"},
        "lm-eval:hf": {"model_arg": ["a=b", "c=d"]},
        "random": {},
        "ray:builtin:tiny": {"workers": 3, "dtype": "float64"},
    }
    assert thoughts == {"think_start": "So:"}
    with pytest.raises(InputError, match="no such option: -M think_start"):
        options_of(models, words)


def test_nothing_is_stripped_from_what_is_given(probsense):
    words = ("--suffix", " \t", "--json", "--", " a\n", "-b ", "\\n")
    document = json.loads(probsense("score", "-m", "random", *words).out)
    assert (document["prefix"], document["suffix"]) == (" a\n", " \t")
    assert [option["option"] for option in document["options"]] == ["-b ", "\\n"]


def test_what_is_needed_is_not_there(probsense):
    done = probsense("doctor", "random", "--method", "sample")
    assert done.code == 1
    assert "FAIL  methods" in done.out
    assert probsense("doctor", "random", "--method", "labels").code == 0


def test_an_endpoint_that_ignores_echo(probsense):
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
