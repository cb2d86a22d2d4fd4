"""The exact scorer as a model of lm-evaluation-harness: ``lm_eval run --model probsense``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from tqdm import tqdm

from probsense.core.errors import InputError, brief
from probsense.core.records import Json, ScoreRequest
from probsense.models.next_token.alignment import Encoder, align, encoder
from probsense.models.next_token.reading import Need, Rows, Runner, token_logprobs
from probsense.models.transformers.load import fuse_activations, versions
from probsense.models.transformers.products import ONEDNN, use_onednn
from probsense.models.transformers.trial import choose_reader

Tokens: TypeAlias = list[int]
Tokenized: TypeAlias = tuple[tuple[str, str] | None, Tokens, Tokens]
"""A context and a continuation as texts (None for a window of a long text), and the tokens of both."""


def _identity(network: Any) -> dict[str, Json]:
    """Tell a network from others, so that the trial how to feed it is made once: by the beginning of each weight."""
    beginnings = sha256()
    for parameter in network.parameters():
        beginnings.update(parameter.detach().flatten()[:1000].double().cpu().numpy().tobytes())
    return {
        "config": network.config.to_json_string(),
        "weights": beginnings.hexdigest(),
        "dtype": str(network.dtype),
        "device": network.device.type,
        "versions": versions(),
    }


class ProbSenseLM(HFLM):  # type: ignore[misc]
    """A model of Hugging Face whose log-likelihoods share the beginnings of all requests.

    How texts are joined, cut, put through a template and generated is the harness's own, so results are those of its
    model ``hf`` up to rounding. Encoder–decoder models, mixed precision and adapters of ``peft`` are asked as there.

    Parameters
    ----------
    *args
        As for ``hf``.
    exact_join : bool
        Split context and continuation where their texts meet. The harness takes as many tokens for the context as it
        has by itself, and with some tokenizers a part of the continuation then counts as context.
    **kwargs
        As for ``hf``. ``batch_size`` matters to generated texts only.
    """

    batch_size_per_gpu: int | str

    def __init__(self, *args: object, exact_join: bool = False, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._exact_join = exact_join

    @cached_property
    def _runner(self) -> Runner:
        network = self.model
        vocabulary = network.config.get_text_config().vocab_size
        identity = _identity(network)
        fuse_activations(network)
        if use_onednn(network, vocabulary):
            identity["products"] = ONEDNN
        read, tokens = choose_reader(network, vocabulary, identity)
        return Runner(network, vocabulary, self.max_length, tokens, read)

    @property
    def _as_by_hf(self) -> bool:
        """Whether the network is fed in the harness's own way: trees would not do, or not give its numbers."""
        return self.backend != "causal" or self.mixed_precision_dtype is not None or bool(self.peft)

    @cached_property
    def _encoder(self) -> Encoder:
        return encoder(self.tokenizer)

    def _encode_pair(self, context: str, continuation: str) -> tuple[Tokens, Tokens]:
        if not self._exact_join or self.backend != "causal":
            found: tuple[Tokens, Tokens] = super()._encode_pair(context, continuation)
            return found
        ((aligned,),) = align(self._encoder, [ScoreRequest(context, (continuation,))], special=False)
        count = len(aligned.ids) - aligned.option
        text: Tokens = self.tok_encode(context + continuation, add_special_tokens=False)
        dressed: Tokens = self.tok_encode(context + continuation)
        # Tokens that the tokenizer puts after a text are no part of the continuation.
        before = next(i for i in range(len(dressed)) if dressed[i : i + len(text)] == text)
        return [*dressed[:before], *text[:-count]] or [self.prefix_token_id], text[-count:]

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """Score whole texts, the windows of all of them at once."""
        if self._as_by_hf:
            return list(super().loglikelihood_rolling(requests, disable_tqdm))
        given, self.batch_size_per_gpu = self.batch_size_per_gpu, sys.maxsize
        try:
            found: list[float] = super().loglikelihood_rolling(requests, disable_tqdm)
        finally:
            self.batch_size_per_gpu = given
        return found

    def _loglikelihood_tokens(
        self, requests: Sequence[Tokenized], disable_tqdm: bool = False, override_bs: int | None = None
    ) -> list[tuple[float, bool]]:
        if self._as_by_hf:
            return list(super()._loglikelihood_tokens(requests, disable_tqdm, override_bs))
        self._check(requests)
        wholes = [(context + continuation)[-(self.max_length + 1) :] for _, context, continuation in requests]
        begin = np.cumsum([0, *(len(continuation) for *_, continuation in requests)])
        targets = np.array([token for *_, continuation in requests for token in continuation], dtype=np.int64)
        # The token before predicts each token, so the last one is not fed.
        needs = [
            Need(np.array(whole[:-1], np.int32), len(whole) - 1 - len(continuation))
            for whole, (*_, continuation) in zip(wholes, requests, strict=True)
        ]
        first = np.array([need.first for need in needs], dtype=np.int64)
        logprobs, greedy = np.empty(len(targets)), np.empty(len(targets), dtype=bool)

        def consume(rows: Rows) -> None:
            at = begin[rows.need] + rows.position - first[rows.need]
            logprobs[at] = token_logprobs(rows, targets[at])
            # The first one of equals counts, as in the harness.
            greedy[at] = rows.logits.argmax(-1).cpu().numpy()[rows.row] == targets[at]

        answers: list[tuple[float, bool]] = [(0.0, False)] * len(requests)
        with tqdm(
            total=len(requests), disable=disable_tqdm or self.rank != 0, desc="Running loglikelihood requests"
        ) as bar:
            for done in self._runner.read(self._runner, needs, consume):
                for i in done:
                    part = slice(begin[i], begin[i + 1])
                    answers[i] = float(logprobs[part].sum()), bool(greedy[part].all())
                    if requests[i][0] is not None:
                        self.cache_hook.add_partial("loglikelihood", requests[i][0], answers[i])
                bar.update(len(done))
        return answers

    def _check(self, requests: Sequence[Tokenized]) -> None:
        """Refuse what cannot be scored, as ``hf`` does, and warn of contexts that are cut."""
        for texts, context, continuation in requests:
            if not context or not 0 < len(continuation) <= self.max_length:
                raise InputError(
                    f"{len(context)} tokens of context and {len(continuation)} of the continuation {brief(texts)}",
                    expected=f"at least one of context, and 1 to {self.max_length} of the continuation",
                )
        lengths = [len(context) + len(continuation) - 1 for _, context, continuation in requests]
        if longer := sum(length > self.max_length for length in lengths):
            logging.getLogger("probsense").warning(
                "%d of %d requests are longer than %d tokens (at most %d): their contexts lose their beginnings",
                *(longer, len(requests), self.max_length, max(lengths)),
            )
