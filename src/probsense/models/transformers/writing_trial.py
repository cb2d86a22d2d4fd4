"""Finds out how a network may write, by trial on made-up sequences."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from probsense.models.base import one_line
from probsense.models.next_token.reading import Runner
from probsense.models.next_token.texts import Writer
from probsense.models.next_token.verdict import rounding
from probsense.models.transformers import batches
from probsense.models.transformers.prefix_tree.trial import alone
from probsense.models.transformers.writing import begin, write_separately, write_together

if TYPE_CHECKING:
    from torch import Tensor


LENGTH = 8
"""Tokens of the prompts on trial."""


def choose_writer(network: Any, vocabulary: int) -> Writer:
    """Choose how a network writes: from copies of the prompt, if it then writes what it writes without them.

    An encoder–decoder writes each text by itself. So does, with a warning, a network that fails the trial; and if what
    it keeps of a text gives other numbers than the whole text, it reads the whole text for each token.
    """
    if network.config.is_encoder_decoder:
        return write_separately
    warn = logging.getLogger("probsense").warning
    try:
        differ = _differ(network, vocabulary)
        reason = f"copies of a prompt give other numbers (by {differ:.2g} nats)" if differ else ""
    except Exception as error:  # A network of another kind may raise any error here.
        reason = f"it cannot go on after copies of a prompt: {one_line(error)}"
    if not reason:
        return write_together
    if differ := _state_differs(network, vocabulary):
        warn(
            "%s: the whole text is read for each token, since what the network keeps of it gives other numbers"
            " (by %.2g nats)",
            type(network).__name__,
            differ,
        )
        return partial(write_separately, keep=False)
    warn(
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
        if worst := _beyond_rounding(network, together[row], expected):
            return worst
    return 0.0


def _beyond_rounding(network: Any, found: Tensor, expected: Tensor) -> float:
    """Return the largest difference; 0 within rounding."""
    worst = float((found - expected).abs().max())
    return 0.0 if worst <= rounding(network) * float(expected.abs().max()) else worst  # NaN differs, too.


def _state_differs(network: Any, vocabulary: int) -> float:
    """Write two texts on trial, and return how far their numbers are from whole sequences (nats); 0 within rounding."""
    import torch

    ids = np.random.default_rng(0).integers(0, vocabulary, (2, 2 * LENGTH))
    tokens = torch.from_numpy(ids).to(network.device)

    def given(rows: Tensor, scores: Tensor) -> Tensor:
        return torch.full_like(scores, -torch.inf).scatter_(1, tokens[:, rows.shape[1], None], 0.0)

    with torch.inference_mode():
        found = network.generate(
            input_ids=tokens[:, :LENGTH],
            attention_mask=torch.ones_like(tokens[:, :LENGTH]),
            do_sample=False,
            max_new_tokens=LENGTH,
            eos_token_id=vocabulary,
            logits_processor=[given],
            return_dict_in_generate=True,
            output_logits=True,
        )
    kept = torch.stack(found.logits, 1).log_softmax(-1)
    expected = torch.stack([alone(network, row)[LENGTH - 1 : -1] for row in ids])
    return _beyond_rounding(network, kept, expected)
