"""Option scores of a causal language model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from probsense.models.align import Aligned, Encoder, Ids, align
from probsense.models.base import Batch
from probsense.models.hf_batches import Need, Runner, check_length, in_batches, next_token_logits
from probsense.records import OptionScore, ScoreRequest, ScoreResponse, TokenLogprobs


def score(
    runner: Runner, encoder: Encoder, requests: Sequence[ScoreRequest], *, special: bool
) -> Iterator[Batch[ScoreResponse]]:
    """Log-probability of every token of every option and suffix.

    A token is predicted from all before it, so the last one is not fed. Options of one token, which then
    feed the same sequence, share one forward pass.

    Parameters
    ----------
    runner : Runner
    encoder : Encoder
    requests : sequence of ScoreRequest
    special : bool
        Whether the tokenizer's leading special tokens are fed (see :func:`probsense.models.align.align`).

    Raises
    ------
    InputError
        If an option adds no token, or the text is longer than the model takes.
    """
    aligned = align(encoder, requests, special=special)
    readers: dict[Ids, list[tuple[int, int]]] = defaultdict(list)
    for i, entries in enumerate(aligned):
        for j, entry in enumerate(entries):
            check_length(runner, len(entry.ids) - 1, requests[i].item)
            readers[entry.ids[:-1]].append((i, j))
    fed = sorted(readers)
    needs = [Need(ids, min(aligned[i][j].option for i, j in readers[ids]) - 1) for ids in fed]

    def run(batch: list[int]) -> list[tuple[tuple[int, int], list[float]]]:
        places = [place for k in batch for place in readers[fed[k]]]
        texts = [(n, aligned[i][j]) for n, k in enumerate(batch) for i, j in readers[fed[k]]]
        return list(zip(places, _logprobs(runner.network, [needs[k] for k in batch], texts), strict=True))

    found: dict[int, dict[int, OptionScore]] = {i: {} for i in range(len(requests))}
    yield [(i, ScoreResponse(())) for i, entries in enumerate(aligned) if not entries]
    for _, results in in_batches(runner, needs, run):
        ready: Batch[ScoreResponse] = []
        for (i, j), logprobs in results:
            found[i][j] = _option_score(encoder.tokenizer, requests[i], j, aligned[i][j], logprobs)
            if len(found[i]) == len(aligned[i]):
                options = found.pop(i)
                ready.append((i, ScoreResponse(tuple(options[j] for j in range(len(options))))))
        yield ready


def _logprobs(
    network: Any, batch: Sequence[Need], texts: Sequence[tuple[int, Aligned]]
) -> Iterator[list[float]]:
    """For each text (its row in the batch, and its tokens): log p of its tokens from the option on."""
    import torch

    logits = next_token_logits(network, batch)
    begin = [0]
    for need in batch:
        begin.append(begin[-1] + len(need.ids) - need.first)
    rows: list[int] = []
    tokens: list[int] = []
    for n, text in texts:
        base = begin[n] - batch[n].first - 1
        rows.extend(range(base + text.option, base + len(text.ids)))
        tokens.extend(text.ids[text.option :])
    at = torch.tensor(rows, device=logits.device)
    values = logits[at, torch.tensor(tokens, device=logits.device)] - logits.logsumexp(-1)[at]
    stream = iter(values.tolist())
    for _, text in texts:
        yield [next(stream) for _ in range(len(text.ids) - text.option)]


def _option_score(
    tokenizer: Any, request: ScoreRequest, index: int, aligned: Aligned, logprobs: Sequence[float]
) -> OptionScore:
    count = aligned.suffix - aligned.option

    def piece(text: str, ids: Ids, values: Sequence[float]) -> TokenLogprobs:
        names = tuple(tokenizer.convert_ids_to_tokens(list(ids)))
        return TokenLogprobs(tuple(values), names, len(text), len(text.encode()))

    return OptionScore(
        option=piece(request.options[index], aligned.ids[aligned.option : aligned.suffix], logprobs[:count]),
        suffix=piece(request.suffix, aligned.ids[aligned.suffix :], logprobs[count:]),
        straddles=aligned.straddles,
    )
