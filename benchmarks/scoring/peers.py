"""ProbSense's scorer, lm-evaluation-harness, minicons and vLLM behind one interface, on the same network.

vLLM's build for CPUs brings its own torch, and so runs in an environment of its own.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from floor import Split
from probsense.core.records import ScoreRequest
from probsense.models.next_token.alignment import align, encoder
from probsense.models.transformers import batches
from probsense.models.transformers.trial import TOKENS
from workloads import Pair, pairs


@dataclass(frozen=True)
class Scorer:
    """A way to score.

    Attributes
    ----------
    name : str
    run : callable
        Returns the log-probability of every option of some requests, that many sequences at a time (ours sets that
        number itself).
    split : callable
        Splits a prefix with an option as its tokenisation does: where the split differs from ours, the peer answers
        another question.
    batches : bool
        Whether it takes a number of sequences; otherwise it finds a number itself.
    shares : bool
        Whether what it saves grows with the set, so that no time of a larger set can be extrapolated.
    computed : callable
        Returns how many tokens the last run of that many options computed, if that is known.
    """

    name: str
    run: Callable[[Sequence[ScoreRequest], int], list[float]]
    split: Callable[[Pair], Split]
    batches: bool = True
    shares: bool = False
    computed: Callable[[int], int | None] = lambda _: None


DIFFERENCES = {
    "lm-eval": "it takes the blanks at the end of a prefix for a part of the option",
    "vllm-lm-eval": "it takes the blanks at the end of a prefix for a part of the option",
    "minicons": "it takes the option to begin after as many tokens as the prefix has by itself",
}
"""Each value says why a peer splits some requests elsewhere than ours. A blank that minicons puts between prefix and
option by default is no such difference: here the benchmark switches it off."""


def scorers(model: Any, tokenizer: Any) -> tuple[Scorer, Scorer, Scorer]:
    """List our scorer, and the peers on a network as the library loads it."""
    from transformers import AutoModelForCausalLM

    folder = model.name.removeprefix("hf:")
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=model.runner.network.dtype).eval()
    with warnings.catch_warnings(action="ignore"):
        return ours(model, tokenizer), lm_eval(network, tokenizer), minicons(network, tokenizer)


def ours(model: Any, tokenizer: Any) -> Scorer:
    """Make ProbSense's scorer."""
    known = encoder(tokenizer)

    def run(requests: Sequence[ScoreRequest], batch: int = 0) -> list[float]:
        answers = dict(answer for batch in model.score(requests) for answer in batch)
        return [sum(o.option.logprobs) for i in range(len(requests)) for o in answers[i].options]

    def split(pair: Pair) -> Split:
        ((aligned,),) = align(known, [ScoreRequest(pair[0], pair[1:])])
        return Split(tuple(map(int, aligned.ids)), aligned.option)

    return Scorer("probsense", run, split)


def plain(model: Any, tokenizer: Any) -> Scorer:
    """Make ProbSense's scorer without shared prefixes, for models that cannot be fed trees."""
    place = "cpu" if model.runner.device.type == "cpu" else "elsewhere"
    runner = replace(model.runner, read=batches.read, tokens=TOKENS[place][0])
    return replace(ours(replace(model, runner=runner), tokenizer), name="plain path")


def lm_eval(network: Any, tokenizer: Any) -> Scorer:
    """Make a scorer of the ``hf`` model of lm-evaluation-harness."""
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=network, tokenizer=copy.deepcopy(tokenizer))

    def run(requests: Sequence[ScoreRequest], batch: int) -> list[float]:
        model.batch_size_per_gpu = batch
        asked = [Instance("loglikelihood", {}, pair, i) for i, pair in enumerate(pairs(requests))]
        return [logprob for logprob, _ in model.loglikelihood(asked, disable_tqdm=True)]

    def split(pair: Pair) -> Split:
        prefix, option = model._encode_pair(*pair)
        return Split((*prefix, *option), len(prefix))

    return Scorer("lm-eval", run, split)


