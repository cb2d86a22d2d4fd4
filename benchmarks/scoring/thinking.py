"""What chains of thought cost: ours beside ``transformers.generate`` and a pass for each label, on the same questions.

``python benchmarks/scoring/thinking.py FOLDER`` takes the folder of a chat model, such as SmolLM2; markers of thoughts
are given to it. Both sides draw as many tokens: no chain ends before its budget, because the tokens that would end it
are forbidden. CPU seconds of one process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from probsense.core.records import LabelRequest, SampleRequest, Thought
from probsense.models.next_token.model import LanguageModel
from probsense.models.registry import load_model
from probsense.runs.ask.thinking import Wish, let_think

CHAINS, BUDGET = 8, 128
TEMPERATURE, TOP_P = 0.6, 0.95
"""The settings with which most models come that think."""
QUESTIONS = [
    f"Is {thing} {how}? Answer with one word, yes or no."
    for thing in ("snow", "a stone")
    for how in ("wet", "hot")
]
LABELS = (("yes", (" yes", "Yes", "yes")), ("no", (" no", "No", "no")))


def seconds(act: Callable[[], Any]) -> tuple[float, Any]:
    """Measure the CPU time of an act."""
    began = time.process_time()
    found = act()
    return time.process_time() - began, found


def main(folder: Path) -> None:
    """Time both, and print the ratios and the tokens that each stage computes."""
    torch.set_num_threads(1)
    wish = Wish("on", CHAINS, (BUDGET,), "<think>", "</think>")
    model, chains = let_think(load_model(f"hf:{folder}"), wish)
    assert chains is not None
    assert isinstance(model, LanguageModel)
    asked = [
        SampleRequest(
            question,
            max_tokens=BUDGET,
            temperature=TEMPERATURE,
            top_p=TOP_P,
            seed=k,
            thought=Thought("<think>\n"),
        )
        for question in QUESTIONS
        for k in range(CHAINS)
    ]
    lengths, reading, read = [], 0.0, 0

    def think_and_answer() -> None:
        """Read the labels after the chains of a batch before the next one is drawn, as a run does."""
        nonlocal reading, read
        for batch in model.sample(asked):
            lengths.extend(answer.sizes[0] for _, answer in batch)
            after = [
                Thought("<think>\n", f"{answer.texts[0].rstrip()}\n", "</think>\n\n") for _, answer in batch
            ]
            reads = [
                LabelRequest(asked[i].prompt, LABELS, thought=thought)
                for (i, _), thought in zip(batch, after, strict=True)
            ]
            before = model.usage
            took, _ = seconds(lambda reads=reads: list(model.labels(reads)))
            reading += took
            read += model.usage.since(before).tokens

    list(model.sample(asked[:1]))  # chooses how to write
    special = torch.tensor(model.encoder.tokenizer.all_special_ids)
    head = model.runner.network.get_output_embeddings()
    head.register_forward_hook(lambda _module, _inputs, logits: logits.index_fill(-1, special, -torch.inf))
    before = model.usage
    whole, _ = seconds(think_and_answer)
    drawn = model.usage.since(before).tokens - read

    import transformers

    library: Any = transformers
    tokenizer = library.AutoTokenizer.from_pretrained(folder)
    network = library.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def peers() -> None:
        with torch.no_grad():
            for question in QUESTIONS:
                prompt = tokenizer.apply_chat_template(
                    [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
                )
                ids = tokenizer(prompt + "<think>\n", return_tensors="pt", add_special_tokens=False).input_ids
                written = network.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    do_sample=True,
                    temperature=TEMPERATURE,
                    top_p=TOP_P,
                    top_k=0,
                    num_return_sequences=CHAINS,
                    min_new_tokens=BUDGET,
                    max_new_tokens=BUDGET,
                    pad_token_id=0,
                )
                for row in written:
                    thought = tokenizer.decode(row)
                    for label in ("yes", "no"):
                        text = f"{thought}\n</think>\n\n{label}"
                        network(tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids)

    peer, _ = seconds(peers)
    print(
        f"{len(QUESTIONS)} questions × {CHAINS} chains, {sum(lengths):,} tokens drawn (peer: all of {BUDGET})"
    )
    print(
        f"chains: {whole - reading:.1f} s, {drawn:,} tokens computed; labels after them: {reading:.1f} s, "
        f"{read:,} tokens ({read / drawn:.1%})"
    )
    ours = (whole - reading) * len(asked) * BUDGET / sum(lengths) + reading
    print(f"transformers: {peer:.1f} s, {peer / ours:.2f} times ours for as many tokens")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
