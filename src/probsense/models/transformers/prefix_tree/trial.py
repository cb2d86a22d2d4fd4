"""Finds out whether a network may be fed trees, by trial on made-up sequences, not from a list of families."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from probsense.core.records import Json
from probsense.models.base import one_line
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Need, Reader, Rows, Runner, next_token_logits
from probsense.models.next_token.verdict import Verdict, kept_verdict, rounding
from probsense.models.transformers import batches
from probsense.models.transformers.prefix_tree import attention
from probsense.models.transformers.prefix_tree.attention import Pass
from probsense.models.transformers.prefix_tree.tree import BLOCK, build, next_pack

if TYPE_CHECKING:
    from torch import Tensor


PLAIN_TOKENS = 1024, 8192
TRIE_TOKENS = 2048, 16384
"""Tokens in a forward pass: on a CPU, whose caches hold no more, and elsewhere."""
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
    verdict = kept_verdict(identity, lambda: probe(network, vocabulary))
    if verdict.passed:
        return attention.read, budget(network, TRIE_TOKENS)
    warn(type(network).__name__, verdict)
    return batches.read, budget(network, PLAIN_TOKENS)


def warn(name: str, verdict: Verdict) -> None:
    """Say why a network is not fed trees."""
    words = "%s: shared prefixes are computed again for every option, since %s"
    logging.getLogger("probsense").warning(words, name, verdict.reason)


def budget(network: Any, tokens: tuple[int, int]) -> int:
    """Return the number of tokens in a forward pass on the network's device."""
    on_cpu, elsewhere = tokens
    return on_cpu if next(network.parameters()).device.type == "cpu" else elsewhere


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
    expected = [alone(network, ids) for ids in sequences]
    limit = rounding(network) * max(1.0, *(float(rows.abs().max()) for rows in expected))

    def together(sequences: Sequence[Ids], tokens: int = 10**6, block: int = BLOCK) -> list[Tensor]:
        reader = partial(attention.read, block=block)
        return logprobs(Runner(network, vocabulary, None, tokens, reader), sequences)

    for tokens, block in ((10**6, BLOCK), (10**6, 4), (7, 4)):
        worst = difference(together(sequences, tokens, block), expected)
        if not worst <= limit:
            return Verdict(False, f"trees give other numbers than single sequences (by {worst:.2g} nats)")
    if not noticed(together, sequences) <= limit / 10:
        return Verdict(False, "branches of a tree notice each other")
    return Verdict(True)


def branching_sequences(vocabulary: int) -> list[Ids]:
    """Make a dozen sequences that branch at several depths; the last one branches off at the fifth token."""
    rng = np.random.default_rng(0)

    def some(count: int) -> Ids:
        return rng.integers(0, vocabulary & ~1, count, dtype=np.int32)

    root = some(5)
    found = [root[:3], root]
    for middle in (some(9), some(4)):
        stem = np.concatenate([root, middle])
        found += [stem, *(np.concatenate([stem, some(count)]) for count in (1, 2, 6))]
    return [*found, np.concatenate([found[-1], some(8)]), np.concatenate([root, some(11)])]


def alone(network: Any, ids: Ids) -> Tensor:
    """Compute the log-probabilities after every token of a sequence by a plain forward pass."""
    import torch

    tokens = torch.from_numpy(ids.astype(np.int64))[None].to(next(network.parameters()).device)
    return next_token_logits(network, torch.arange(len(ids)), input_ids=tokens)[0].log_softmax(-1)


def logprobs(runner: Runner, sequences: Sequence[Ids]) -> list[Tensor]:
    """Let a runner compute the log-probabilities after every token of each sequence."""
    import torch

    found: list[list[Tensor]] = [[] for _ in sequences]

    def consume(rows: Rows) -> None:
        values = rows.logits.log_softmax(-1)
        for need, row in zip(rows.need.tolist(), rows.row.tolist(), strict=True):
            found[need].append(values[row])

    for _ in runner.read(runner, [Need(ids, 0) for ids in sequences], consume):
        pass
    return [torch.stack(rows) for rows in found]


def noticed(together: Callable[[Sequence[Ids]], list[Tensor]], sequences: Sequence[Ids]) -> float:
    """Return how far a change in the last of some sequences moves the log-probabilities of all others."""
    changed = [*sequences[:-1], np.concatenate([sequences[-1][:-3], sequences[-1][-3:] ^ 1])]
    return difference(together(sequences)[:-1], together(changed)[:-1])


def difference(these: Sequence[Tensor], those: Sequence[Tensor]) -> float:
    """Return the largest difference of log-probabilities (nats)."""
    return max(float((a - b).abs().max()) for a, b in zip(these, those, strict=True))


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
    import transformers

    logs: Any = transformers.utils.logging  # Typed in parts only.
    level = logs.get_verbosity()
    logs.set_verbosity_error()
    try:
        yield
    finally:
        logs.set_verbosity(level)
