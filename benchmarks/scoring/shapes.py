"""Makes models of fixed shapes with random weights, and trains tokenizers on the spot.

Times do not depend on the weights. The vocabularies of the networks have their usual sizes, however few of the tokens
the texts at hand need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

NAMES = ("gpt2", "llama")
"""The shapes that the timings of the scorer use; in all there are those of :data:`NETWORKS`."""
WIDE = 0.1
"""Standard deviation of the weights: with the usual 0.02 an untrained network hardly looks at its context, and a
scorer that gave it a wrong one would go unnoticed."""


def make(name: str, texts: Sequence[str], folder: Path) -> None:
    """Save a network and its tokenizer as ``save_pretrained`` does."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(0)
    NETWORKS[name]().save_pretrained(folder)
    tokenizer(name, texts).save_pretrained(folder)


def tokenizer(name: str, texts: Sequence[str]) -> Any:
    """Train a tokenizer for texts like these, in which common words are whole tokens.

    Words in capitals fall into pieces, more or less as with tokenizers of large corpora. Trained on answers alone,
    these would take every answer for a token.
    """
    cut = [text.replace("POSSIBLE", "POSS\nIBLE").replace("IMPOSS", "IM\nPOSS") for text in texts]
    return TOKENIZERS[name](cut)


def _gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(vocab_size=50_257, bos_token_id=0, eos_token_id=0, initializer_range=WIDE)
    )


def _llama(width: int, inner: int, layers: int, heads: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=32_000,
            hidden_size=width,
            intermediate_size=inner,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            max_position_embeddings=2048,
            tie_word_embeddings=True,
            initializer_range=WIDE,
        )
    )


def _byte_level(texts: Sequence[str]) -> Any:
    """Train a tokenizer like GPT-2's: blanks belong to the words after them, and nothing stands before a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    end = "<|endoftext|>"
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=50_257, special_tokens=[end], initial_alphabet=alphabet, show_progress=False
        ),
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token=end, eos_token=end, pad_token=end)


def _metaspace(texts: Sequence[str]) -> Any:
    """Train a tokenizer like Llama's: "▁" for a blank and before a text, and a beginning-of-sequence token."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(prepend_scheme="first"),
            pre_tokenizers.Split(Regex(r"\n|\p{N}|[^\n\p{L}\p{N}▁]"), "isolated"),
        ]
    )
    made.decoder = decoders.Metaspace(prepend_scheme="first")
    special = ["<unk>", "<s>", "</s>"]
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=32_000, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )


NETWORKS: dict[str, Callable[[], Any]] = {
    "gpt2": _gpt2,
    "llama": partial(_llama, 256, 688, 8, 4),
    "llama-110m": partial(_llama, 768, 2048, 12, 12),
}
TOKENIZERS: dict[str, Callable[[Sequence[str]], Any]] = {
    "gpt2": _byte_level,
    "llama": _metaspace,
    "llama-110m": _metaspace,
}
