"""ProbSense's scorer, lm-evaluation-harness and minicons behind one interface, on the same network."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from floor import Split
from probsense.core.records import ScoreRequest
from probsense.models.next_token.alignment import align, encoder
from probsense.models.transformers import batches
from probsense.models.transformers.prefix_tree.trial import PLAIN_TOKENS, budget
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
    """

    name: str
    run: Callable[[Sequence[ScoreRequest], int], list[float]]
    split: Callable[[Pair], Split]


DIFFERENCES = {
    "lm-eval": "it takes the blanks at the end of a prefix for a part of the option",
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
    runner = replace(model.runner, read=batches.read, tokens=budget(model.runner.network, PLAIN_TOKENS))
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
