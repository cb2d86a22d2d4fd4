"""Asks an engine of vLLM about prompts: probabilities of chosen next tokens, and of the tokens of a prompt itself.

The module follows from what vLLM 0.32 does:

- An engine keeps the keys and values of whole blocks of tokens (16 on a GPU), and a later prompt that begins alike
  takes them over. It then computes no probabilities for these tokens. What it returns in their place is whatever the
  memory held before, or nothing. The first token with a probability of its own is number ``num_cached_tokens + 1``.
- ``logprob_token_ids`` takes up to 128 tokens and gives their exact probabilities, with that of the most probable one.
- A request for the most probable tokens gets wrong ones where it stands in a batch with such a request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import ModelError
from probsense.models.base import Usage, one_line
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Runner, out_of_memory

MOST_TOKENS = 128
"""How many next tokens one request may name."""
CHUNK = 2**16
"""How many tokens of prompts are handed over together; the engine makes batches of them, and then answers come."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """An engine, in the place of a network.

    Attributes
    ----------
    engine : Any
        A ``vllm.LLM``.
    parameters : Any
        The class ``vllm.SamplingParams``.
    ends : frozenset of int
        The tokens that end a text.
    """

    engine: Any
    parameters: Any
    ends: frozenset[int]


@dataclass(slots=True, eq=False)
class Question:
    """A prompt, and what is to be known about it.

    Attributes
    ----------
    ids : ndarray of int, shape (n,)
    tokens : list of int
        At most ``MOST_TOKENS`` next tokens.
    top : int
        How many of the most probable next tokens; a question that asks for them names no tokens.
    rows : int
        Number of the first token of the prompt whose own probability is asked for, with all later ones; n for none.
    """

    ids: Ids
    tokens: list[int]
    top: int
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The answer to a question.

    Attributes
    ----------
    next : Mapping
        Log-probability (nats) of the next tokens that were asked for, and of the most probable one.
    best : int
        The most probable next token.
    rows : ndarray, shape (n - rows,)
        Log-probabilities (nats) of the tokens of the prompt.
    """

    next: Mapping[int, float]
    best: int
    rows: NDArray[np.float64]


def read(
    runner: Runner, questions: Sequence[Question], needed: Sequence[Sequence[int]]
) -> Iterator[tuple[list[int], Mapping[int, Known]]]:
    """Answer questions, those that begin alike together.

    Parameters
    ----------
    runner : Runner
        Its network is a :class:`Network`.
    questions : sequence of Question
    needed : sequence of sequence of int
        For each consumer the questions whose answers it needs.

    Yields
    ------
    (list of int, Mapping)
        The consumers that now have all they need, each once; all answers so far.
    """
    known: dict[int, Known] = {}
    missing = [len(set(places)) for places in needed]
    consumers: list[list[int]] = [[] for _ in questions]
    for consumer, places in enumerate(needed):
        for k in set(places):
            consumers[k].append(consumer)
    for part in in_parts([question.ids for question in questions]):
        named = [k for k in part if not questions[k].top]
        for group in (named, [k for k in part if questions[k].top]):
            known |= zip(group, _answers(runner, [questions[k] for k in group]), strict=True)
        ready = []
        for k in part:
            for consumer in consumers[k]:
                missing[consumer] -= 1
                if not missing[consumer]:
                    ready.append(consumer)
        yield ready, known


def in_parts(prompts: Sequence[Ids]) -> Iterator[list[int]]:
    """Yield indices of prompts in their lexicographic order, in parts of about ``CHUNK`` tokens.

    A prompt stands before those that it begins, so the engine has its keys and values when they come.
    """
    order = sorted(range(len(prompts)), key=lambda i: prompts[i].astype(">i4").tobytes())
    part: list[int] = []
    size = 0
    for i in order:
        if part and size + len(prompts[i]) > CHUNK:
            yield part
            part, size = [], 0
        part.append(i)
        size += len(prompts[i])
    if part:
        yield part


