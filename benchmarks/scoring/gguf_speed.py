"""Times a quantised model in this process, beside llama.cpp's own server and its dequantised weights.

    python benchmarks/scoring/gguf_speed.py [--file FILE.gguf --folder FOLDER] [--worldsense 10] [--few-shot 4] ...
    python benchmarks/scoring/gguf_speed.py --types F16 Q8_0 ...

``gguf:`` has the file, ``hf:`` the folder of its dequantised weights in float32, and ``openai:`` the server of
llama-cpp-python with the file. That server gives no right log-probabilities for models that add no token before a
text, such as SmolLM2, which is taken without a file. So options are timed beside ``hf:``, and one word after each
prompt beside the server. All have one thread. Times are CPU seconds of the process that
computes, in pairs, every second one in the reverse order; the ratios count. With ``--types`` the weights of the file
are written in other types first, and each type is timed beside ``hf:``, with the share of the time that passes in
llama.cpp itself.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from probsense.core.records import Failure, SampleRequest
from probsense.models.base import Batch, in_form
from probsense.models.registry import load_model
from real_models import real_gguf, real_model
from workloads import workloads

CONTEXT = 2048
PATIENCE = 120
"""Seconds until the server must answer."""


@contextmanager
def served(file: Path) -> Iterator[tuple[str, int]]:
    """Let llama.cpp's server serve a file; gives the address and the number of its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        **{"model": file, "model_alias": "it", "host": "127.0.0.1", "port": port, "n_ctx": CONTEXT},
        **{"logits_all": True, "n_threads": 1, "n_threads_batch": 1, "verbose": False},
    }
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([sys.executable, "-m", "llama_cpp.server", *words], stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}/v1"
            for _ in range(PATIENCE):
                try:
                    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/models")
                    break
                except OSError:
                    time.sleep(1)
            yield url, process.pid
        finally:
            process.terminate()
            process.wait()


def seconds_of(process: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(verb: Callable[[Sequence[Any]], Iterator[Batch[Any]]], requests: Sequence[Any]) -> list[Any]:
    """Return the answers in the order of the requests."""
    found = dict(pair for batch in verb(requests) for pair in batch)
    answers = [found[i] for i in range(len(requests))]
    for answer in answers:
        if isinstance(answer, Failure):
            sys.exit(answer.reason)
    return answers


def paired(
    sides: Sequence[tuple[Callable[[], Any], Callable[[], float]]], rounds: int
) -> tuple[list[float], list[Any]]:
    """Return the median CPU seconds of each side, which is something to do and a clock, and what it gave."""
    times: list[list[float]] = [[] for _ in sides]
    given: list[Any] = [None] * len(sides)
    for turn in range(rounds):
        for k in [*range(len(sides))][:: -1 if turn % 2 else 1]:
            do, clock = sides[k]
            started = clock()
            given[k] = do()
            times[k].append(clock() - started)
    return [float(np.median(taken)) for taken in times], given


TYPES = {"F32": 0, "F16": 1, "BF16": 32, "Q8_0": 7, "Q4_0": 2, "Q4_1": 3}
"""llama.cpp's number of each type of weights."""


def by_type(file: Path, there: Any, kinds: Sequence[str], sets: Mapping[str, int], rounds: int) -> None:
    """Print how long the options of some workloads take with weights of each type, over the time of ``hf:``."""
    from llama_cpp import llama_cpp

    made = workloads()
    print("| type | " + " | ".join(sets) + " | of that in llama.cpp |")
    print("| --- " * (len(sets) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder) / f"{kind}.gguf"
            how = llama_cpp.llama_model_quantize_default_params()
            how.ftype, how.allow_requantize, how.nthread = TYPES[kind], True, 1
            if llama_cpp.llama_model_quantize(str(file).encode(), str(path).encode(), how):
                sys.exit(f"{file} cannot be written as {kind}")
            here = in_form(load_model(f"gguf:{path}", threads=1, context=CONTEXT), "completion")
            inside = timed_passes(here)
            ratios, whole = [], 0.0
            for name, few in sets.items():
                options = made[name].make(few)
                (a, b), _ = paired(
                    [(partial(ask, model.score, options), time.process_time) for model in (here, there)],
                    rounds,
                )
                ratios.append(a / b)
                whole += a * rounds
            print(f"| {kind} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios), end="")
            print(f" | {sum(inside) / whole:.3f} |", flush=True)


def timed_passes(model: Any) -> list[float]:
    """Return a list to which the model adds the CPU seconds of each of its passes."""
    network, seconds = model.runner.network, list[float]()
    own = network.feed

    def feed(*arguments: Any) -> Any:
        started = time.process_time()
        logits = own(*arguments)
        seconds.append(time.process_time() - started)
        return logits

    network.feed = feed
    return seconds


def main() -> None:
    """Print a table of seconds and ratios, and how far the log-probabilities lie apart."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--types", nargs="+", choices=TYPES)
    for name, few in (("worldsense", 10), ("few-shot", 4), ("statements", 6)):
        parser.add_argument(f"--{name}", type=int, default=few, help="items")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    file, folder = given.file or real_gguf("smollm2"), given.folder or real_model("smollm2")
    there = in_form(load_model(f"hf:{folder}"), "completion")
    asked = {name: getattr(given, name.replace("-", "_"), 0) for name in workloads()}
    if given.types:
        by_type(file, there, given.types, {name: few for name, few in asked.items() if few}, given.rounds)
        return
    here = in_form(load_model(f"gguf:{file}", threads=1, context=CONTEXT), "completion")
    kinds = "gguf: s | hf: s | hf: / gguf: | words: gguf: s | server s | server / gguf:"
    print(f"| workload | tokens: all, distinct | {kinds} |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    apart: list[float] = []
    with served(file) as (url, process):
        server = load_model("openai:it", base_url=url, abilities="completions,seed")
        for name, workload in workloads().items():
            if few := asked[name]:
                options = workload.make(few)
                words = [
                    SampleRequest(prefix, n=1, max_tokens=1, temperature=0.0, top_p=1.0, stop=(), seed=0)
                    for prefix in dict.fromkeys(request.prefix for request in options)
                ]
                before = here.usage
                (a, b), answers = paired(
                    [(partial(ask, model.score, options), time.process_time) for model in (here, there)],
                    given.rounds,
                )
                used = here.usage.since(before)
                (c, d), _ = paired(
                    [
                        (partial(ask, here.sample, words), time.process_time),
                        (partial(ask, server.sample, words), partial(seconds_of, process)),
                    ],
                    given.rounds,
                )
                one, other = (
                    np.array([sum(o.option.logprobs) for answer in found for o in answer.options])
                    for found in answers
                )
                apart += np.abs(one - other).tolist()
                tokens = f"{used.naive // given.rounds:,}, {used.tokens // given.rounds:,}"
                print(
                    f"| {name} | {tokens} | {a:.1f} | {b:.1f} | {b / a:.2f} | {c:.1f} | {d:.1f} | {d / c:.1f} |",
                    flush=True,
                )
    print(
        f"\noptions of gguf: and hf: differ by {np.median(apart):.3f} nats (median), {max(apart):.2f} (largest)"
    )


if __name__ == "__main__":
    main()
