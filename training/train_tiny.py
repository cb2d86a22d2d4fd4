"""Trains ``builtin:tiny``, the demonstration model that ships with ProbSense, from nothing but generated text.

Run ``make tiny`` (or this file); the same seed and versions make the same model. The model sees training skins only:
no name, scene or sentence of a test skin.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from invented import PLAIN, word
from lessons import Lesson, Text, curriculum, questions
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.problems import STANDARD
from probsense.tasks.worldsense.generate.stories import Draws
from stories import second_curriculum

BOS = "<s>"
HEAD = 32
"""The width of an attention head."""
ROPE = 1e5
"""The base of the rotary frequencies: ten times the usual, so that more of a head tells distant tokens apart."""

Record: TypeAlias = dict[str, float | str]


def join(question: str) -> str:
    """Join a question and its answer by a blank, unless the question ends in white space."""
    return "" if question[-1].isspace() else " "


def whole(text: Text) -> tuple[str, set[int]]:
    """Join questions with their answers to one string, and tell where the answers end."""
    string, ends = "", set()
    for question, answer in text:
        string += question + join(question) + answer
        ends.add(len(string))
    return string, ends


def train_tokenizer(seed: int, vocabulary: int) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE whose words are those of the frames and the plain names; other names fall into pieces."""
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
    tokenizer.train_from_iterator(tokenizer_text(seed), trainer)
    tokenizer.post_processor = TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, clean_up_tokenization_spaces=False
    )


def tokenizer_text(seed: int) -> Iterator[str]:
    """Yield lessons, questions, the plain names, and many invented words, whose pieces make up unseen names."""
    drills = [islice(lesson.texts, 1000) for lesson in curriculum(seed + 1)[:-1]]
    for text in chain(*drills, islice(questions(seed + 2, STANDARD, (3, 3, 4, 5), PUBLISHED), 3000)):
        yield whole(text)[0]
    draws = Draws(np.random.default_rng([seed, 2]))
    for _ in range(30_000):
        yield f" {word(draws)} {word(draws).capitalize()}"
    for name in PLAIN * 300:
        yield f" {name}"


class Batch(NamedTuple):
    """Token ids, which of them are text (not padding) and which end an answer; each of shape (rows, longest)."""

    ids: torch.Tensor
    text: torch.Tensor
    answer: torch.Tensor


def batches(
    tokenizer: PreTrainedTokenizerFast, texts: Iterator[Text], size: int, seed: int
) -> Iterator[Batch]:
    """Yield batches of texts of like lengths, endlessly."""
    rng = np.random.default_rng([seed, 1])
    while True:
        pool = sorted(islice(texts, 16 * size), key=lambda text: sum(len(question) for question, _ in text))
        for i in rng.permutation(16):
            yield encode(tokenizer, pool[i * size : (i + 1) * size])


def encode(tokenizer: PreTrainedTokenizerFast, texts: Sequence[Text]) -> Batch:
    """Encode a batch of texts."""
    strings, ends = zip(*map(whole, texts), strict=True)
    encoded = tokenizer.backend_tokenizer.encode_batch(list(strings))
    batch = Batch(
        *(
            torch.zeros(len(texts), max(len(e.ids) for e in encoded), dtype=t)
            for t in (torch.long, bool, bool)
        )
    )
    for row, e in enumerate(encoded):
        batch.ids[row, : len(e.ids)] = torch.tensor(e.ids)
        batch.text[row, 1 : len(e.ids)] = True
        batch.answer[row, : len(e.ids)] = torch.tensor(
            [end > start and end in ends[row] for start, end in e.offsets]
        )
    return batch


