"""Texts drawn from next-token distributions, the same for a request in any batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError
from probsense.core.records import SampleRequest, SampleResponse, request_key
from probsense.models.base import Batch
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Runner
from probsense.models.prompts.thoughts import KNOWN

if TYPE_CHECKING:
    from torch import Tensor


def sample(
    runner: Runner, write: Writer, tokenizer: Any, prompts: Sequence[Ids], requests: Sequence[SampleRequest]
) -> Iterator[Batch[SampleResponse]]:
    """Yield texts after each prompt; at temperature 0 the most probable one, n times.

    The random numbers of a text come from a generator of its own, seeded by the content of the request (its seed is
    part of it) and the number of the text, so that no draw depends on its neighbours.

    Parameters
    ----------
    runner : Runner
    write : Writer
        The way in which the network writes.
    tokenizer : Any
    prompts : sequence of ndarray of int
        Tokens of the requests' prompts.
    requests : sequence of SampleRequest

    Raises
    ------
    InputError
        If a request asks for something impossible, or is longer than the model takes.
    """
    for request in requests:
        _check(request)
    numbers = [(i, d) for i, r in enumerate(requests) for d in range(r.n if r.temperature else 1)]
    texts: dict[int, dict[int, Any]] = defaultdict(dict)
    marks = thought_marks(tokenizer)

    def text(ids: list[int]) -> str:
        parts = ((mark, [*part]) for mark, part in groupby(ids, marks.get))
        return "".join(
            str(tokenizer.decode(part, skip_special_tokens=True, clean_up_tokenization_spaces=False))
            if mark is None
            else mark * len(part)
            for mark, part in parts
        )

    for how in dict.fromkeys(_settings(request) for request in requests):
        group = [(i, d) for i, d in numbers if _settings(requests[i]) == how]
        draws = [Draw(prompts[i], _uniforms(requests[i], d)) for i, d in group]

        # A stop string has just been completed, if it is there: none of its tokens stands for less than a byte of it.
        tail = 2 * max((len(stop.encode()) for stop in how.stop), default=0)

        def stopped(ids: list[int], how: SampleRequest = how, tail: int = tail) -> bool:
            return any(stop in text(ids[-tail:]) for stop in how.stop)

        for batch in write(runner, draws, how, stopped):
            ready: Batch[SampleResponse] = []
            for k, ids in batch:
                i, d = group[k]
                thinks, n = requests[i].thinks, requests[i].n
                texts[i][d] = _ended(text(ids), how.stop, full=thinks or len(ids) == how.max_tokens), len(ids)
                if len(texts[i]) == (n if how.temperature else 1):
                    drawn = texts.pop(i)
                    ended, sizes = zip(*(drawn.get(d, drawn[0]) for d in range(n)), strict=True)
                    written, cut = zip(*ended, strict=True)
                    ready.append((i, SampleResponse(written, cut=cut, sizes=sizes if thinks else None)))
            yield ready


def thought_marks(tokenizer: Any) -> dict[int, str]:
    """Find the special tokens of which markers of thoughts consist, with their texts: they have to stay in texts."""
    markers = [text for one in KNOWN if not one.first for text in (one.start, one.mark, one.between, one.end)]
    added = {token for token, one in getattr(tokenizer, "added_tokens_decoder", {}).items() if one.special}
    names = {i: str(tokenizer.convert_ids_to_tokens(i)) for i in added.union(tokenizer.all_special_ids)}
    return {token: name for token, name in names.items() if name and any(name in one for one in markers)}


def _settings(request: SampleRequest) -> SampleRequest:
    """Return what the draws of one batch share: a request without its words and its seed."""
    return replace(request, prompt="", n=1, seed=0, turns=(), item="", system="", thought=None)


def _check(request: SampleRequest) -> None:
    for name, fits, expected in (
        ("n", request.n >= 1, "at least 1"),
        ("max_tokens", request.max_tokens >= 1, "at least 1"),
        ("temperature", 0 <= request.temperature < float("inf"), "a finite number, at least 0"),
        ("top_p", 0 < request.top_p <= 1, "above 0, at most 1"),
        ("top_k", request.top_k >= 0, "at least 0"),
        ("min_p", 0 <= request.min_p <= 1, "from 0 to 1"),
        ("stop", "" not in request.stop, "strings of at least one character"),
    ):
        if not fits:
            raise InputError(f"{name} {getattr(request, name)!r}", expected=expected)


def _uniforms(request: SampleRequest, draw: int) -> NDArray[np.float64]:
    return np.random.default_rng([int(request_key(request), 16), draw]).random(request.max_tokens)


def _ended(text: str, stops: Sequence[str], *, full: bool) -> tuple[str, bool]:
    """End a text at its first stop string; without one, a text of all the tokens it may have is cut."""
    found = [text.find(stop) for stop in stops if stop in text]
    return text[: min(found, default=len(text))], full and not found


Stopped: TypeAlias = Callable[[list[int]], bool]
"""Says whether tokens hold a stop string."""

FIRST_LOOK = 128
"""How many of the most probable tokens are looked at first to find the nucleus; then eight times as many, and so on."""


def draw_texts(
    logits: Tensor,
    uniforms: NDArray[np.float64],
    how: SampleRequest,
    ends: Collection[int],
    stopped: Stopped,
    feed: Callable[[list[int], NDArray[np.int64]], Tensor],
) -> list[list[int]]:
    """Draw texts side by side, token after token; a text that has ended costs nothing more.

    Parameters
    ----------
    logits : Tensor, shape (texts, vocabulary)
        After the prompt of each text.
    uniforms : ndarray, shape (texts, max_tokens)
        Random numbers, at least 0 and below 1.
    how : Settings
    ends : collection of int
        The tokens that end a text; they are not part of it.
    stopped : Stopped
    feed : callable
        Takes the rows that go on, numbered among those of the last logits, and the next token of each; gives their
        logits.

    Returns
    -------
    list of list of int
        The tokens of each text.
    """
    texts: list[list[int]] = [[] for _ in uniforms]
    alive = np.arange(len(texts))
    for step in range(how.max_tokens):
        tokens = draw_tokens(logits, uniforms[alive, step], how)
        going = []
        for row, (text, token) in enumerate(zip(alive.tolist(), tokens.tolist(), strict=True)):
            if token in ends:
                continue
            texts[text].append(token)
            if not (how.stop and stopped(texts[text])):
                going.append(row)
        if not going or step == how.max_tokens - 1:
            break
        alive = alive[going]
        logits = feed(going, tokens[going])
    return texts


def draw_tokens(logits: Tensor, uniforms: NDArray[np.float64], how: SampleRequest) -> NDArray[np.int64]:
    """Draw a token from each row, by the inverse of its cumulative distribution in the order of the vocabulary.

    In this order, unlike in that of the probabilities, two tokens that are nearly as probable cannot swap places by
    rounding: a draw depends on the rounding of its batch only as far as that moves the cumulative distribution.

    Parameters
    ----------
    logits : Tensor, shape (rows, vocabulary)
        In float32 at least.
    uniforms : ndarray, shape (rows,)
        Random numbers, at least 0 and below 1; not read at temperature 0.
    how : Settings
        The nucleus is that of Holtzman et al. 2020 ("The Curious Case of Neural Text Degeneration", section 3.1),
        after the temperature.

    Returns
    -------
    ndarray of int, shape (rows,)
    """
    if how.temperature == 0:
        found: NDArray[np.int64] = logits.argmax(-1).cpu().numpy()
        return found
    scaled = logits / how.temperature
    if (how.top_p, how.top_k, how.min_p) == (1, 0, 0):
        ids, kept = None, scaled.softmax(-1).cpu().double().numpy()
    else:
        ids, kept = _nucleus(scaled, how)
    cumulative = kept.cumsum(-1)
    aims = uniforms[:, None] * cumulative[:, -1:]
    # The product may round up to the whole mass, which only tokens without any would exceed.
    place = np.minimum((cumulative <= aims).sum(-1), (cumulative < cumulative[:, -1:]).sum(-1))
    return place if ids is None else np.take_along_axis(ids, place[:, None], -1)[:, 0]


def _nucleus(scaled: Tensor, how: SampleRequest) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the tokens of each row that may be drawn without sorting the whole vocabulary.

    The most probable tokens share the whole probability before the nucleus is found, and what is improbable beside the
    first is left out at last, as transformers does it.

    Returns
    -------
    (ndarray of int, ndarray), both of shape (rows, k)
        Tokens in the order of the vocabulary, and their probabilities, 0 outside the nucleus.
    """
    size = min(how.top_k, scaled.shape[-1]) if how.top_k else scaled.shape[-1]
    whole = (scaled.topk(size, dim=-1).values if how.top_k else scaled).logsumexp(-1, keepdim=True)
    looked = FIRST_LOOK
    while True:
        looked = min(looked, size)
        top = scaled.topk(looked, dim=-1)
        p = (top.values - whole).exp().cpu().double().numpy()
        mass = p.cumsum(-1)
        if looked == size or (how.top_p < 1 and (mass[:, -1] >= how.top_p).all()):
            break
        looked *= 8
    p[(mass - p >= how.top_p) | (p < how.min_p * p[:, :1])] = 0
    ids: NDArray[np.int64] = top.indices.cpu().numpy()
    order = ids.argsort(-1)
    return np.take_along_axis(ids, order, -1), np.take_along_axis(p, order, -1)


Written = list[tuple[int, list[int]]]
"""Pairs of a draw's index and the tokens that the network wrote, without the one that ends a text."""


class Draw(NamedTuple):
    """A text to write: the prompt, and a random number for each of its tokens, shape (max_tokens,)."""

    prompt: Ids
    uniforms: NDArray[np.float64]


class Writer(Protocol):
    """A way to let a network write."""

    def __call__(
        self, runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped
    ) -> Iterator[Written]:
        """Yield every text once, in batches."""
