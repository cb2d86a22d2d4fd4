"""Families and sizes of models."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.models.base import architecture
from probsense.results.site.models import (
    CLASSES,
    UNKNOWN,
    Description,
    check_labels,
    described,
    read_descriptions,
    recorded,
    unused,
)


def read(tmp_path: Path, text: str) -> dict[str, Description]:
    path = tmp_path / "models.yaml"
    path.write_text(text)
    return read_descriptions(path)


def test_a_file_describes_models(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "hf:a/b:\n  family: A\n  size: 135M\n  label: The A\n  link: https://example.org/a\n'random': {size: 7}\n",
    )
    assert found == {
        "hf:a/b": Description("A", 135_000_000, "The A", "https://example.org/a"),
        "random": Description(parameters=7),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "models by their names"),
        ("a: 3\n", "a mapping"),
        ("a: {famly: x}\n", "did you mean 'family'"),
        ("a: {size: big}\n", "such as 135M or 1.5B"),
        ("a: {size: 0}\n", "such as 135M or 1.5B"),
        ("a: {size: -5}\n", "such as 135M or 1.5B"),
        ("a: {size: true}\n", "such as 135M or 1.5B"),
        ("a: {size: 0.1}\n", "such as 135M or 1.5B"),
        ("a: {link: 'javascript:alert(1)'}\n", "https://"),
        ("a: {link: 'data:text/html,x'}\n", "https://"),
        ("a: {label: 3}\n", "text"),
        ("a: {family: ' '}\n", "some text"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert said in str(error.value)
    assert "models.yaml" in str(error.value)
    assert "\n" not in str(error.value)


@given(st.integers(1, 10**14))
def test_every_size_has_one_class_and_is_printed(parameters: int) -> None:
    own = Description(parameters=parameters)
    assert own.size_class in {name for _, name in CLASSES}
    number, _, unit = own.size.partition(" ")
    scale = {"": 1, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[unit]
    assert float(number) * scale == pytest.approx(parameters, rel=0.006)


def test_no_fact_is_guessed_from_a_name() -> None:
    assert recorded([{"model": "llama-7b"}]) == Description()
    assert Description().size == Description().size_class == UNKNOWN


def test_what_runs_recorded_counts_unless_the_user_says_otherwise() -> None:
    known = recorded([{}, {"architecture": "LlamaForCausalLM", "parameters": 10**9}, {"parameters": 5}])
    assert known == Description("LlamaForCausalLM", 10**9)
    assert recorded([{"parameters": True}, {"parameters": "x"}, {"family": 3}]) == Description()
    assert described(known, Description("Llama")) == Description("Llama", 10**9)
    assert described(known, None) == known


def test_a_network_counts_before_the_details() -> None:
    data = [
        architecture("llama", None).data,
        architecture("llama", 135).data,
        {"family": "x", "parameters": 5},
    ]
    assert recorded(data) == Description("llama", 135)
    assert recorded([architecture("", None).data]) == Description()


def test_labels_and_names_without_a_run() -> None:
    with pytest.raises(InputError, match="a and b are both called 'x'"):
        check_labels({"a": "x", "b": "x"})
    (note,) = unused(["random:1", "random"], ["random"])
    assert "random:1" in note
    assert "did you mean 'random'" in note
