"""Label mass in next-token distributions, over the whole vocabulary or the most probable tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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

OPENINGS: Final = frozenset({*"\"'`“”„‟‘’‚«»‹›「『", "**"})
"""Marks that open an answer and say nothing themselves: of quotations in any language, and of strong words in Markdown.

A single asterisk, as a hyphen, opens a list, whose first entry is not the answer."""


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

    Attributes
    ----------
    openings : tuple of int
        The tokens that only open an answer.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = decoded_vocabulary(tokenizer)[:vocabulary]
        self._blank = blank_tokens(self._vocabulary)
        self.openings = opening_tokens(self._vocabulary)
        self._opened: Labels = tuple((f"opening token {token}", ()) for token in self.openings)
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

    def with_openings(self, labels: Labels) -> Labels:
        """Put a label for each token of :attr:`openings` behind the labels, so that its mass is read with theirs."""
        return (*labels, *self._opened)

    def members(self, labels: Labels) -> _Members:
        """Return the tokens that stand for one of the labels, which may be :meth:`with_openings`."""
        if labels not in self._members:
            words = tuple(label for label in labels if label not in self._opened)
            classes = label_classes(self._vocabulary, words)
            for index in range(len(words), len(labels)):
                classes[self.openings[index - len(words)]] = index
            ids = np.flatnonzero(classes != OTHER)
            belongs = (classes[ids, None] == np.arange(len(labels))).astype(np.float64)
            self._members[labels] = _Members(ids, belongs)
        return self._members[labels]


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


def opening_tokens(vocabulary: Sequence[str | None]) -> tuple[int, ...]:
    """Find the tokens that only open an answer: one of :data:`OPENINGS`, with or without white space before it."""
    return tuple(i for i, text in enumerate(vocabulary) if text is not None and text.lstrip() in OPENINGS)


def label_classes(vocabulary: Sequence[str | None], labels: Labels) -> NDArray[np.int64]:
    """Find the label of each token (see :func:`~probsense.analysis.distributions.label_mass.token_classes`).

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
