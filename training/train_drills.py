"""Teaches the packaged model by drills to join facts in plain words; the learning curves start from the result."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from stories import joining
from train_tiny import load, teach

if __name__ == "__main__":
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=Path, default=here.parent / "src/probsense/models/small/tiny")
    parser.add_argument("--out", type=Path, default=here / "out" / "drilled")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    model, tokenizer = load(options.start)
    teach(model, tokenizer, joining(options.seed), options.out, options.seed, 32, 1e-3, fade=False)