def minicons(network: Any, tokenizer: Any) -> Scorer:
    """Make a scorer of minicons for causal models."""
    from minicons.scorer import IncrementalLMScorer

    model = IncrementalLMScorer(network, "cpu", tokenizer=copy.deepcopy(tokenizer))

    def run(requests: Sequence[ScoreRequest], batch: int) -> list[float]:
        asked = pairs(requests)
        found: list[float] = []
        for start in range(0, len(asked), batch):
            prefixes, options = map(list, zip(*asked[start : start + batch], strict=True))
            found += model.conditional_score(prefixes, options, "", lambda logprobs: logprobs.sum().item())
        return found

    def split(pair: Pair) -> Split:
        encoded, (skipped,) = model.prime_text([pair[0]], [pair[1]], "")
        return Split(tuple(encoded["input_ids"][0].tolist()), skipped + 1)

    return Scorer("minicons", run, split)


ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-bench-vllm/bin/python"
"""The interpreter of the environment; ``make bench`` makes it."""
PRELOADED = {
    "libtcmalloc_minimal.so.4": (Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64"), Path("/usr/lib")),
    "libiomp5.so": (PYTHON.parents[1] / "lib",),
}
"""The libraries that vLLM recommends on CPUs, and where they may lie."""
VLLM_WAYS = {"contexts": "vllm", "prompts": "vllm-prompts", "harness": "vllm-lm-eval"}
"""What the ways are called in the output."""


@dataclass
class Runner:
    """A process that has vLLM.

    Attributes
    ----------
    process : Popen
    seconds : float
        CPU seconds in which it has answered.
    """

    process: subprocess.Popen[str]
    seconds: float = field(default=0.0)

    def ask(self, **question: Any) -> dict[str, Any]:
        """Send a question, and wait for the answer."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        found = self.read()
        self.seconds += found.get("seconds", 0.0)
        return found

    def read(self) -> dict[str, Any]:
        """Read one line."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("vLLM ended; its log stands above")
        found: dict[str, Any] = json.loads(line)
        return found


@contextmanager
def running(folder: str, threads: int) -> Iterator[Runner | None]:
    """Run vLLM with a model, with the libraries that it recommends as far as they are there; None without it."""
    if not PYTHON.exists():
        print(f"vLLM is left out: there is no {PYTHON.relative_to(ROOT)}, which make bench makes")
        yield None
        return
    found = {name: [at / name for at in places if (at / name).exists()] for name, places in PRELOADED.items()}
    for name, files in found.items():
        if not files:
            print(f"vLLM runs without {name}, which it recommends")
    settings = {
        "LD_PRELOAD": ":".join(str(files[0]) for files in found.values() if files),
        "OMP_NUM_THREADS": str(threads),
        "PYTHONPATH": "",
    }
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [PYTHON, Path(__file__).with_name("vllm_runner.py"), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=os.environ | settings,
        )
        runner = Runner(process)
        try:
            runner.read()
            yield runner
        except SystemExit:
            log.seek(0)
            print(log.read()[-3000:])
            raise
        finally:
            process.kill()
            process.wait()


def vllm(runner: Runner, ours: Scorer) -> list[Scorer]:
    """Make the three ways to ask vLLM; the first two have our tokens, the harness its own."""
    splits: dict[Pair, Split] = {}

    def run(way: str, requests: Sequence[ScoreRequest], batch: int) -> list[float]:
        asked = pairs(requests)
        # Texts are split once, not while they are timed.
        given = {"texts": asked} if way == "harness" else {"splits": [known(pair) for pair in asked]}
        found = runner.ask(way=way, **given)
        computed[way, len(asked)] = found["computed"]
        scores: list[float] = found["scores"]
        return scores

    def known(pair: Pair) -> Split:
        if pair not in splits:
            splits[pair] = ours.split(pair)
        return splits[pair]

    def harness_split(pair: Pair) -> Split:
        ((ids, first),) = runner.ask(way="split", texts=[pair])["splits"]
        return Split(tuple(ids), first)

    computed: dict[tuple[str, int], int] = {}
    ways = {"contexts": known, "prompts": known, "harness": harness_split}
    return [
        Scorer(
            VLLM_WAYS[way],
            partial(run, way),
            split,
            batches=False,
            shares=way == "contexts",
            computed=lambda count, way=way: computed.get((way, count)),  # type: ignore[misc]
        )
        for way, split in ways.items()
    ]
