"""The work for a test set before any network is asked: tokenising, building the tree, planning the packs."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from probsense.core.records import ScoreRequest
from probsense.models.next_token.alignment import Encoder, align, encoder
from probsense.models.next_token.reading import Need
from probsense.models.transformers.prefix_tree.tree import build, next_pack
from shapes import tokenizer
from workloads import pairs, texts, workloads, worldsense

PUBLISHED = 87_000
"""The number of WorldSense prompts in the published test set."""
WINDOW = 4096
"""How many requests are planned together."""
PACK = 2048
"""How many tokens are in a forward pass."""


def plan(known: Encoder, requests: Sequence[ScoreRequest]) -> int:
    """Do all work for some requests before a network is asked; return the number of tokens to compute."""
    needs = [Need(a.ids[:-1], a.option - 1) for entries in align(known, requests) for a in entries]
    tree = build(needs)
    start = 0
    while start < len(tree.token):
        start = next_pack(tree, start, PACK, PACK).stop
    return start


def measure(name: str) -> dict[str, Any]:
    """Measure CPU seconds and memory (MB) of planning for all published prompts, in windows as a run has them."""
    requests = worldsense(PUBLISHED)
    known = encoder(tokenizer(name, texts(workloads())))
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    started = time.process_time()
    ordered = sorted(requests, key=lambda request: request.prefix)
    tokens = sum(plan(known, ordered[i : i + WINDOW]) for i in range(0, len(ordered), WINDOW))
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "model": name,
        "prompts": len(requests),
        "requests": len(pairs(requests)),
        "tokens": tokens,
        "seconds": seconds,
        "growth_mb": (peak - resident) / 1e6,
        "peak_mb": peak / 1e6,
    }


def show(result: dict[str, Any]) -> None:
    """Print the measurements without a network."""
    print(
        f"{result['model']} tokenizer: {result['prompts']:,} prompts, {result['requests']:,} requests, "
        f"{result['tokens']:,} tokens to compute: {result['seconds']:.1f} s CPU, "
        f"memory grows by {result['growth_mb']:.0f} MB to {result['peak_mb']:.0f} MB"
    )
