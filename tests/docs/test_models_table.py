"""The table of what each kind of model can do agrees with what the kinds declare."""

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import get_type_hints

import pytest

from probsense.models.llamacpp import load as gguf
from probsense.models.next_token.model import LanguageModel
from probsense.models.registry import load_model, model_schemes
from probsense.models.small import builtin
from probsense.models.transformers import load as hf
from probsense.models.vllm import load as vllm

ROOT = Path(__file__).parents[2]
HEAD = "| Model | Options | Label mass | Texts | Chat template |"
LINES = (ROOT / "docs" / "models.md").read_text().partition(HEAD)[2].partition("\n\n")[0].splitlines()[2:]
ROWS = {
    cells[0].strip("`:"): cells[1:]
    for line in LINES
    for cells in [[c.strip() for c in line.split("|")[1:-1]]]
}


def agrees(row, can):
    """Whether the first cells of a row say what a model declares."""
    options, labels, texts, _ = (cell != "no" for cell in row[:4])
    return (options, labels, texts) == (can.score, can.labels is not None, can.sample)


def test_every_installed_kind_has_a_row():
    assert {*ROWS} == {*model_schemes()}


@pytest.mark.parametrize("scheme", ["random", "recorded", "oracle"])
def test_a_row_says_what_the_model_declares(scheme, tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "a", "response": "b"}))
    argument = str(answers) if scheme == "recorded" else ""
    assert agrees(ROWS[scheme], load_model(f"{scheme}:{argument}").capabilities)


def test_kinds_that_compute_in_process_are_alike():
    loaded = SimpleNamespace(format=SimpleNamespace(chat=False))
    own = LanguageModel.capabilities.fget(loaded)
    for module, scheme in ((hf, "hf"), (vllm, "vllm"), (gguf, "gguf"), (builtin, "builtin")):
        assert get_type_hints(module.load)["return"] is LanguageModel, scheme
        assert agrees(ROWS[scheme], own), scheme


def test_extras_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {name for row in ROWS.values() for name in re.findall(r"`\[(.*?)\]`", row[-1])}
    assert named == {"hf", "vllm", "gguf", "lm-eval", "ray"} <= {*extras}
