"""Times sampled texts beside ``transformers.generate(num_return_sequences=n)``, on two real models.

    python benchmarks/sampling.py [--answers 100] [smollm2] [gemma3]

Both write the same number of texts of at most 16 tokens after the same prompts, at temperature 1 from the nucleus
0.9, and stop at the end of a line. Times are CPU seconds of one process with one thread; the ratio counts.
"""

from __future__ import annotations

import argparse
import sys
import time

import torch

from probsense.core.records import SampleRequest
from probsense.models.base import in_form
from probsense.models.next_token.model import LanguageModel
from probsense.models.registry import load_model
from probsense.tasks.frames.task import Frames
from real_models import SOURCES, real_model


def ours(model: LanguageModel, requests: list[SampleRequest]) -> float:
    """Return the CPU seconds of our sampler."""
    started = time.process_time()
    for _ in model.sample(requests):
        pass
    return time.process_time() - started


def theirs(model: LanguageModel, requests: list[SampleRequest], rows: int) -> float:
    """Return the CPU seconds of the library's sampler, asked for at most ``rows`` texts at once."""
    network, tokenizer = model.runner.network, model.encoder.tokenizer
    started = time.process_time()
    for request in requests:
        inputs = tokenizer(request.prompt, return_tensors="pt")
        with torch.inference_mode():
            for first in range(0, request.n, rows):
                network.generate(
                    **inputs,
                    do_sample=True,
                    temperature=request.temperature,
                    top_p=request.top_p,
                    top_k=0,
                    max_new_tokens=request.max_tokens,
                    num_return_sequences=min(rows, request.n - first),
                    stop_strings=list(request.stop),
                    tokenizer=tokenizer,
                )
    return time.process_time() - started


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=[*SOURCES], metavar="MODEL", help=", ".join(SOURCES))
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--frames", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | texts a prompt | rows at once | theirs / ours | tokens computed / naive |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.models:
        model = in_form(load_model(f"hf:{real_model(name)}"), "completion")
        assert isinstance(model, LanguageModel)
        frames = Frames(answers=options.answers, limit=options.frames)
        requests = [frames.requests(item, "sample", {})[0] for item in frames.items()]
        asked = [request for request in requests if isinstance(request, SampleRequest)]
        ours(model, asked[:1])
        before = model.usage
        own = ours(model, asked)
        used = model.usage.since(before)
        for rows in (20, options.answers):
            ratio = theirs(model, asked, rows) / own
            print(f"| {name} | {options.answers} | {rows} | {ratio:.1f} | {used.tokens / used.naive:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
