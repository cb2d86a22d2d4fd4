"""What chains of thought cost: ours beside ``transformers.generate`` and a pass for each label, on the same questions.

``python benchmarks/scoring/thinking.py FOLDER`` takes the folder of a chat model, such as SmolLM2; markers of thoughts
are given to it. Both sides draw as many tokens: no chain ends before its budget. CPU seconds of one process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from probsense.core.records import LabelRequest, SampleRequest, Thought
from probsense.models.registry import load_model
from probsense.runs.ask.thinking import Wish, let_think

CHAINS, BUDGET = 8, 128
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
    asked = [
        SampleRequest(question, max_tokens=BUDGET, temperature=1.0, seed=k, thought=Thought("<think>\n"))
        for question in QUESTIONS
        for k in range(CHAINS)
    ]
    list(model.sample(asked[:1]))  # chooses how to write
    before = model.usage
    drawing, found = seconds(lambda: [pair for batch in model.sample(asked) for pair in batch])
    drawn = model.usage.since(before).tokens
    texts = dict(found)
    reads = [
        LabelRequest(
            asked[i].prompt, LABELS, thought=Thought("<think>\n", f"{texts[i].texts[0]}\n", "</think>\n\n")
        )
        for i in range(len(asked))
    ]
    before = model.usage
    reading, _ = seconds(lambda: [pair for batch in model.labels(reads) for pair in batch])
    read = model.usage.since(before).tokens

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
    lengths = [answer.sizes[0] for answer in texts.values()]
    print(
        f"{len(QUESTIONS)} questions × {CHAINS} chains, {sum(lengths):,} tokens drawn (peer: all of {BUDGET})"
    )
    print(
        f"chains: {drawing:.1f} s, {drawn:,} tokens computed; labels after them: {reading:.1f} s, {read:,} tokens"
    )
    share = len(asked) * BUDGET / sum(lengths)
    print(
        f"transformers: {peer:.1f} s, {peer / (drawing * share + reading):.2f} times ours for as many tokens"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
