"""Texts from copies of the prompt are those of each prompt by itself, for every family, and cost less."""

import inspect

import numpy as np
import pytest

from models.transformers import families
from probsense.core.records import SampleRequest
from probsense.models.next_token.reading import Runner
from probsense.models.next_token.texts import Draw
from probsense.models.transformers import batches, writing
from probsense.models.transformers.trial import choose_writer

COPYING = {*families.TRIE, *families.PLAIN} - {"mamba", "qwen3_next", "recurrent_gemma", "rwkv"}
"""The families that write from copies of the prompt."""


def prompts(*, alike):
    """Prompts of several lengths, of which the first are ``alike`` and outgrow the windows."""
    rng = np.random.default_rng(4)
    stem = rng.integers(3, families.VOCABULARY, alike, dtype=np.int32)
    return [
        np.append(stem, rng.integers(3, families.VOCABULARY, size, dtype=np.int32)) for size in (9, 2, 17, 2)
    ]


def texts(write, network, asked, how, tokens=4096):
    runner = Runner(network, families.VOCABULARY, None, tokens, batches.read)
    found = [pair for batch in write(runner, asked, how, lambda ids: ids[-2:] == [5, 5]) for pair in batch]
    assert sorted(i for i, _ in found) == list(range(len(asked)))
    return [ids for _, ids in sorted(found)], runner


def asked(alike, n, max_tokens):
    rng = np.random.default_rng(9)
    return [Draw(prompt, rng.random(max_tokens)) for prompt in prompts(alike=alike) for _ in range(n)]


@pytest.mark.parametrize("family", families.cases(sorted({*families.TRIE, *families.PLAIN})))
def test_every_family_writes_what_it_writes_after_its_own_prompt(family):
    network = families.network(family, "float32")
    writer = choose_writer(network, families.VOCABULARY)
    assert writer is (writing.write_together if family in COPYING else writing.write_separately)
    for alike, more in ((0, {"top_p": 0.9, "stop": ("x",)}), (12, {})):
        how = SampleRequest("", max_tokens=9, temperature=0.8, **more)
        draws = asked(alike, 2, 9)
        alone = [texts(writing.write_separately, network, [draw], how)[0][0] for draw in draws]
        assert texts(writer, network, draws, how)[0] == alone
        assert texts(writer, network, draws, how, tokens=40)[0] == alone


@pytest.mark.parametrize("alike", [0, 12])
def test_a_prompt_is_read_once(alike):
    network = families.network("llama", "float64")
    draws = asked(alike, 20, 6)
    how = SampleRequest("", max_tokens=6, temperature=1.0, top_p=0.9)
    written, runner = texts(writing.write_together, network, draws, how)
    lengths = [9, 2, 17, 2]
    # All are read from the end of the stem of the longest on; shorter ones read a part of the stem again.
    read = alike + sum(min(size + alike, 17) for size in lengths) if alike else sum(lengths)
    ended = [len(ids) < 6 for ids in written]
    fed = sum(len(ids) - (not end) for ids, end in zip(written, ended, strict=True))
    assert runner.usage.tokens == read + fed
    assert runner.usage.naive == 20 * sum(size + alike for size in lengths) + fed


def test_a_text_that_has_ended_costs_nothing_more(monkeypatch):
    network = families.network("llama", "float64")
    rows = []
    whole = network.forward

    def seen(*args, **named):
        rows.append(named["input_ids"].shape[0])
        return whole(*args, **named)

    seen.__signature__ = inspect.signature(whole)
    monkeypatch.setattr(network, "forward", seen)
    how = SampleRequest("", max_tokens=24, temperature=1.0)
    written, _ = texts(writing.write_together, network, asked(12, 30, 24), how)
    assert any(len(ids) < 24 for ids in written)
    assert rows[2] == sum(bool(ids) for ids in written)
    assert rows[-1] < 120


def test_a_cache_that_gives_other_numbers_is_not_used_and_says_so(monkeypatch, caplog):
    network = families.network("llama", "float32")
    whole = network.forward

    def wrong(*args, position_ids=None, **named):
        return whole(*args, **named)

    monkeypatch.setattr(network, "forward", wrong)
    assert choose_writer(network, families.VOCABULARY) is writing.write_separately
    (record,) = caplog.records
    assert "each text is written after its own copy of the prompt" in record.getMessage()
    assert "nats" in record.getMessage()
