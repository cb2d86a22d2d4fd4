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
from itertools import count
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from invented import invented_skin
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.generate import Design, training_blocks
from probsense.tasks.worldsense.problems import STANDARD
from probsense.tasks.worldsense.skins import OrderSkin, load_skins

EASY = ("Infer.trivial", "Infer.ordered", "Consist.trivial", "Compl.trivial")
ALL = (*STANDARD, "Infer.ordered", "Infer.extrema")
SIZES = ((3,), (3, 4), (3, 4, 5))
CONVERSE = (" after ", " right of ", " below ", " behind ", " south of ", " west of ")
BOS = "<s>"


def texts(seed: int, easy: int = 0) -> Iterator[list[tuple[str, str]]]:
    """Endless blocks of (question, answer): a third in the packaged training skins, the rest in invented ones.

    The first ``easy`` sets hold trivial problems of size 3 only.
    """
    draws = Draws(np.random.default_rng([seed, 0]))
    packaged = [skin for skin in load_skins("train") if isinstance(skin, OrderSkin)]
    for number in count():
        this = seed * 10**6 + number
        if number < easy:
            simple = number < easy / 2
            skins = tuple(invented_skin(draws, i, ("spatial", "temporal"), simple) for i in range(100))
            for block in training_blocks(Design(this, (3,), EASY, skins=skins)):
                yield [pair for pair in block if plain(pair[0], forward=simple)]
        else:
            invented = [
                invented_skin(draws, i, ("scalar", "spatial", "temporal", "temporal")) for i in range(12)
            ]
            design = Design(this, draws.choice(SIZES), ALL, skins=(*draws.sample(packaged, 6), *invented))
            yield from training_blocks(design)


def plain(question: str, forward: bool) -> bool:
    """Whether a question has no ternary claim and, with ``forward``, words all claims in one direction."""
    if " between " in question:
        return False
    return not forward or "(1)" in question or "1 if" in question or not any(w in question for w in CONVERSE)


def join(question: str) -> str:
    """What stands between a question and its answer: a blank unless the question ends in white space."""
    return "" if question[-1].isspace() else " "


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
    stream = texts(seed)
    corpus = [q + join(q) + a for _ in range(6) for q, a in next(stream)]
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.post_processor = TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, clean_up_tokenization_spaces=False
    )


def batches(
    tokenizer: PreTrainedTokenizerFast, seed: int, size: int, easy: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless batches of token ids (padded with -100 in a copy for the loss), of like lengths."""
    rng = np.random.default_rng([seed, 1])
    backend = tokenizer.backend_tokenizer
    for block in texts(seed, easy):
        encoded = [e.ids for e in backend.encode_batch_fast([q + join(q) + a for q, a in block])]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
        rng.shuffle(groups)
        for group in groups:
            longest = max(len(encoded[i]) for i in group)
            ids = torch.zeros(len(group), longest, dtype=torch.long)
            labels = torch.full((len(group), longest), -100)
            for row, i in enumerate(group):
                ids[row, : len(encoded[i])] = torch.tensor(encoded[i])
                labels[row, : len(encoded[i])] = ids[row, : len(encoded[i])]
            yield ids, labels


def losses(
    model: LlamaForCausalLM, ids: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean loss over all tokens, and over the answers (the last token of each text)."""
    logits = model(input_ids=ids).logits[:, :-1].float()
    targets = labels[:, 1:]
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none"
    ).view_as(targets)
    last = (targets != -100).sum(1, keepdim=True) - 1
    return loss.sum() / (targets != -100).sum(), loss.gather(1, last).mean()


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up over 300 steps, then half a cosine down to a twentieth."""
    if step < 300:
        return peak * (step + 1) / 300
    return peak * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - 300) / max(1, steps - 300))))


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
) -> None:
    """Train and save tokenizer, weights (float16 safetensors) and the log of losses."""
    torch.set_num_threads(1)
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
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    print(
        f"{sum(p.numel() for p in model.parameters()):,} parameters, vocabulary {len(tokenizer)}", flush=True
    )
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=0.05, fused=True
    )
    started, log = time.monotonic(), []
    mean_text = mean_answer = 0.0
    for step, (ids, labels) in zip(range(steps), batches(tokenizer, seed, batch, easy), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, peak)
        text, answer = losses(model, ids, labels)
        optimizer.zero_grad(set_to_none=True)
        (0.5 * text + answer).backward()
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
    parser.add_argument("--steps", type=int, default=9_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--peak", type=float, default=2e-3)
    parser.add_argument("--vocabulary", type=int, default=1536)
    parser.add_argument("--easy", type=int, default=200, help="sets of trivial problems to begin with")
    arguments = parser.parse_args()
    train(**vars(arguments))
