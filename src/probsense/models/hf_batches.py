"""Batches for a causal language model: sorted, padded, within a budget, and only the rows that are wanted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from probsense.errors import InputError, ModelError
from probsense.models.align import Ids

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")


class Need(NamedTuple):
    """A sequence to feed, and the first position whose next-token distribution is wanted (and all after)."""

    ids: Ids
    first: int


@dataclass(slots=True)
class Runner:
    """A network with what it may be given at once.

    Attributes
    ----------
    network : Any
        A causal language model of ``transformers``.
    vocabulary : int
        Logits in a row.
    context : int or None
        The longest sequence it takes, where it says so.
    tokens : int
        Positions in a forward pass, padding included. It shrinks where memory runs out.
    cells : int
        Logits in a forward pass. It shrinks where memory runs out.
    """

    network: Any
    vocabulary: int
    context: int | None
    tokens: int
    cells: int = 2**27


def check_length(runner: Runner, length: int, item: str) -> None:
    """Refuse a sequence that is longer than the model takes.

    Raises
    ------
    InputError
        Naming the item, its length and the model's.
    """
    if runner.context is not None and length > runner.context:
        name = f"item {item}" if item else "a request"
        raise InputError(f"{name} needs {length} tokens, and the model takes {runner.context}")


def in_batches(
    runner: Runner, needs: Sequence[Need], run: Callable[[list[int]], T]
) -> Iterator[tuple[list[int], T]]:
    """Run over all sequences, longest first, in batches within the budget.

    Sequences of nearly the same length share a batch. The first batch is the largest, so that a budget too
    big for the memory shows at once; then half of what was tried becomes the budget, and the same sequences
    are tried again.

    Parameters
    ----------
    runner : Runner
    needs : sequence of Need
        Of the same length, they keep their order.
    run : callable
        What to do with a batch, given as indices into ``needs``.

    Yields
    ------
    (list of int, T)
        A batch, and what ``run`` gave for it.

    Raises
    ------
    ModelError
        If one sequence alone does not fit into memory.
    """
    order = sorted(range(len(needs)), key=lambda i: -len(needs[i].ids))
    start = 0
    while start < len(order):
        batch = order[start : start + _fitting(runner, (needs[i] for i in islice(order, start, None)))]
        try:
            result = run(batch)
        except RuntimeError as error:
            if not _out_of_memory(error):
                raise
            positions, rows = _size([needs[i] for i in batch])
            if len(batch) == 1:
                raise ModelError(f"out of memory for a single sequence of {positions} tokens") from None
            runner.tokens, runner.cells = positions // 2, rows * runner.vocabulary // 2
        else:
            yield batch, result
            start += len(batch)
            continue
        _free()  # outside the handler, which kept the failed pass in memory


def next_token_logits(network: Any, batch: Sequence[Need]) -> Tensor:
    """Logits at the wanted positions, sequence after sequence, in at least float32.

    The sequences are padded on the right, where causal attention does not look. The head computes only the
    positions that some sequence of the batch wants, if the network's ``forward`` knows ``logits_to_keep``.

    Returns
    -------
    Tensor, shape (sum of len(ids) - first over the batch, vocabulary)
    """
    import torch

    tokens, mask = padded([need.ids for need in batch], left=False)
    low = min(need.first for need in batch)
    device = next(network.parameters()).device
    keep: dict[str, Tensor] = {}
    if "logits_to_keep" in inspect.signature(network.forward).parameters:
        keep["logits_to_keep"] = torch.arange(low, tokens.shape[1], device=device)
    with torch.inference_mode():
        output = network(input_ids=tokens.to(device), attention_mask=mask.to(device), use_cache=False, **keep)
        logits = output.logits if keep else output.logits[:, low:]
        wanted = [logits[i, need.first - low : len(need.ids) - low] for i, need in enumerate(batch)]
        return torch.cat(wanted).to(torch.promote_types(logits.dtype, torch.float32))


def padded(sequences: Sequence[Ids], *, left: bool) -> tuple[Tensor, Tensor]:
    """Token ids and attention mask, each of shape (sequences, longest); the padding is masked."""
    import torch

    longest = max(map(len, sequences))
    tokens = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for row, ids in enumerate(sequences):
        place = slice(longest - len(ids), longest) if left else slice(0, len(ids))
        tokens[row, place] = torch.tensor(ids)
        mask[row, place] = 1
    return tokens, mask


def _size(batch: Sequence[Need]) -> tuple[int, int]:
    """Positions and logit rows of a padded batch."""
    longest = max(len(need.ids) for need in batch)
    return len(batch) * longest, len(batch) * (longest - min(need.first for need in batch))


def _fitting(runner: Runner, needs: Iterator[Need]) -> int:
    """How many of the sequences, longest first, make the next batch: one at least, as many as fit."""
    first = next(needs)
    longest, low, count = len(first.ids), first.first, 1
    for need in needs:
        low = min(low, need.first)
        size = count + 1
        if size * longest > runner.tokens or size * (longest - low) * runner.vocabulary > runner.cells:
            break
        count = size
    return count


def _out_of_memory(error: RuntimeError) -> bool:
    import torch

    # On CPU and MPS it is a plain RuntimeError that says so.
    words = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, torch.OutOfMemoryError) or any(word in str(error) for word in words)


def _free() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
