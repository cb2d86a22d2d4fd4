"""Label mass in next-token distributions: of single tokens, of the most probable ones, or of spelled-out labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import (
    OTHER,
    Labels,
    token_classes,
    top_k_bounds,
    top_k_share,
)
from probsense.core.errors import ModelError
from probsense.core.records import (
    OTHERS,
    Json,
    LabelRequest,
    LabelResponse,
)
from probsense.models.base import Batch
from probsense.models.next_token.reading import Need, Rows, Runner

_NOTE = "read after the white space token {!r}, the most probable one"


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
        self._tokenizer = tokenizer
        self._vocabulary = decoded_vocabulary(tokenizer)[:vocabulary]
        self._blank = blank_tokens(self._vocabulary)
        self._members: dict[Labels, _Members] = {}

    def is_blank(self, token: int) -> bool:
        """Whether a token is white space only."""
        return token in self._blank

    def text(self, token: int) -> str:
        """Return the text of a token; its name where it stands for no text, as the end of a turn does."""
        known = self._vocabulary[token] if token < len(self._vocabulary) else None
        return known or str(self._tokenizer.convert_ids_to_tokens(token))

    def reads(self, labels: Labels) -> bool:
        """Whether single tokens stand for the labels, and for all of them where they stand for one.

        A chat's answer begins without a blank. If one label has a token there and another has none, as "agree" and
        "dis|agree", the sums of their tokens would not be alike.
        """
        try:
            members = self.members(labels)
        except ModelError:
            return False
        blank = np.array([str(self._vocabulary[token])[:1].isspace() for token in members.ids])
        return all(len({*members.belongs[blank == there].any(axis=0)}) < 2 for there in (True, False))

    def members(self, labels: Labels) -> _Members:
        """Return the tokens that stand for one of the labels."""
        if labels not in self._members:
            classes = label_classes(self._vocabulary, labels)
            ids = np.flatnonzero(classes != OTHER)
            belongs = (classes[ids, None] == np.arange(len(labels))).astype(np.float64)
            self._members[labels] = _Members(ids, belongs)
        return self._members[labels]


Found: TypeAlias = list[tuple[int, int, LabelResponse]]
"""For some prompts the index, the most probable next token and the answer."""


def label_mass(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Yield the mass of each label in the distribution after each prompt, over the whole vocabulary.

    Parameters
    ----------
    runner : Runner
    reader : LabelReader
    needs : sequence of Need
        The requests' prompts; each wants its last position.
    requests : sequence of LabelRequest
    """

    def read(needs: Sequence[Need], requests: Sequence[LabelRequest]) -> Iterator[Found]:
        return _read(runner, reader, needs, requests)

    return after_blanks(read, reader, needs, requests)


def after_blanks(
    read: Callable[[Sequence[Need], Sequence[LabelRequest]], Iterator[Found]],
    reader: LabelReader,
    needs: Sequence[Need],
    requests: Sequence[LabelRequest],
) -> Iterator[Batch[LabelResponse]]:
    """Yield the mass of each label after each prompt or, where white space comes next, after that.

    Where the most probable next token is white space only (the bare "▁" of Llama 2), it is appended to the
    prompt and the mass is read after it, once.
    """
    after_blank: list[tuple[int, int]] = []
    for found in read(needs, requests):
        after_blank += [(i, top) for i, top, _ in found if reader.is_blank(top)]
        yield [(i, mass) for i, top, mass in found if not reader.is_blank(top)]
    longer = [_with(needs[i], top) for i, top in after_blank]
    for found in read(longer, [requests[i] for i, _ in after_blank]):
        yield [
            (after_blank[k][0], replace(mass, note=_NOTE.format(reader.text(after_blank[k][1]))))
            for k, _, mass in found
        ]


