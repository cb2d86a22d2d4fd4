"""Label mass in the next-token distribution of a causal language model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.models.align import Ids
from probsense.models.base import Batch
from probsense.models.hf_batches import Need, Runner, check_length, in_batches, next_token_logits
from probsense.models.token_classes import OTHER, blank_tokens, decoded_vocabulary, label_classes
from probsense.records import LabelRequest, LabelResponse

Labels: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Members:
    """The tokens that stand for labels: ids, shape (k,), and 0/1 membership, shape (k, labels)."""

    ids: NDArray[np.int64]
    belongs: NDArray[np.float64]


class LabelReader:
    """The classes of a tokenizer's tokens, worked out once for each set of labels.

    Parameters
    ----------
    tokenizer : Any
    vocabulary : int
        Logits of the network; a tokenizer may have more tokens.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._vocabulary = decoded_vocabulary(tokenizer)[:vocabulary]
        self._blank = blank_tokens(self._vocabulary)
        self._members: dict[Labels, _Members] = {}

    def is_blank(self, token: int) -> bool:
        """Whether a token is white space only."""
        return token in self._blank

    def members(self, labels: Labels) -> _Members:
        """The tokens that stand for one of the labels."""
        if labels not in self._members:
            classes = label_classes(self._vocabulary, labels)
            ids = np.flatnonzero(classes != OTHER)
            belongs = (classes[ids, None] == np.arange(len(labels))).astype(np.float64)
            self._members[labels] = _Members(ids, belongs)
        return self._members[labels]


def label_mass(
    runner: Runner, reader: LabelReader, prompts: Sequence[Ids], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Mass of each label in the distribution after each prompt, over the whole vocabulary.

    Where the most probable next token is white space only (the bare "▁" of Llama 2), it is appended to the
    prompt and the mass is read after it, once.

    Parameters
    ----------
    runner : Runner
    reader : LabelReader
    prompts : sequence of tuple of int
        Tokens of the requests' prompts.
    requests : sequence of LabelRequest
    """
    for ids, request in zip(prompts, requests, strict=True):
        check_length(runner, len(ids) + 1, request.item)
    asked: dict[Ids, list[int]] = defaultdict(list)
    for i, ids in enumerate(prompts):
        asked[ids].append(i)
    after_blank: dict[Ids, list[int]] = defaultdict(list)
    for ids, indices, top, masses in _read(runner, reader, asked, requests):
        if reader.is_blank(top):
            after_blank[(*ids, top)].extend(indices)
        else:
            yield list(zip(indices, masses, strict=True))
    for ids, indices, _, masses in _read(runner, reader, after_blank, requests):
        note = f"read after the white space token {ids[-1]}, the most probable one"
        yield [(i, replace(mass, note=note)) for i, mass in zip(indices, masses, strict=True)]


def _read(
    runner: Runner, reader: LabelReader, asked: dict[Ids, list[int]], requests: Sequence[LabelRequest]
) -> Iterator[tuple[Ids, list[int], int, list[LabelResponse]]]:
    """For each prompt: its tokens, the requests that ask, the most probable next token, their answers."""
    fed = sorted(asked)
    needs = [Need(ids, len(ids) - 1) for ids in fed]

    def run(batch: list[int]) -> tuple[list[int], dict[Labels, NDArray[np.float64]]]:
        probabilities = next_token_logits(runner.network, [needs[k] for k in batch]).softmax(-1)
        kinds = {requests[i].labels for k in batch for i in asked[fed[k]]}
        masses = {}
        for labels in kinds:
            members = reader.members(labels)
            seen = probabilities[:, members.ids.tolist()].cpu().numpy().astype(np.float64)
            masses[labels] = seen @ members.belongs
        return probabilities.argmax(-1).tolist(), masses

    for batch, (tops, masses) in in_batches(runner, needs, run):
        for row, (k, top) in enumerate(zip(batch, tops, strict=True)):
            indices = asked[fed[k]]
            answers = [_response(requests[i].labels, masses[requests[i].labels][row]) for i in indices]
            yield fed[k], indices, top, answers


def _response(labels: Labels, mass: NDArray[np.float64]) -> LabelResponse:
    # Rounded probabilities may sum to a little more than 1.
    mass = mass / max(1.0, float(mass.sum()))
    named = {name: float(value) for (name, _), value in zip(labels, mass, strict=True)}
    return LabelResponse(named, max(0.0, 1.0 - float(mass.sum())), "exact")
