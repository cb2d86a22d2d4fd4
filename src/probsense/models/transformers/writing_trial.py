"""Finds out how a network may write, by trial on made-up sequences."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from probsense.models.base import one_line
from probsense.models.next_token.reading import Runner
from probsense.models.next_token.texts import Writer
from probsense.models.next_token.verdict import rounding
from probsense.models.transformers import batches
from probsense.models.transformers.prefix_tree.trial import alone
from probsense.models.transformers.writing import begin, write_separately, write_together

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
    import torch

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
    together = torch.stack(found, 1).log_softmax(-1)
    for row, place in enumerate(places):
        prompt = prompts[place]
        expected = alone(network, np.concatenate([prompt, further[row]]))[len(prompt) - 1 :]
        worst = float((together[row] - expected).abs().max())
        if not worst <= rounding(network) * float(expected.abs().max()):  # NaN differs, too.
            return worst
    return 0.0
