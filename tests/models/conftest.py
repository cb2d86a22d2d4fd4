"""Small tokenizers and random models, made on the spot from a few lines of text."""

import json
from dataclasses import replace

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    ByT5Tokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from probsense.models.base import Usage
from probsense.models.transformers.load import load

LINES = [
    "The kettle sings and the garden is wet after the rain.",
    "Is a stone heavier than a feather? yes",
    "Question: do boats float?\nAnswer: yes\n\n",
    "Pick one:\n POSSIBLE or IMPOSSIBLE\n",
    "1 or 2 or 3: yes, no, Yes, No, maybe",
    "crème brûlée, naïve, 世界, 🙂 and 👍🏽",
] * 5

LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level(*, split=None, bos=False):
    """Like GPT-2's, or with ``split`` and ``bos`` like Llama 3's; offsets are trimmed, as in both."""
    tokenizer = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=split is None)
    tokenizer.pre_tokenizer = (
        level
        if split is None
        else pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(split), "isolated"), level])
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|end|>", "<|begin|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    trim = processors.ByteLevel(trim_offsets=True)
    template = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 1)])
    tokenizer.post_processor = processors.Sequence([trim, template]) if bos else trim
    return wrapped(tokenizer, eos_token="<|end|>", **({"bos_token": "<|begin|>"} if bos else {}))


def metaspace():
    """Like Llama 2's: "▁" before the text and for every blank, bytes for unknown characters, and a bos."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>", "</s>"]
    words = [word for line in LINES[:5] for word in line.split(" ")]
    pieces = special + [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=600, special_tokens=pieces, show_progress=False)
    )
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = state["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return wrapped(tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def word_piece():
    """Like BERT's: lower case, blanks and accents lost, special tokens at both ends, neither bos nor eos."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return wrapped(tokenizer, unk_token="[UNK]")


def wrapped(tokenizer, **special):
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


KINDS = {
    "gpt2": byte_level,
    "llama3": lambda: byte_level(split=LLAMA3_SPLIT, bos=True),
    "llama2": metaspace,
    "wordpiece": word_piece,
    "slow": ByT5Tokenizer,  # one without offsets, whose special token stands at the end
}


@pytest.fixture(scope="session")
def tokenizer_of():
    """The tokenizer of a kind, made once."""
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = KINDS[kind]()
        return made[kind]

    return of


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory, tokenizer_of):
    """A folder with a random model ("gpt2" or "llama"), the tokenizer of a kind, a chat template or none."""
    made = {}

    def folder(architecture="gpt2", kind="gpt2", template=None):
        key = architecture, kind, template
        if key not in made:
            made[key] = tmp_path_factory.mktemp("model")
            network(architecture, len(tokenizer_of(kind))).save_pretrained(made[key])
            tokenizer = KINDS[kind]()
            tokenizer.chat_template = template
            tokenizer.save_pretrained(made[key])
        return made[key]

    return folder


@pytest.fixture(scope="session")
def loaded(saved_model):
    """A saved model, loaded once for each set of options; whoever asks for it gets a runner of his own."""
    made = {}

    def model(architecture="gpt2", kind="gpt2", template=None, **options):
        key = architecture, kind, template, *options.items()
        if key not in made:
            made[key] = load(str(saved_model(architecture, kind, template)), device="cpu", **options)
        return replace(made[key], runner=replace(made[key].runner, usage=Usage()))

    return model


def network(architecture, vocabulary):
    torch.manual_seed(7)
    common = {"vocab_size": vocabulary, "initializer_range": 0.3, "bos_token_id": 1, "eos_token_id": 0}
    if architecture == "gpt2":
        return GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=32, n_head=4, n_positions=96, **common))
    return LlamaForCausalLM(
        LlamaConfig(
            num_hidden_layers=2,
            hidden_size=32,
            intermediate_size=48,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=96,
            **common,
        )
    )
