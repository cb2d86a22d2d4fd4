"""The built-in model in the format of llama.cpp: the same tokens, the same numbers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from llama_cpp import Llama
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.models.base import Model
from probsense.models.small.builtin import HERE
from to_gguf import convert

TINY = HERE / "tiny"
TEXTS = (
    "Tom stands left of Ann, and Ann left of Bo.\n\nIs Tom left of Bo? Reply TRUE or FALSE: TRUE",
    "In 2031 there were 40,075 of them  (½ of 80,150).\t\t\nThey're n’t, it's I'll we'd!",
    "crème brûlée, naïve, 世界, 🙂 and 👍🏽 \u00a0\u200b x\r\n",
)


@pytest.fixture(scope="session")
def llama(gguf_file: Path) -> Any:
    """The converted model in this process, keys and values in float32."""
    return opened(gguf_file)


def opened(path: Path) -> Any:
    more = {"logits_all": True, "type_k": 0, "type_v": 0}
    return Llama(str(path), n_ctx=256, n_threads=1, verbose=False, **more)


def logprobs(llama: Any, text: str) -> tuple[list[int], list[float]]:
    """Ids of a text with its beginning, and the log-probability of each but the first."""
    ids = llama.tokenize(text.encode(), add_bos=True, special=True)
    llama.reset()
    llama.eval(ids)
    rows = llama.logits_to_logprobs(np.array(llama.scores[: len(ids)]))
    return ids, [float(rows[i, token]) for i, token in enumerate(ids[1:])]


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return Tokenizer.from_file(str(TINY / "tokenizer.json"))


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text() | st.text("abc XYZ019 \n\t.,'’s<>é½٣世🙂"))
@example(text="<s> in the midst <s>")
@example(text=TEXTS[1])
def test_the_tokens_are_those_of_the_tokenizer(llama: Any, tokenizer: Any, text: str) -> None:
    found = llama.tokenize(text.encode("utf-8", "replace"), add_bos=True, special=True)
    assert found == tokenizer.encode(text.encode("utf-8", "replace").decode()).ids


@pytest.mark.parametrize("text", TEXTS)
def test_the_numbers_are_those_of_the_model(llama: Any, known: Model, text: str) -> None:
    ((_, response),) = next(iter(known.score([ScoreRequest("", (text,))])))
    expected = response.options[0].option.logprobs
    np.testing.assert_allclose(logprobs(llama, text)[1], expected, rtol=0, atol=5e-5)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """An untrained Llama of another build: fewer heads for keys, an output of its own, no biases, split as GPT-2."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>").save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = LlamaConfig(
        **{"vocab_size": 448, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2},
        **{"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2},
        **{"bos_token_id": 0, "eos_token_id": 0, "max_position_embeddings": 128},
    )
    LlamaForCausalLM(config).save_pretrained(tmp_path)
    return tmp_path


def test_another_llama(gguf_file: Path, other: Path) -> None:
    convert(other, other / "other.gguf")
    llama = opened(other / "other.gguf")
    assert llama.tokenize(TEXTS[2].encode()) == AutoTokenizer.from_pretrained(other)(TEXTS[2])["input_ids"]
    ids, found = logprobs(llama, "In 2031 there were TRUE and crème 🙂.")
    with torch.inference_mode():
        rows = AutoModelForCausalLM.from_pretrained(other)(torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = [float(rows[i, token]) for i, token in enumerate(ids[1:])]
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-5)


def test_half_precision_is_half_as_large(gguf_file: Path, tmp_path: Path, known: Model) -> None:
    convert(TINY, tmp_path / "half.gguf", "float16")
    assert (tmp_path / "half.gguf").stat().st_size < 0.6 * gguf_file.stat().st_size
    ((_, response),) = next(iter(known.score([ScoreRequest("", (TEXTS[0],))])))
    found = logprobs(opened(tmp_path / "half.gguf"), TEXTS[0])[1]
    np.testing.assert_allclose(found, response.options[0].option.logprobs, rtol=0, atol=0.05)


@pytest.mark.parametrize(
    ("file", "entry", "value", "said"),
    [
        ("config.json", "model_type", "gpt2", "model_type 'gpt2'"),
        ("config.json", "rope_parameters", {"rope_type": "llama3", "rope_theta": 1.0}, "rope_type 'llama3'"),
        ("tokenizer.json", "normalizer", {"type": "NFC"}, "another tokenizer"),
        ("tokenizer.json", "pre_tokenizer", {"type": "Whitespace"}, "another tokenizer"),
    ],
)
def test_what_is_no_plain_llama_is_refused(
    gguf_file: Path, tmp_path: Path, file: str, entry: str, value: object, said: str
) -> None:
    shutil.copytree(TINY, tmp_path / "model")
    path = tmp_path / "model" / file
    path.write_text(json.dumps(json.loads(path.read_text()) | {entry: value}))
    with pytest.raises(InputError, match=said):
        convert(tmp_path / "model", tmp_path / "out.gguf")
    assert not (tmp_path / "out.gguf").exists()


@pytest.mark.parametrize("text", [None, "[]", "{", "\xff"])
def test_a_folder_without_a_model_is_refused(gguf_file: Path, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"config\.json"):
        convert(tmp_path, tmp_path / "out.gguf")
