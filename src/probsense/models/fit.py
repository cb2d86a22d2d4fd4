"""Refuses texts that are longer than the model takes, or cuts their beginning where the user wants it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probsense.core.errors import InputError
from probsense.models.align import AlignedTokens, Ids
from probsense.models.base import Usage
from probsense.models.reading import Runner


def fit_options(
    runner: Runner, entries: Sequence[AlignedTokens], head: int, item: str
) -> list[AlignedTokens]:
    """Cut the options of one request so that they all follow the same part of the prefix.

    Parameters
    ----------
    runner : Runner
    entries : sequence of AlignedTokens
    head : int
        How many leading special tokens stay.
    item : str
        Names the item in the error.

    Raises
    ------
    InputError
        If a text is too long and must not be cut, or an option alone is too long.
    """
    # The last token is predicted, not fed.
    excess = _excess(runner, max((len(entry.ids) - 1 for entry in entries), default=0), item)
    if not excess:
        return list(entries)
    if excess >= min(entry.option for entry in entries) - head:
        raise InputError(
            f"{_name(item)} has options that leave no room for a prefix in {runner.context} tokens"
        )
    runner.count(Usage(truncated=1))
    return [
        AlignedTokens(
            _cut(entry.ids, head, excess), entry.option - excess, entry.suffix - excess, entry.straddles
        )
        for entry in entries
    ]


def fit_prompt(runner: Runner, ids: Ids, room: int, head: int, item: str) -> Ids:
    """Cut a prompt so that the model has room for some more tokens after it.

    Raises
    ------
    InputError
        If the prompt is too long and must not be cut.
    """
    excess = _excess(runner, len(ids) + room, item)
    if not excess:
        return ids
    if excess >= len(ids) - head:
        raise InputError(f"{_name(item)} wants {room} tokens more, and the model takes {runner.context}")
    runner.count(Usage(truncated=1))
    return _cut(ids, head, excess)


def _excess(runner: Runner, length: int, item: str) -> int:
    """Count the tokens that must go."""
    if runner.context is None or length <= runner.context:
        return 0
    if not runner.truncate:
        raise InputError(
            f"{_name(item)} needs {length} tokens, and the model takes {runner.context}",
            expected="a shorter text, or truncate='left' to drop its beginning",
        )
    return length - runner.context


def _name(item: str) -> str:
    return f"item {item}" if item else "a request"


def _cut(ids: Ids, head: int, count: int) -> Ids:
    return np.concatenate([ids[:head], ids[head + count :]])
