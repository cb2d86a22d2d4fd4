"""Train ``builtin:tiny``, the demonstration model that ships with ProbSense, from nothing but generated text.

Run ``make tiny`` (or this file); the same seed and versions make the same model. Training skins only: no name,
scene or sentence of a test skin is seen.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from lessons import blocks

BOS = "<s>"


def join(question: str) -> str:
    """What stands between a question and its answer: a blank unless the question ends in white space."""
    return "" if question[-1].isspace() else " "


def whole(question: str, answer: str) -> str:
    """A question with its answer."""
    return question + join(question) + answer


def train_tokenizer(seed: int, vocabulary: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE whose words are those of the frames; names fall into pieces."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    sets = (islice(blocks(seed, easy), 6) for easy in (6, 0))
    corpus = [whole(*pair) for blocks_ in sets for block in blocks_ for pair in block]
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.post_processor = TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, clean_up_tokenization_spaces=False
    )


class Batch(NamedTuple):
    """Token ids, which of them are text (not padding) and which end an answer; each of shape (rows, longest)."""

    ids: torch.Tensor
    text: torch.Tensor
    answer: torch.Tensor


def batches(tokenizer: PreTrainedTokenizerFast, seed: int, size: int, easy: int) -> Iterator[Batch]:
    """Endless batches of questions with their answers, of like lengths."""
    rng = np.random.default_rng([seed, 1])
    for block in blocks(seed, easy):
        encoded = [
            e.ids for e in tokenizer.backend_tokenizer.encode_batch_fast([whole(*pair) for pair in block])
        ]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
        rng.shuffle(groups)
        for group in groups:
            lengths = torch.tensor([len(encoded[i]) for i in group])
            ids = torch.zeros(size, int(lengths.max()), dtype=torch.long)
            for row, i in enumerate(group):
                ids[row, : len(encoded[i])] = torch.tensor(encoded[i])
            place = torch.arange(ids.shape[1])
            yield Batch(ids, (place < lengths[:, None]) & (place > 0), place == lengths[:, None] - 1)


def losses(model: LlamaForCausalLM, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean loss over all tokens, and over those that end an answer."""
    logits = model(input_ids=batch.ids).logits[:, :-1].float()
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), batch.ids[:, 1:].flatten(), reduction="none"
    )
    loss = loss.view(len(batch.ids), -1)
    return loss[batch.text[:, 1:]].mean(), loss[batch.answer[:, 1:]].mean()


def look_for_like(model: LlamaForCausalLM) -> None:
    """Let half of the heads begin by attending to tokens like their own (Trockman & Kolter 2023, arXiv 2305.09828).

    Their queries and keys start from the same weights; looking back for a name need not be discovered then.
    """
    with torch.no_grad():
        for layer in model.model.layers:
            attention = layer.self_attn
            half = attention.q_proj.weight.shape[0] // 2
            attention.k_proj.weight[:half] = attention.q_proj.weight[:half]


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up over 100 steps, then half a cosine down to a twentieth."""
    if step < 100:
        return peak * (step + 1) / 100
    return peak * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - 100) / max(1, steps - 100))))


def train(
    out: Path,
    steps: int,
    seed: int,
    batch: int,
    width: int,
    layers: int,
    peak: float,
    vocabulary: int,
    easy: int,
    start: float,
) -> None:
    """Train and save tokenizer, weights (float16 safetensors) and the log of losses."""
    torch.set_num_threads(2)
    torch.manual_seed(seed)
    tokenizer = train_tokenizer(seed, vocabulary)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=width * 8 // 3 // 32 * 32,
        num_hidden_layers=layers,
        num_attention_heads=width // 32,
        num_key_value_heads=width // 32,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        initializer_range=start,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    look_for_like(model)
    print(
        f"{sum(p.numel() for p in model.parameters()):,} parameters, vocabulary {len(tokenizer)}", flush=True
    )
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=0.05, fused=True
    )
    started, log = time.monotonic(), []
    mean_text = mean_answer = 0.0
    for step, examples in zip(range(steps), batches(tokenizer, seed, batch, easy), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, peak)
        text, answer = losses(model, examples)
        optimizer.zero_grad(set_to_none=True)
        (0.1 * text + answer).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        mean_text += text.item() / 100
        mean_answer += answer.item() / 100
        if (step + 1) % 100 == 0:
            log.append({"step": step + 1, "text": round(mean_text, 4), "answer": round(mean_answer, 4)})
            print(f"{log[-1]}  {time.monotonic() - started:.0f} s", flush=True)
            mean_text = mean_answer = 0.0
        if (step + 1) % 1000 == 0 or step + 1 == steps:
            save(model, tokenizer, out, log)


def save(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, out: Path, log: list[dict[str, float]]
) -> None:
    """Write what ``transformers`` loads, with weights in float16, and the log."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(out)
    half = LlamaForCausalLM(model.config)
    half.load_state_dict(model.state_dict())
    half.half().save_pretrained(out)
    (out / "training_log.json").write_text(json.dumps(log) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    parser.add_argument("--steps", type=int, default=4_300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--peak", type=float, default=1e-3)
    parser.add_argument("--vocabulary", type=int, default=2560)
    parser.add_argument("--easy", type=int, default=100, help="sets of easy questions to begin with")
    parser.add_argument("--start", type=float, default=0.08, help="standard deviation of the first weights")
    arguments = parser.parse_args()
    train(**vars(arguments))
