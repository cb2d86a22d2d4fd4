"""Which tokens of a vocabulary stand for which label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.errors import InputError, ModelError

OTHER = -1


def decoded_vocabulary(tokenizer: Any) -> list[str | None]:
    """The text of every token id by itself; None for special tokens, which stand for no text.

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
    """Ids of the tokens that are white space only (the bare "▁" decodes to nothing at all)."""
    return frozenset(i for i, text in enumerate(vocabulary) if text is not None and not text.strip())


def letters(text: str, *, digits: bool = False) -> str:
    """Lower-case ASCII letters (and digits, where asked for) of a text: everything else is dropped.

    The judgments specification, section 2.1.
    """
    return re.sub(r"[^a-z0-9]" if digits else r"[^a-z]", "", text.lower())


def label_classes(
    vocabulary: Sequence[str | None], labels: Sequence[tuple[str, Sequence[str]]]
) -> NDArray[np.int64]:
    """The label for which each token stands.

    A token stands for a label if the two are equal once only their lower-case ASCII letters are kept; digits
    are kept too where a surface form has any.

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
        If a surface form has no ASCII letter or digit, or two labels share one.
    ModelError
        If no single token stands for one of the labels: its mass would be 0 whatever the model thinks.
    """
    digits = any(character.isdigit() for _, forms in labels for form in forms for character in form)
    owner: dict[str, int] = {}
    for index, (name, forms) in enumerate(labels):
        for form in forms:
            key = letters(form, digits=digits)
            if not key:
                raise InputError(f"the form {form!r} of label {name!r} has no ASCII letter or digit")
            if owner.setdefault(key, index) != index:
                raise InputError(f"the labels {labels[owner[key]][0]!r} and {name!r} share the form {key!r}")
    classes = np.array(
        [owner.get(letters(text or "", digits=digits), OTHER) for text in vocabulary], dtype=np.int64
    )
    for index, (name, _) in enumerate(labels):
        if not (classes == index).any():
            raise ModelError(f"no single token of the vocabulary stands for the label {name!r}")
    return classes
