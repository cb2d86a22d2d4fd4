"""Next-token distributions of a causal language model: the requests for them, the rows that come back, the cost."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from probsense.models.align import Ids
from probsense.models.base import Usage

if TYPE_CHECKING:
    from torch import Tensor


NOTHING: Ids = np.empty(0, np.int32)


class Need(NamedTuple):
    """A sequence to feed, and the first position whose next-token distribution is wanted (with all later ones).

    The encoder of an encoder–decoder model reads ``source``, and its decoder reads ``ids``.
    """

    ids: Ids
    first: int
    source: Ids = NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Next-token distributions that arrive together.

    ``logits[row[i]]`` is the distribution after position ``position[i]`` of need ``need[i]``.

    Attributes
    ----------
    logits : Tensor, shape (rows, vocabulary)
        In float32 at least.
    need, position, row : ndarray of int, shape (k,)
    """

    logits: Tensor
    need: NDArray[np.int64]
    position: NDArray[np.int64]
    row: NDArray[np.int64]


class Reader(Protocol):
    """A way to get all the wanted rows out of a network."""

    def __call__(
        self, runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]
    ) -> Iterator[list[int]]:
        """Show every wanted row to ``consume`` once (or again, where memory ran out meanwhile).

        Yields
        ------
        list of int
            The needs whose rows are now all known; each need comes once.
        """


@dataclass(slots=True)
class Runner:
    """A network, and the limits within which it is fed.

    Attributes
    ----------
    network : Any
        A language model of ``transformers``.
    vocabulary : int
        Logits in a row.
    context : int or None
        The longest sequence it takes, where it says so.
    tokens : int
        Positions in a forward pass, padding included. The number shrinks where memory runs out.
    read : Reader
        Feeds the sequences.
    truncate : bool
        Whether to drop the beginning of texts that are longer than the network takes.
    cells : int
        Logits in a forward pass. The number shrinks where memory runs out.
    usage : Usage
        The resources that answers have used so far.
    """

    network: Any
    vocabulary: int
    context: int | None
    tokens: int
    read: Reader
    truncate: bool = False
    cells: int = 2**27
    usage: Usage = field(default_factory=Usage)

    def count(self, usage: Usage) -> None:
        """Add to the resources that answers have used."""
        self.usage += usage

    @property
    def device(self) -> Any:
        """The device for the network's inputs."""
        return next(self.network.parameters()).device


def next_token_logits(network: Any, rows: Tensor, **inputs: Any) -> Tensor:
    """Compute the logits at some positions, in at least float32.

    The head computes only these, if the network's ``forward`` knows ``logits_to_keep``.

    Parameters
    ----------
    network : Any
    rows : Tensor of int, shape (k,)
        The positions, on the CPU: the head may lie on another device than the inputs.
    **inputs
        For the network's ``forward``, which keeps no cache unless they say so.

    Returns
    -------
    Tensor, shape (sequences, k, vocabulary)
    """
    import torch

    keeps = "logits_to_keep" in inspect.signature(network.forward).parameters
    with torch.inference_mode():
        output = network(**{"use_cache": False, **inputs}, **({"logits_to_keep": rows} if keeps else {}))
        logits: Tensor = output.logits if keeps else output.logits[:, rows]
        return logits.to(torch.promote_types(logits.dtype, torch.float32))


def out_of_memory(error: RuntimeError) -> bool:
    """Whether a forward pass failed for want of memory; a smaller pass may succeed."""
    import torch

    # On CPU and MPS a plain RuntimeError says so.
    words = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, torch.OutOfMemoryError) or any(word in str(error) for word in words)


def free_memory() -> None:
    """Release the memory that a failed forward pass left behind."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
