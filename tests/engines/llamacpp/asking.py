"""What is asked of llama.cpp and of transformers alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from probsense.models.base import Batch

STORY = "Tom stands left of Ann. Ann stands left of Bo.\n\nIs it TRUE or FALSE that Tom stands left of {}?"
TRUTH = (("true", ("TRUE",)), ("false", ("FALSE",)))


def ask(verb: Callable[[Sequence[Any]], Iterator[Batch[Any]]], *requests: Any) -> list[Any]:
    """Return the answers to requests, in their order."""
    found = {i: answer for batch in verb(requests) for i, answer in batch}
    assert len(found) == len(requests)
    return [found[i] for i in range(len(requests))]
