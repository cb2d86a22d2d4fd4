"""Where the harness splits context and continuation, and where ``exact_join`` does, with tokenizers of each kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

import probsense.models
import shapes
from probsense.interop.lm_eval.model import ProbSenseLM

TEXTS = ["the words are here and there", "The lamp is bright.", "Answer:\nYes", "Is it 12345? No."] * 3
PLAIN, CUT, LINE = ("The lamp is", " bright"), ("the wor", "ds are here"), ("Answer:\n", "Yes")


def _ending_in(token: str) -> Any:
    """Make a tokenizer that puts a token after each text, as those of encoders and of T5 do."""
    made = shapes.tokenizer("gpt2", TEXTS)
    from tokenizers import processors

    made.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {token}", special_tokens=[(token, made.convert_tokens_to_ids(token))]
    )
    return made


MADE = {
    "tiny": lambda: transformers.AutoTokenizer.from_pretrained(
        Path(probsense.models.__file__).parent / "small" / "tiny"
    ),
    "byte-level": lambda: shapes.tokenizer("gpt2", TEXTS),
    "sentencepiece": lambda: shapes.tokenizer("llama", TEXTS),
    "bytes": lambda: transformers.ByT5Tokenizer(bos_token="</s>"),
    "ending": lambda: _ending_in("<|endoftext|>"),
}
BPE = ("tiny", "byte-level", "sentencepiece")


@cache
def both(name: str) -> tuple[HFLM, ProbSenseLM]:
    """Return both models with a tokenizer, on a small network."""
    return of(MADE[name]())


def of(tokenizer: Any) -> tuple[HFLM, ProbSenseLM]:
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.LlamaConfig(vocab_size=len(tokenizer) + 1, initializer_range=0.5, **sizes)
    network = transformers.LlamaForCausalLM(config).eval()
    theirs = HFLM(pretrained=network, tokenizer=tokenizer)
    return theirs, ProbSenseLM(pretrained=network, tokenizer=tokenizer, exact_join=True)


def parts(lm: HFLM, pair: tuple[str, str]) -> tuple[str, str]:
    """Return the texts that a model takes for context and continuation."""
    context, continuation = (lm.tok_decode(ids) for ids in lm._encode_pair(*pair))
    return context, continuation


@pytest.mark.parametrize("name", BPE)
def test_both_split_at_a_blank_and_the_harness_elsewhere(name):
    """The tokens of "the wor" are no beginning of those of "the words are here"; the end of a line moves."""
    theirs, ours = both(name)
    assert theirs._encode_pair(*PLAIN) == ours._encode_pair(*PLAIN)
    assert "ds" not in parts(theirs, CUT)[1].split()[0]
    assert parts(ours, CUT)[1].split() == ["words", "are", "here"]
    assert parts(theirs, LINE) == ("Answer:", "\nYes")
    assert parts(ours, LINE) == ("Answer:\n", "Yes")


@pytest.mark.parametrize("name", ["bytes", "ending"])
def test_a_token_after_the_text_costs_the_first_of_the_continuation(name):
    """The context has one token more than in the whole text, and the end counts as a part of the continuation."""
    theirs, ours = both(name)
    context, continuation = theirs._encode_pair(*PLAIN)
    end = theirs.tokenizer.eos_token_id
    assert context[-1] == continuation[-1] == end
    assert theirs.tok_decode(continuation) != PLAIN[1]
    assert parts(ours, PLAIN) == PLAIN
    assert end not in [token for part in ours._encode_pair(*PLAIN) for token in part]


def test_a_context_without_a_token_of_its_own_gets_one():
    """The harness stops where no token of the context is left; the beginning or end of a text stands in for it."""
    theirs, ours = both("byte-level")
    pair = (" ", "lamp")
    with pytest.raises(AssertionError):
        theirs.loglikelihood([Instance("loglikelihood", {}, pair, 0)], disable_tqdm=True)
    context, continuation = ours._encode_pair(*pair)
    assert context == [ours.prefix_token_id]
    assert ours.tok_decode(continuation).strip() == "lamp"
    ((value, _),) = ours.loglikelihood([Instance("loglikelihood", {}, pair, 0)], disable_tqdm=True)
    assert value < 0


pieces = st.text(st.sampled_from("the words 12.\n:é"), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["byte-level", "tiny", "bytes", "ending"])
def test_exact_joins_keep_every_token(name):
    _, ours = both(name)

    @given(pieces, pieces)
    @example("the wor", "ds are")
    @settings(deadline=None, max_examples=150)
    def holds(context: str, continuation: str) -> None:
        head, tail = ours._encode_pair(context, continuation)
        plain = ours.tok_encode(context + continuation, add_special_tokens=False)
        assert tail
        assert [*head, *tail][-len(plain) :] == plain
        assert len(head) + len(tail) - len(plain) <= 1
        assert len(ours.tok_encode(context, add_special_tokens=False)) + 1 >= len(plain) - len(tail)

    holds()


@pytest.mark.real
def test_real_tokenizers(smollm2, gemma3):
    for folder in (smollm2, gemma3):
        theirs, ours = of(transformers.AutoTokenizer.from_pretrained(folder))
        assert theirs._encode_pair(*PLAIN) == ours._encode_pair(*PLAIN)
        assert parts(theirs, CUT)[1] == " are here"
        assert parts(ours, CUT)[1] == " words are here"
        assert [parts(lm, LINE)[1] for lm in (theirs, ours)] == ["\nYes", "Yes"]
