"""Finds out how a network may read and write, by trial on made-up sequences, not from a list of families."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor

from probsense.core.errors import one_line
from probsense.core.records import Json
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Need, Reader, Runner, next_token_logits
from probsense.models.next_token.texts import Writer
from probsense.models.next_token.tree import BLOCK, build, next_pack
from probsense.models.next_token.trial import (
    Verdict,
    branching_sequences,
    compare,
    difference,
    kept_verdict,
    logprobs,
    rounding,
    warn,
)
from probsense.models.transformers import attention, batches
from probsense.models.transformers.attention import Pass
from probsense.models.transformers.writing import begin, write_separately, write_together

SCORERS: dict[Reader, str] = {
    attention.read: "trie.stream",
    batches.read: "hf_batches",
    batches.read_with_encoder: "seq2seq",
}
"""The names of the ways to feed a network in fingerprints, which outlive those of modules."""
TOKENS = {"cpu": (1024, 2048), "elsewhere": (8192, 16384)}
"""Tokens in a forward pass over whole sequences, and over trees; the caches of a CPU hold no more."""
WINDOWS = ("sliding_window", "window_size", "attention_chunk_size", "attention_window", "local_attention")
"""The names by which configurations give the reach of local attention."""


def choose_reader(network: Any, vocabulary: int, identity: Mapping[str, Json]) -> tuple[Reader, int]:
    """Choose how to feed a network, and how many tokens at once.

    The network is fed trees if these give its own numbers, and whole sequences otherwise, with a warning that says
    so.

    Parameters
    ----------
    network : Any
    vocabulary : int
        Logits in a row.
    identity : mapping
        All that the numbers of the network depend on, under which the verdict is kept.
    """
    tokens = TOKENS["cpu" if next(network.parameters()).device.type == "cpu" else "elsewhere"]
    if network.config.is_encoder_decoder:
        return batches.read_with_encoder, tokens[0]
    verdict = kept_verdict(identity, lambda: probe(network, vocabulary))
    if verdict.passed:
        return attention.read, tokens[1]
    warn(type(network).__name__, verdict)
    return batches.read, tokens[0]


def probe(network: Any, vocabulary: int) -> Verdict:
    """Compare a tree's distributions with those of its sequences one by one.

    The tree branches, has sequences that are prefixes of others, and is fed whole, in blocks of a few tokens and in
    packs of a few tokens. No branch may notice a change in another.
    """
    try:
        with _quiet():
            return _probe(network, vocabulary)
    except Exception as error:  # An untried network may raise any error here: the plain way is always open.
        return Verdict(False, f"trees fail: {one_line(error)}")


def _probe(network: Any, vocabulary: int) -> Verdict:
    config = network.config.get_text_config()
    sequences = branching_sequences(vocabulary)
    seen = _pass(network, vocabulary, sequences)
    if len(seen.kept) != config.num_hidden_layers:
        return Verdict(
            False, f"{len(seen.kept)} of its {config.num_hidden_layers} layers can attend to trees"
        )
    if untold := _windows(config) - seen.windows:
        return Verdict(
            False, f"its attention is not told of its window ({', '.join(map(str, sorted(untold)))})"
        )

    def together(sequences: Sequence[Ids], tokens: int = 10**6, block: int = BLOCK) -> list[Tensor]:
        reader = partial(attention.read, block=block)
        return logprobs(Runner(network, vocabulary, None, tokens, reader), sequences)

    ways = together, partial(together, block=4), partial(together, tokens=7, block=4)
    return compare(ways, sequences, [alone(network, ids) for ids in sequences], rounding(network))


def alone(network: Any, ids: Ids) -> Tensor:
    """Compute the log-probabilities after every token of a sequence by a plain forward pass."""

    tokens = torch.from_numpy(ids.astype(np.int64))[None].to(next(network.parameters()).device)
    return next_token_logits(network, torch.arange(len(ids)), input_ids=tokens)[0].log_softmax(-1)


def _pass(network: Any, vocabulary: int, sequences: Sequence[Ids]) -> Pass:
    """Record one pass over all of the tree but its last token: what the attention layers did and were told."""
    runner = Runner(network, vocabulary, None, 10**6, attention.read)
    tree = build([Need(ids, 0) for ids in sequences])
    pack = next_pack(tree, 0, len(tree.token) - 1, len(tree.token))
    return attention.compute(runner, tree, pack, {}, lambda _: None)


def _windows(config: Any) -> set[int]:
    """List the windows that the configuration names and that are in force."""
    if getattr(config, "use_sliding_window", True) is False:
        return set()
    named = {getattr(config, name, None) for name in WINDOWS}
    return {value for value in named if isinstance(value, int) and value > 0}


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the library's warnings about settings that a network does not know; their effect shows in the numbers."""

    logs: Any = transformers.utils.logging  # Typed in parts only.
    level = logs.get_verbosity()
    logs.set_verbosity_error()
    try:
        yield
    finally:
        logs.set_verbosity(level)


LENGTH = 8
"""Tokens of the prompts on trial."""


def choose_writer(network: Any, vocabulary: int) -> Writer:
    """Choose how a network writes: from copies of the prompt, if it then writes what it writes without them.

    An encoder–decoder writes each text by itself. So does, with a warning, a network that fails the trial.
    """
    if network.config.is_encoder_decoder:
        return write_separately
    try:
        differ = _differ(network, vocabulary)
        reason = f"copies of a prompt give other numbers (by {differ:.2g} nats)" if differ else ""
    except Exception as error:  # A network of another kind may raise any error here.
        reason = f"it cannot go on after copies of a prompt: {one_line(error)}"
    if not reason:
        return write_together
    logging.getLogger("probsense").warning(
        "%s: each text is written after its own copy of the prompt, since %s", type(network).__name__, reason
    )
    return write_separately


def _differ(network: Any, vocabulary: int) -> float:
    """Write from copies on trial, and return how far that is from whole sequences (nats); 0 within rounding.

    The trial has prompts of two lengths with a common beginning, and as many further tokens as outgrow it.
    """

    rng = np.random.default_rng(0)
    stem, tails = (rng.integers(0, vocabulary, size).astype(np.int32) for size in (LENGTH, (2, 3)))
    prompts = [np.concatenate([stem, tails[0]]), np.concatenate([stem, tails[1][:1]])]
    further = rng.integers(0, vocabulary, (3, 6))
    places = [0, 1, 0]
    runner = Runner(network, vocabulary, None, 10**6, batches.read)
    begun = begin(runner, prompts).take(places)
    found = [begun.logits]
    for step in range(further.shape[1]):
        begun = begun.feed(runner, further[:, step])
        found.append(begun.logits)
    together = [*torch.stack(found, 1).log_softmax(-1)]
    expected = [
        alone(network, np.concatenate([prompts[place], further[row]]))[len(prompts[place]) - 1 :]
        for row, place in enumerate(places)
    ]
    worst = difference(together, expected)
    return worst if not worst <= rounding(network) * float(torch.cat(expected).abs().max()) else 0.0
