"""Measures how fast pairs of sentences are scored, beside minicons on the same network.

    python benchmarks/scoring/sentence_pairs.py [FOLDER] [--pairs N] [--threads N]

FOLDER has a model as ``save_pretrained`` writes it; without it, an untrained network of GPT-2's shape is made. Both
programs get whole sentences in float32; ours reads the file, asks the model and measures. Times are CPU seconds of
one thread, or wall seconds of more. The best batch size of minicons counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np

from shapes import make
from workloads import WHAT, WHEN, WHO

TOLERANCE = 1e-4
"""How many nats a token the two may differ by on a sentence; in float64 they differ by less than 1e-12."""


def sentence_pairs(count: int) -> list[dict[str, str]]:
    """Make pairs of sentences that agree or disagree in number, in an order of their own."""
    made = []
    for who, what, when in product(WHO, WHAT, WHEN):
        verb, _, rest = what.partition(" ")
        singular = verb[:-1] + "ies" if verb.endswith("y") else verb + ("es" if verb.endswith("sh") else "s")
        good, bad = (f"{who} {form} {rest} {when}." for form in (verb, singular))
        made.append({"sentence_good": good, "sentence_bad": bad, "UID": f"agreement_{verb}"})
    return [made[i] for i in np.random.default_rng(5).permutation(len(made))[:count]]


def main() -> None:
    """Print the largest difference, and how many times as long minicons takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path)
    add("--pairs", type=int, default=200)
    add("--batch-sizes", type=int, nargs="+", default=(1, 8, 32), help="of minicons")
    add("--repeat", type=int, default=1, help="turns, of which the fastest counts")
    add("--threads", type=int, default=1)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    pairs = sentence_pairs(options.pairs)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "pairs.jsonl"
        file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
        folder = options.folder or Path(scratch) / "model"
        if options.folder is None:
            make("gpt2", [text for pair in pairs for text in pair.values()], folder)
        compare(str(folder), file, pairs, options)


def compare(folder: str, file: Path, pairs: list[dict[str, str]], options: argparse.Namespace) -> None:
    """Score the pairs by both programs in turns."""
    import torch
    from minicons.scorer import IncrementalLMScorer
    from transformers import AutoModelForCausalLM, AutoTokenizer

    import probsense as ps

    torch.set_num_threads(options.threads)
    model = ps.load_model(f"hf:{folder}", dtype="float32")
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    peer = IncrementalLMScorer(network, "cpu", tokenizer=AutoTokenizer.from_pretrained(folder))
    texts = [pair[key] for pair in pairs for key in ("sentence_bad", "sentence_good")]

    def ours() -> list[float]:
        run = ps.evaluate("suite", model, pairs=file, norm=True, store=None, quiet=True)
        return run.task.distributions(run.items, run.answered.answers)["logp"].to_list()  # type: ignore[attr-defined]

    def theirs(size: int) -> list[float]:
        found: list[float] = []
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            found += peer.sequence_score(batch, reduction=lambda own: own.mean().item(), bos_token=True)
        return found

    taken: dict[int, list[float]] = {0: [], **{size: [] for size in options.batch_sizes}}
    scores = {}
    now = time.perf_counter if options.threads > 1 else time.process_time
    for _ in range(options.repeat):
        for size, seconds in taken.items():
            started = now()
            scores[size] = theirs(size) if size else ours()
            seconds.append(now() - started)
    apart = max(np.abs(np.subtract(scores[size], scores[0])).max() for size in options.batch_sizes)
    best = min(options.batch_sizes, key=lambda size: min(taken[size]))
    mine, other = min(taken[0]), min(taken[best])
    print(
        f"{len(pairs)} pairs: probsense {mine:.2f} s; minicons {other:.2f} s (b{best}), {other / mine:.1f} x"
    )
    print(f"  at most {apart:.2g} nats a token apart")
    if not apart <= TOLERANCE:
        sys.exit(f"minicons and probsense differ by more than {TOLERANCE:g} nats a token")


if __name__ == "__main__":
    main()
