"""Options that are given as KEY=VALUE."""

from __future__ import annotations

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


def option(name: str, kind: Any = str, *, many: bool = False) -> Option:
    return Option(name, kind, many, False, (), None, "", positional=False)


KNOWN = {
    one.name: one
    for one in (option("rule"), option("laps", int), option("wet", bool), option("files", Path, many=True))
}


def test_pairs_give_values() -> None:
    words = ["laps=3", "wet=true", "files=a=b", "files=c,d", "rule="]
    assert read_pairs(words, KNOWN, "-M") == {
        "laps": 3,
        "wet": True,
        "files": [Path("a=b"), Path("c,d")],
        "rule": "",
    }


@given(st.text())
def test_any_text_is_a_value(text: str) -> None:
    assert read_pairs([f"rule={text}"], KNOWN, "-M") == {"rule": text}


@given(st.lists(st.text(), max_size=3))
def test_what_is_no_option_is_refused(words: list[str]) -> None:
    with suppress(InputError):
        assert read_pairs(words, KNOWN, "-M").keys() <= KNOWN.keys()


def test_each_model_gets_the_options_that_it_takes() -> None:
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
