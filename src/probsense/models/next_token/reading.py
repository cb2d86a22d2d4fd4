"""Next-token distributions of a network: the requests for them, the rows that come back, and the scores of options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError
from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse, TokenLogprobs
from probsense.models.base import Batch, Usage
from probsense.models.next_token.alignment import AlignedTokens, Ids

if TYPE_CHECKING:
    from torch import Tensor


T = TypeVar("T")
NOTHING: Ids = np.empty(0, np.int32)


class Need(NamedTuple):
    """A sequence to feed, and the first position whose next-token distribution is wanted (with all later ones).

    The encoder of an encoder–decoder model reads ``source``, and its decoder reads ``ids``.
    """

    ids: Ids
    first: int
    source: Ids = NOTHING


class Rows(NamedTuple):
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


def attempt(run: Callable[..., T], *arguments: Any) -> T | None:
    """Run a forward pass; None if memory runs out, and what the pass left behind is released."""
    import torch

    try:
        return run(*arguments)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
    # Outside the handler, which kept the failed pass in memory.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def divide(order: Sequence[int], sizes: Iterable[int], most: int) -> Iterator[list[int]]:
    """Yield indices in their order, in parts of about the same size; ``sizes`` are theirs, in the same order."""
    parts = np.cumsum([*sizes]) // most
    for _, part in groupby(zip(order, parts, strict=True), key=itemgetter(1)):
        yield [i for i, _ in part]


CACHED = 2**18
"""The number of logits that fit into the caches of a CPU."""


def score(
    runner: Runner,
    tokenizer: Any,
    needs: Sequence[Need],
    aligned: Sequence[Sequence[AlignedTokens]],
    requests: Sequence[ScoreRequest],
) -> Iterator[Batch[ScoreResponse]]:
    """Yield the log-probability of every token of every option and suffix.

    Parameters
    ----------
    runner : Runner
    tokenizer : Any
    needs : sequence of Need
        The sequence to feed for each option of each request.
    aligned : sequence of sequence of AlignedTokens
        The tokens of each option of each request.
    requests : sequence of ScoreRequest
    """
    scored = [entry.ids[entry.option :] for group in aligned for entry in group]
    begin = np.cumsum([0, *map(len, scored)])
    first = np.array([need.first for need in needs], dtype=np.int64)
    targets = np.concatenate([*scored, np.empty(0, np.int32)]).astype(np.int64)
    logprobs = np.empty(len(targets))

    def consume(rows: Rows) -> None:
        at = begin[rows.need] + rows.position - first[rows.need]
        logprobs[at] = token_logprobs(rows, targets[at])

    def known(k: int) -> NDArray[np.float64]:
        return logprobs[begin[k] : begin[k + 1]]

    return responses(tokenizer, aligned, requests, runner.read(runner, needs, consume), known)


def responses(
    tokenizer: Any,
    aligned: Sequence[Sequence[AlignedTokens]],
    requests: Sequence[ScoreRequest],
    read: Iterable[Sequence[int]],
    known: Callable[[int], NDArray[np.float64]],
) -> Iterator[Batch[ScoreResponse]]:
    """Yield the response to each request as soon as all of its options are known.

    Parameters
    ----------
    tokenizer : Any
    aligned : sequence of sequence of AlignedTokens
        The tokens of each option of each request.
    requests : sequence of ScoreRequest
    read : iterable of sequence of int
        Numbers of options that are now known, counted through all requests.
    known : callable
        Returns the log-probabilities of the tokens of an option and its suffix.
    """
    counts = [len(group) for group in aligned]
    starts = np.cumsum([0, *counts]).tolist()
    owner = np.repeat(np.arange(len(aligned)), counts)

    def response(i: int) -> ScoreResponse:
        options = (
            _option_score(tokenizer, requests[i], j, entry, known(starts[i] + j))
            for j, entry in enumerate(aligned[i])
        )
        return ScoreResponse(tuple(options))

    missing = list(counts)
    yield [(i, ScoreResponse(())) for i, count in enumerate(missing) if not count]
    for done in read:
        ready: Batch[ScoreResponse] = []
        for i in owner[list(done)].tolist():
            missing[i] -= 1
            if not missing[i]:
                ready.append((i, response(i)))
        yield ready


def token_logprobs(rows: Rows, targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log p of the target tokens, each in its row, with the normaliser in float32 or better."""
    import torch

    row = torch.from_numpy(rows.row).to(rows.logits.device)
    target = torch.from_numpy(targets).to(rows.logits.device)
    found = rows.logits[row, target] - _normaliser(rows.logits)[row]
    return found.double().cpu().numpy()


def _normaliser(logits: Tensor) -> Tensor:
    """Return the logarithm of the sum of the exponentials of each row, shape (rows,).

    A CPU takes a few rows at a time: the intermediate values then stay in its caches, which is three times as fast.
    """
    import torch

    if logits.device.type != "cpu" or not len(logits):
        return logits.logsumexp(-1)
    return torch.cat([part.logsumexp(-1) for part in torch.split(logits, max(1, CACHED // logits.shape[1]))])


def _option_score(
    tokenizer: Any, request: ScoreRequest, index: int, aligned: AlignedTokens, logprobs: NDArray[np.float64]
) -> OptionScore:
    count = aligned.suffix - aligned.option

    def piece(text: str, ids: Ids, values: NDArray[np.float64]) -> TokenLogprobs:
        names = tuple(tokenizer.convert_ids_to_tokens(ids.tolist()))
        return TokenLogprobs(tuple(values.tolist()), names, len(text), len(text.encode()))

    return OptionScore(
        option=piece(request.options[index], aligned.ids[aligned.option : aligned.suffix], logprobs[:count]),
        suffix=piece(request.suffix, aligned.ids[aligned.suffix :], logprobs[count:]),
        straddles=aligned.straddles,
    )


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
    longest = max((len(entry.ids) - 1 for entry in entries), default=0)
    excess = _excess(runner, longest, min((entry.option for entry in entries), default=0) - head, item)
    return [
        AlignedTokens(_cut(ids, head, excess), option - excess, suffix - excess, straddles)
        for ids, option, suffix, straddles in entries
    ]


def fit_prompt(runner: Runner, ids: Ids, room: int, head: int, item: str) -> Ids:
    """Cut a prompt so that the model has room for some more tokens after it.

    Raises
    ------
    InputError
        If the prompt is too long and must not be cut.
    """
    return _cut(ids, head, _excess(runner, len(ids) + room, len(ids) - head, item))


def _excess(runner: Runner, length: int, beginning: int, item: str) -> int:
    """Count the tokens that must go from a beginning of so many, and that they go."""
    if runner.context is None or length <= runner.context:
        return 0
    name, excess = f"item {item}" if item else "a request", length - runner.context
    if not runner.truncate:
        raise InputError(
            f"{name} needs {length} tokens, and the model takes {runner.context}",
            expected="a shorter text, fewer tokens to write, or truncate='left' to drop its beginning",
        )
    if excess >= beginning:
        after = length - beginning
        raise InputError(
            f"{name} needs {after} tokens beside its prompt, and the model takes {runner.context}"
        )
    runner.count(Usage(truncated=1))
    return excess


def _cut(ids: Ids, head: int, count: int) -> Ids:
    return np.concatenate([ids[:head], ids[head + count :]]) if count else ids