def losses(model: LlamaForCausalLM, batch: Batch, share: float) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Return the mean loss over the answers and over a random share of the other text, and count right answers."""
    hidden = model.model(input_ids=batch.ids).last_hidden_state[:, :-1]
    target, answer = batch.ids[:, 1:], batch.answer[:, 1:]
    other = batch.text[:, 1:] & ~answer & (torch.rand(answer.shape) < share)
    found = model.lm_head(hidden[answer])
    right = (found.argmax(-1) == target[answer]).float().mean().item()
    text = functional.cross_entropy(model.lm_head(hidden[other]), target[other])
    return functional.cross_entropy(found, target[answer]), text, right


def prepare(model: LlamaForCausalLM) -> None:
    """Start the attention with the patterns that reading a story needs, which would take long to discover.

    Half of the heads look for earlier tokens like their own (their queries and keys start from the same weights:
    Trockman & Kolter 2023, arXiv 2305.09828; a bias keeps them from themselves), a quarter at the previous token. The
    additions of layers to the residual stream start small beside the embeddings, so that tokens stay distinct.
    """
    angle = ROPE ** (-torch.arange(HEAD // 2) / (HEAD // 2))
    with torch.no_grad():
        for layer in model.model.layers:
            attention = layer.self_attn
            query, key = attention.q_proj, attention.k_proj
            for linear in (query, key, attention.v_proj, attention.o_proj):
                linear.bias.zero_()
            attention.o_proj.weight *= 0.15
            layer.mlp.down_proj.weight *= 0.15
            heads = len(query.weight) // HEAD
            alike = heads // 2
            query.weight[: alike * HEAD] *= 1.3
            key.weight[: alike * HEAD] = query.weight[: alike * HEAD]
            for head in range(alike):
                fast = slice(head * HEAD, head * HEAD + 3)
                query.bias[fast], key.bias[fast] = 3.2, -3.2
            for head in range(alike, alike + heads // 4):
                rows = slice(head * HEAD, (head + 1) * HEAD)
                query.weight[rows] *= 0.3
                key.weight[rows] *= 0.3
                real, imaginary = head * HEAD, head * HEAD + HEAD // 2
                query.bias[real : real + 4] = 4
                key.bias[real : real + 4] = 4 * angle[:4].cos()
                key.bias[imaginary : imaginary + 4] = 4 * angle[:4].sin()


def half_cosine(done: float) -> float:
    """Return the factor of the learning rate where it falls: from 1 to a twentieth, by the share that is done."""
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


class Timetable:
    """Chooses the lesson of each step: mostly the newest, which gives way to the next once enough of it is right."""

    def __init__(self, lessons: Sequence[Lesson], seed: int) -> None:
        self.lessons = lessons
        self.newest = 0
        self.steps = 0
        self._right = 0.0
        self._rng = np.random.default_rng([seed, 3])

    def next(self) -> int:
        """Return the number of the lesson to read; every third is one of the five before the newest."""
        if self.newest and self._rng.random() < 1 / 3:
            return int(self._rng.integers(max(0, self.newest - 5), self.newest))
        return self.newest

    def note(self, lesson: int, right: float) -> bool:
        """Count a step and the share of right answers in it; return whether the newest lesson is over."""
        self.steps += 1
        if lesson == self.newest:
            self._right += 0.03 * (right - self._right)
        known = self.lessons[self.newest]
        over = self._right > known.enough or self.steps == known.steps
        if over:
            self.newest, self.steps, self._right = self.newest + 1, 0, 0.0
        return over

    def pace(self) -> float:
        """Return the factor of the learning rate: 1, and in the last lesson half a cosine."""
        if self.newest < len(self.lessons) - 1:
            return 1.0
        return half_cosine(self.steps / self.lessons[-1].steps)


class Tally:
    """Means per lesson of loss, loss of the other text and right answers, since the last reading."""

    def __init__(self) -> None:
        self._sums: dict[int, np.ndarray] = {}

    def add(self, lesson: int, *values: float) -> None:
        """Add a step."""
        self._sums[lesson] = self._sums.get(lesson, 0) + np.array([1, *values])

    def take(self, lessons: Sequence[Lesson], step: int) -> list[Record]:
        """Return one record for each lesson that was read, and begin anew."""
        records: list[Record] = []
        for lesson, (steps, *sums) in sorted(self._sums.items()):
            means = (round(float(value / steps), 4) for value in sums)
            record = zip(("answer", "text", "right"), means, strict=True)
            records.append(
                {"step": step, "lesson": lessons[lesson].name, "steps": int(steps), **dict(record)}
            )
        self._sums = {}
        return records


def new_model(tokenizer: PreTrainedTokenizerFast, width: int, layers: int, start: float) -> LlamaForCausalLM:
    """Make a model with its first weights."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=width * 8 // 3 // 32 * 32,
        num_hidden_layers=layers,
        num_attention_heads=width // HEAD,
        num_key_value_heads=width // HEAD,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        attention_bias=True,
        rope_theta=ROPE,
        initializer_range=start,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    prepare(model)
    print(
        f"{sum(p.numel() for p in model.parameters()):,} parameters, vocabulary {len(tokenizer)}", flush=True
    )
    return model