def _read(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Found]:
    """Yield for each prompt its index, the most probable next token and the answer."""
    import torch

    found: dict[int, tuple[int, LabelResponse]] = {}

    def consume(rows: Rows) -> None:
        probabilities = rows.logits.softmax(-1)
        tops = probabilities.argmax(-1).tolist()
        masses, others = {}, {}
        for labels in {requests[i].labels for i in rows.need.tolist()}:
            members = reader.members(labels)
            ids = torch.as_tensor(members.ids, device=probabilities.device)
            seen = probabilities[:, ids].cpu().numpy().astype(np.float64)
            masses[labels] = seen @ members.belongs
            largest = probabilities.index_fill(1, ids, 0.0).topk(min(OTHERS, probabilities.shape[1]))
            others[labels] = [
                [*zip(*row, strict=True)]
                for row in zip(largest.indices.tolist(), largest.values.tolist(), strict=True)
            ]
        for i, row in zip(rows.need.tolist(), rows.row.tolist(), strict=True):
            labels = requests[i].labels
            words = tuple((reader.text(token), mass) for token, mass in others[labels][row])
            found[i] = tops[row], exact_response(labels, masses[labels][row], words)

    for done in runner.read(runner, needs, consume):
        yield [(i, *found.pop(i)) for i in done]


def _with(need: Need, token: int) -> Need:
    return need._replace(ids=np.append(need.ids, np.int32(token)), first=need.first + 1)


def exact_response(
    labels: Labels, mass: NDArray[np.float64], others: tuple[tuple[str, float], ...] = ()
) -> LabelResponse:
    """Make the answer from the mass of each label, shape (labels,), and the most probable other tokens."""
    # Rounded probabilities may sum to a little more than 1.
    mass = mass / max(1.0, float(mass.sum()))
    named = {name: float(value) for (name, _), value in zip(labels, mass, strict=True)}
    return LabelResponse(named, max(0.0, 1.0 - float(mass.sum())), "exact", others=others)


def decoded_vocabulary(tokenizer: Any) -> list[str | None]:
    """Decode every token id by itself; None for special tokens, which stand for no text.

    Returns
    -------
    list, shape (vocabulary,)
    """
    special = set(tokenizer.all_special_ids)
    return [
        None if i in special else tokenizer.decode([i], clean_up_tokenization_spaces=False)
        for i in range(len(tokenizer))
    ]


def blank_tokens(vocabulary: Sequence[str | None]) -> frozenset[int]:
    """Find the tokens that are white space only (the bare "▁" decodes to the empty text)."""
    return frozenset(i for i, text in enumerate(vocabulary) if text is not None and not text.strip())


def label_classes(vocabulary: Sequence[str | None], labels: Labels) -> NDArray[np.int64]:
    """Find the label for which each token stands (see :func:`~probsense.analysis.distributions.labels.token_classes`).

    Parameters
    ----------
    vocabulary : sequence of str or None, shape (vocabulary,)
        Decoded tokens; None stands for no label.
    labels : sequence of (name, surface forms)

    Returns
    -------
    ndarray of int, shape (vocabulary,)
        Index of the label, or ``OTHER``.

    Raises
    ------
    InputError
        If a surface form has no letter or digit, or two labels share one.
    ModelError
        If no single token stands for one of the labels: its mass would be 0 whatever the model thinks.
    """
    classes = token_classes(vocabulary, labels)
    for index, (name, _) in enumerate(labels):
        if not (classes == index).any():
            raise ModelError(f"no single token of the vocabulary stands for the label {name!r}")
    return classes


def top_tokens_response(
    request: LabelRequest,
    top: Sequence[tuple[str, float]],
    note: str = "",
    server: Mapping[str, Json] | None = None,
) -> LabelResponse:
    """Compute the mass of each label as a share of all words, with the bounds between which it must lie.

    Parameters
    ----------
    request : LabelRequest
    top : sequence of (str, float)
        The most probable tokens, the most probable first: the text of each with its log-probability (nats).
    note : str
        How the model treated a first token that is white space only.
    server : Mapping, optional
        A server's statements with the answer.
    """
    logprobs = np.array([logprob for _, logprob in top])
    classes = token_classes([text for text, _ in top], request.labels)
    names = [name for name, _ in request.labels]
    *mass, other = top_k_share(logprobs, classes, labels=len(names)).tolist()
    low, high = (end.tolist() for end in top_k_bounds(logprobs, classes, labels=len(names)))
    others = [token for token, k in zip(top, classes, strict=True) if k == OTHER][:OTHERS]
    return LabelResponse(
        dict(zip(names, mass, strict=True)),
        other,
        "topk",
        note,
        server,
        {name: (low[k], high[k]) for k, name in enumerate(names)},
        tuple((text, math.exp(logprob)) for text, logprob in others),
    )
