"""Times a quantised model in this process, beside llama.cpp's own server and its dequantised weights.

    python benchmarks/gguf_speed.py [--file FILE.gguf --folder FOLDER] [--worldsense 8 --few-shot 1 --statements 4]

All three answer the same requests, one after the other, with one thread: ``gguf:`` the file, ``openai:`` the server of
llama-cpp-python with the file, ``hf:`` the folder of its dequantised weights in float32. Without a file, SmolLM2 is
taken. Times are CPU seconds of the process that computes, the server's included; the ratios count. Every second run
takes the three in the reverse order.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from probsense.models.base import Model, in_form
from probsense.models.registry import load_model
from probsense.records import Failure, ScoreRequest
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


def ask(
    model: Model, requests: Sequence[ScoreRequest], clock: Callable[[], float]
) -> tuple[float, list[float]]:
    """Return the CPU seconds of the answers, and the log-probability of every option."""
    started = clock()
    found = dict(pair for batch in model.score(requests) for pair in batch)
    taken = clock() - started
    sums: list[float] = []
    for i in range(len(requests)):
        answer = found[i]
        if isinstance(answer, Failure):
            sys.exit(f"{model.name}: {answer.reason}")
        sums += [sum(one.option.logprobs) for one in answer.options]
    return taken, sums


def main() -> None:
    """Print a table of seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    for name, few in (("worldsense", 8), ("few-shot", 1), ("statements", 4)):
        parser.add_argument(f"--{name}", type=int, default=few, help="items")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    file, folder = options.file or real_gguf("smollm2"), options.folder or real_model("smollm2")
    sets = workloads()
    print(
        "| workload | tokens: all, distinct | gguf: s | server s | hf: s | server / gguf: | hf: / gguf: |",
        flush=True,
    )
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with served(file) as (url, process):
        models = {
            "gguf": load_model(f"gguf:{file}", threads=1, context=CONTEXT),
            "server": load_model("openai:it", base_url=url, route="completions"),
            "hf": load_model(f"hf:{folder}"),
        }
        models = {name: in_form(model, "completion") for name, model in models.items()}
        clocks = dict.fromkeys(models, time.process_time) | {"server": lambda: seconds_of(process)}
        apart: list[float] = []
        for name in ("worldsense", "few-shot", "statements"):
            requests = sets[name].make(getattr(options, name.replace("-", "_")))
            times: dict[str, list[float]] = {kind: [] for kind in models}
            before = models["gguf"].usage
            for turn in range(options.rounds):
                sums = {}
                for kind in [*models][:: -1 if turn % 2 else 1]:
                    taken, sums[kind] = ask(models[kind], requests, clocks[kind])
                    times[kind].append(taken)
            used = models["gguf"].usage.since(before)
            apart += np.abs(np.subtract(sums["gguf"], sums["hf"])).tolist()
            a, b, c = (float(np.median(times[kind])) for kind in models)
            tokens = f"{used.naive // options.rounds:,}, {used.tokens // options.rounds:,}"
            print(
                f"| {name} | {tokens} | {a:.1f} | {b:.1f} | {c:.1f} | {b / a:.1f} | {c / a:.2f} |", flush=True
            )
        print(
            f"\noptions of gguf: and hf: differ by {np.median(apart):.3f} nats (median), {max(apart):.2f} (largest)"
        )


if __name__ == "__main__":
    main()
