"""Option scores of a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse, TokenLogprobs
from probsense.models.align import AlignedTokens, Ids
from probsense.models.base import Batch
from probsense.models.reading import Need, Rows, Runner

if TYPE_CHECKING:
    from torch import Tensor

CACHED = 2**18
"""The number of logits that fit into the caches of a CPU."""


def score(
    runner: Runner,
    tokenizer: Any,
    needs: Sequence[Need],
    aligned: Sequence[Sequence[AlignedTokens]],
    requests: Sequence[ScoreRequest],
) -> Iterator[Batch[ScoreResponse]]:
    """Yield the log-probability of every token of every option and suffix.

    Parameters
    ----------
    runner : Runner
    tokenizer : Any
    needs : sequence of Need
        The sequence to feed for each option of each request.
    aligned : sequence of sequence of AlignedTokens
        The tokens of each option of each request.
    requests : sequence of ScoreRequest
    """
    scored = [entry.ids[entry.option :] for group in aligned for entry in group]
    begin = np.cumsum([0, *map(len, scored)])
    first = np.array([need.first for need in needs], dtype=np.int64)
    targets = np.concatenate([*scored, np.empty(0, np.int32)]).astype(np.int64)
    logprobs = np.empty(len(targets))

    def consume(rows: Rows) -> None:
        at = begin[rows.need] + rows.position - first[rows.need]
        logprobs[at] = token_logprobs(rows, targets[at])

    def known(k: int) -> NDArray[np.float64]:
        return logprobs[begin[k] : begin[k + 1]]

    return responses(tokenizer, aligned, requests, runner.read(runner, needs, consume), known)


def responses(
    tokenizer: Any,
    aligned: Sequence[Sequence[AlignedTokens]],
    requests: Sequence[ScoreRequest],
    read: Iterable[Sequence[int]],
    known: Callable[[int], NDArray[np.float64]],
) -> Iterator[Batch[ScoreResponse]]:
    """Yield the response to each request as soon as all of its options are known.

    Parameters
    ----------
    tokenizer : Any
    aligned : sequence of sequence of AlignedTokens
        The tokens of each option of each request.
    requests : sequence of ScoreRequest
    read : iterable of sequence of int
        Numbers of options that are now known, counted through all requests.
    known : callable
        Returns the log-probabilities of the tokens of an option and its suffix.
    """
    counts = [len(group) for group in aligned]
    starts = np.cumsum([0, *counts]).tolist()
    owner = np.repeat(np.arange(len(aligned)), counts)

    def response(i: int) -> ScoreResponse:
        options = (
            _option_score(tokenizer, requests[i], j, entry, known(starts[i] + j))
            for j, entry in enumerate(aligned[i])
        )
        return ScoreResponse(tuple(options))

    missing = list(counts)
    yield [(i, ScoreResponse(())) for i, count in enumerate(missing) if not count]
    for done in read:
        ready: Batch[ScoreResponse] = []
        for i in owner[list(done)].tolist():
            missing[i] -= 1
            if not missing[i]:
                ready.append((i, response(i)))
        yield ready


def token_logprobs(rows: Rows, targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log p of the target tokens, each in its row, with the normaliser in float32 or better."""
    import torch

    row = torch.from_numpy(rows.row).to(rows.logits.device)
    target = torch.from_numpy(targets).to(rows.logits.device)
    found = rows.logits[row, target] - _normaliser(rows.logits)[row]
    return found.double().cpu().numpy()


def _normaliser(logits: Tensor) -> Tensor:
    """Return the logarithm of the sum of the exponentials of each row, shape (rows,).

    A CPU takes a few rows at a time: the intermediate values then stay in its caches, which is three times as fast.
    """
    import torch

    if logits.device.type != "cpu" or not len(logits):
        return logits.logsumexp(-1)
    return torch.cat([part.logsumexp(-1) for part in torch.split(logits, max(1, CACHED // logits.shape[1]))])


def _option_score(
    tokenizer: Any, request: ScoreRequest, index: int, aligned: AlignedTokens, logprobs: NDArray[np.float64]
) -> OptionScore:
    count = aligned.suffix - aligned.option

    def piece(text: str, ids: Ids, values: NDArray[np.float64]) -> TokenLogprobs:
        names = tuple(tokenizer.convert_ids_to_tokens(ids.tolist()))
        return TokenLogprobs(tuple(values.tolist()), names, len(text), len(text.encode()))

    return OptionScore(
        option=piece(request.options[index], aligned.ids[aligned.option : aligned.suffix], logprobs[:count]),
        suffix=piece(request.suffix, aligned.ids[aligned.suffix :], logprobs[count:]),
        straddles=aligned.straddles,
    )
