"""Which families are fed trees, and that their numbers are those of sequences fed one by one."""

import os
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
import transformers

from models.transformers import families
from probsense.models.next_token.reading import Need, Runner
from probsense.models.transformers import attention as stream
from probsense.models.transformers import batches
from probsense.models.transformers.trial import choose_reader, probe

SINGLE_ONLY = {"qwen3_moe", "gpt_oss", "mixtral", "deepseek_v3"}
"""Their grouped products of experts know no float64."""
PAGE = Path(__file__).parents[3] / "docs" / "models.md"
SINGLE_INSIDE = {"gemma2": 1e-5}
"""The stock attention computes its softmax in float32 whatever the model's precision."""


def sequences(seed):
    """Sequences that branch, repeat, are prefixes of each other, and outgrow the windows."""
    rng = np.random.default_rng(seed)
    made = [rng.integers(0, families.VOCABULARY, 6, dtype=np.int32)]
    for _ in range(14):
        stem = made[rng.integers(len(made))]
        stem = stem[: rng.integers(1, len(stem) + 1)]
        more = rng.integers(0, families.VOCABULARY, rng.integers(0, 9), dtype=np.int32)
        made.append(np.append(stem, more))
    return [Need(ids, int(rng.integers(len(ids)))) for ids in made]


def apart(found, expected):
    return max(float((one - other).abs().max()) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("family", families.cases(families.TRIE))
def test_the_trie_is_exact(family):
    needs = sequences(3)
    unique = len({need.ids[: n + 1].tobytes() for need in needs for n in range(len(need.ids))})
    for dtype in ("float32",) if family in SINGLE_ONLY else ("float64", "float32"):
        network = families.network(family, dtype)
        assert probe(network, families.VOCABULARY).passed
        expected = [families.alone(network, need) for need in needs]
        for tokens in (1, 17, 10**6):
            runner = Runner(network, families.VOCABULARY, None, tokens, stream.read)
            found = families.distributions(runner, needs)
            assert apart(found, expected) <= (1e-4 if dtype == "float32" else SINGLE_INSIDE.get(family, 1e-9))
            assert runner.usage.tokens == unique


@pytest.fixture(autouse=True)
def _no_verdicts_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("family", families.cases(families.PLAIN))
def test_other_families_are_fed_whole_sequences(family, caplog):
    network, needs = families.network(family, "float32"), sequences(3)
    read, _ = choose_reader(network, families.VOCABULARY, {"family": family})
    assert read is batches.read
    (message,) = caplog.messages
    assert "shared prefixes are computed again for every option, since" in message
    found = families.distributions(Runner(network, families.VOCABULARY, None, 60, read), needs)
    assert apart(found, [families.alone(network, need) for need in needs]) <= 1e-4


HEAD = [f"| Families (transformers {transformers.__version__}) | |", "|---|---|"]


def told_of(names):
    """What the documentation's table says of families, as the probe and the installed packages tell it."""
    served = {*gguf.MODEL_ARCH_NAMES.values()}
    assert served >= {*families.LLAMA_CPP.values()}
    found = {}
    for name in names:
        family = name.split(",")[0]
        trees = probe(families.network(name, "float32"), families.VOCABULARY).passed
        in_llama_cpp = families.LLAMA_CPP.get(family, family) in served
        told = (trees, not trees, not in_llama_cpp)
        assert found.setdefault(family, told) == told  # its variants are fed alike
    rows = ("fed as trees", "fed as sequences", "not in llama.cpp")
    return {row: [family for family in found if found[family][i]] for i, row in enumerate(rows)}


@pytest.mark.slow
def test_the_table_in_the_documentation_has_every_family():
    """``PROBSENSE_UPDATE_DOCS=1`` writes the table anew."""
    lines = PAGE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| Families (transformers "))
    end = lines.index("", start)
    every = told_of((*families.TRIE, *families.PLAIN))
    expected = [*HEAD, *(f"| {row} | {', '.join(told)} |" for row, told in every.items())]
    if os.environ.get("PROBSENSE_UPDATE_DOCS"):
        PAGE.write_text("\n".join([*lines[:start], *expected, *lines[end:], ""]))
        return
    assert lines[start:end] == expected


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_goes_through_the_trie(dtype):
    network = families.network("llama", dtype)
    assert probe(network, families.VOCABULARY).passed
    assert not probe(families.network("bloom", dtype), families.VOCABULARY).passed
    needs = sequences(3)
    found = families.distributions(Runner(network, families.VOCABULARY, None, 10**6, stream.read), needs)
    assert {rows.dtype for rows in found} == {torch.float32}
    single = network.float()
    assert apart(found, [families.alone(single, need) for need in needs]) <= 0.3


def test_a_window_in_force_that_attention_is_not_told_of_is_noticed():
    network = families.network("llama", "float32")
    network.config.attention_chunk_size = 40  # longer than the probe's sequences, so that no number shows it
    verdict = probe(network, families.VOCABULARY)
    assert verdict.reason == "its attention is not told of its window (40)"
    network.config.use_sliding_window = False
    assert probe(network, families.VOCABULARY).passed


def test_numbers_that_differ_are_noticed(monkeypatch):
    network = families.network("llama", "float32")
    # Positions by place in the pass, as in networks that ignore what they are told.
    forward = network.forward

    def by_place(*args, position_ids=None, logits_to_keep=0, **kwargs):
        return forward(*args, logits_to_keep=logits_to_keep, **kwargs)

    monkeypatch.setattr(network, "forward", by_place)
    assert "branches side by side give other numbers" in probe(network, families.VOCABULARY).reason
    monkeypatch.setattr(network, "forward", lambda **_: 1 / 0)
    assert probe(network, families.VOCABULARY).reason == "trees fail: division by zero"


def test_branches_that_notice_each_other_are_found(monkeypatch):
    network = families.network("llama", "float32")
    forward = network.forward

    def noticing(*args, input_ids, logits_to_keep=0, **kwargs):
        output = forward(*args, input_ids=input_ids, logits_to_keep=logits_to_keep, **kwargs)
        if "position_ids" in kwargs:
            output.logits[..., 5] += 1.2e-4 * float(input_ids.sum() % 7)
        return output

    monkeypatch.setattr(network, "forward", noticing)
    assert probe(network, families.VOCABULARY).reason == "branches side by side notice each other"
