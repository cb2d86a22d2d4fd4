"""Finds the tokens of a vocabulary that stand for each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import Labels, token_classes
from probsense.core.errors import ModelError


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
    """Find the label for which each token stands (see
    :func:`~probsense.analysis.distributions.label_mass.token_classes`).

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