def generate(runner: Runner, prompts: Sequence[Ids], parameters: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Hand prompts to the engine, and count what it computes.

    Returns
    -------
    list
        A ``RequestOutput`` for each prompt.

    Raises
    ------
    ModelError
        If the engine fails.
    """
    network: Network = runner.network
    if not prompts:
        return []
    try:
        outputs: list[Any] = network.engine.generate(
            [{"prompt_token_ids": ids.tolist()} for ids in prompts],
            [network.parameters(**one) for one in parameters],
            use_tqdm=False,
        )[-len(prompts) :]  # Answers to a call that was interrupted may stand before them.
    except Exception as error:  # Any error of the libraries below: the user gets one line.
        raise ModelError(f"vLLM failed: {failure(error)}") from None
    runner.count(
        Usage(tokens=sum(len(ids) - cached(output) for ids, output in zip(prompts, outputs, strict=True)))
    )
    return outputs


def failure(error: Exception) -> str:
    """Return an error of the engine as one line, with the options that help where memory ran out."""
    said = one_line(error).rpartition("Value error, ")[
        2
    ]  # The library that checks its options says so first.
    short = isinstance(error, RuntimeError) and out_of_memory(error)
    if short or "memory" in said.lower():
        said += " (smaller --max-model-len, or another --gpu-memory-utilization)"
    return said


def cached(output: Any) -> int:
    """Return the number of tokens of a prompt that the engine had from earlier ones."""
    return output.num_cached_tokens or 0


def _answers(runner: Runner, questions: Sequence[Question]) -> list[Known]:
    """Ask with the cache, then without it where that hid probabilities that are wanted."""
    found = _asked(runner, questions, fresh=False)
    again = [k for k, one in enumerate(found) if one is None]
    for k, one in zip(again, _asked(runner, [questions[k] for k in again], fresh=True), strict=True):
        found[k] = one
    answers = [one for one in found if one is not None]
    if len(answers) < len(found):
        raise ModelError("vLLM does not give the log-probabilities of a prompt's tokens")
    return answers


def _asked(runner: Runner, questions: Sequence[Question], *, fresh: bool) -> list[Known | None]:
    outputs = generate(
        runner,
        [question.ids for question in questions],
        [_parameters(question, fresh) for question in questions],
    )
    return [_known(question, output) for question, output in zip(questions, outputs, strict=True)]


def _parameters(question: Question, fresh: bool) -> dict[str, Any]:
    named = {"logprob_token_ids": question.tokens} if question.tokens else {}
    return {
        "max_tokens": 1,
        "temperature": 0.0,
        "detokenize": False,
        "ignore_eos": True,
        "flat_logprobs": True,
        "logprobs": len(question.tokens) or question.top,
        **named,
        "prompt_logprobs": 0 if question.rows < len(question.ids) else None,
        "skip_reading_prefix_cache": fresh,
    }


def _known(question: Question, output: Any) -> Known | None:
    """Read an answer; None if the cache hid a part of it.

    Raises
    ------
    ModelError
        If a next token that was asked for is missing.
    """
    written = output.outputs[0]
    following = {token: one.logprob for token, one in written.logprobs[0].items()}
    lacking = [token for token in question.tokens if token not in following]
    if lacking:
        raise ModelError(f"vLLM does not give the log-probability of token {lacking[0]}, which was asked for")
    count = len(question.ids) - question.rows
    rows = np.empty(count)
    if count:
        if cached(output) >= question.rows:
            return None
        shown = output.prompt_logprobs
        # Counted from the end: the rows of cached tokens may be missing or hold anything.
        for back, token in enumerate(reversed(question.ids[question.rows :].tolist()), start=1):
            row = (shown[-back] or {}) if shown and back <= len(shown) else {}
            if token not in row:
                return None
            rows[-back] = row[token].logprob
    return Known(following, written.token_ids[0], rows)