def first_stage(
    out: Path, seed: int, batch: int, peak: float, width: int, layers: int, vocabulary: int, start: float
) -> None:
    """Train a new tokenizer and model on lists, and save both."""
    torch.manual_seed(seed)
    tokenizer = train_tokenizer(seed, vocabulary)
    model = new_model(tokenizer, width, layers, start)
    teach(model, tokenizer, curriculum(seed), out, seed, batch, peak)


def second_stage(start: Path, out: Path, seed: int, batch: int, peak: float) -> None:
    """Train the model of the first stage further, on stories whose facts have to be joined, and save it elsewhere."""
    torch.manual_seed(seed)
    model, tokenizer = load(start)
    teach(model, tokenizer, second_curriculum(seed), out, seed, batch, peak)


def new_optimizer(model: LlamaForCausalLM) -> torch.optim.Optimizer:
    """Make a fresh optimizer."""
    return torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.05, fused=True)


class Found(NamedTuple):
    """The loss of the answers, that of the other text, and the share of right answers."""

    answer: float
    text: float
    right: float


def learn(model: LlamaForCausalLM, optimizer: torch.optim.Optimizer, batch: Batch, rate: float) -> Found:
    """Take one step of learning at a rate."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    answer, text, right = losses(model, batch, 0.15)
    optimizer.zero_grad(set_to_none=True)
    (answer + 0.1 * text).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return Found(answer.item(), text.item(), right)


def load(folder: Path) -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """Load what :func:`save` wrote, in float32."""
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return model.train(), PreTrainedTokenizerFast.from_pretrained(folder)


def teach(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    lessons: Sequence[Lesson],
    out: Path,
    seed: int,
    batch: int,
    peak: float,
) -> None:
    """Read the lessons with a fresh optimizer, and save tokenizer, weights (float16 safetensors) and the log.

    The rate of learning falls in the last lesson.
    """
    optimizer = new_optimizer(model)
    streams = [batches(tokenizer, lesson.texts, batch, seed) for lesson in lessons]
    timetable, tally = Timetable(lessons, seed), Tally()
    started, step = time.monotonic(), 0
    log: list[Record] = []
    while timetable.newest < len(lessons):
        lesson = timetable.next()
        found = learn(
            model, optimizer, next(streams[lesson]), peak * min(1, (step + 1) / 100) * timetable.pace()
        )
        step += 1
        tally.add(lesson, *found)
        over = timetable.note(lesson, found.right)
        if over or step % 100 == 0:
            records = tally.take(lessons, step)
            log += records
            print(*records, f"{time.monotonic() - started:.0f} s", sep="\n", flush=True)
        if over or step % 500 == 0:
            save(model, tokenizer, out, log)


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, out: Path, log: list[Record]) -> None:
    """Write the files that ``transformers`` loads, with weights in float16, and the log."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(out)
    half = LlamaForCausalLM(model.config)
    half.load_state_dict(model.state_dict())
    half.half().save_pretrained(out)
    config = json.loads((out / "config.json").read_text())
    # Versions of transformers before 5 read it here.
    (out / "config.json").write_text(json.dumps(config | {"rope_theta": ROPE}, indent=2) + "\n")
    (out / "training_log.json").write_text(json.dumps(log) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out" / "two")
    parser.add_argument("--first", type=Path, default=Path(__file__).parent / "out" / "one")
    parser.add_argument("--stages", default="12", choices=["1", "2", "12"], help="the stages to train")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--peak", type=float, default=1e-3)
    parser.add_argument("--vocabulary", type=int, default=3072)
    parser.add_argument("--start", type=float, default=0.08, help="standard deviation of the first weights")
    parser.add_argument("--threads", type=int, default=1, help="threads to compute on")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    same = options.seed, options.batch, options.peak
    if "1" in options.stages:
        first_stage(options.first, *same, options.width, options.layers, options.vocabulary, options.start)
    if "2" in options.stages:
        second_stage(options.first, options.out, *same)
