"""Asks an engine of vLLM how probable chosen tokens are after prompts, and tokens one after the other.

The module follows from what vLLM 0.32 does:

- An engine keeps the keys and values of whole blocks of tokens, and a later prompt that begins alike takes them over,
  also in the same pass. It computes the rest of the prompt, at least one token, and gives no right probabilities for
  tokens that it took over. So nothing is asked about a token within a prompt. Several tokens in a row are dictated:
  the engine writes them after the prompt, each at the price of one token, and says how probable each was.
- ``logprob_token_ids`` takes up to 128 tokens and gives their exact probabilities, with that of the token that is
  written. It does so before a token is dictated.
- A request for the most probable tokens gets wrong ones where it stands in a batch with such a request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A prompt, and which tokens may come next.

    Attributes
    ----------
    ids : ndarray of int, shape (n,)
    tokens : list of int
        At most ``MOST_TOKENS`` next tokens.
    top : int
        How many of the most probable next tokens; a question that asks for them names no tokens.
    text : tuple of int
        Tokens that are dictated, the first one among ``tokens``; without any the engine writes what it likes.
    """

    ids: Ids
    tokens: list[int]
    top: int = 0
    text: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The answer to a question.

    Attributes
    ----------
    steps : sequence of Mapping
        Log-probability (nats) of the next tokens that were asked for, and of the one that was written, which is the
        most probable one or dictated. After a dictated one follow those of the next step.
    written : int
        The first token that was written.
    """

    steps: Sequence[Mapping[int, float]]
    written: int


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
    cached = sum(
        output.num_cached_tokens or 0 for output in outputs
    )  # The engine had them from earlier prompts.
    runner.count(Usage(tokens=sum(map(len, prompts)) - cached))
    return outputs


def failure(error: Exception) -> str:
    """Return an error of the engine as one line, with the options that help where memory ran out."""
    # The library that checks its options begins so.
    said = one_line(error).rpartition("Value error, ")[2]
    short = isinstance(error, RuntimeError) and out_of_memory(error)
    if short or "memory" in said.lower():
        said += " (smaller max_model_len, or another gpu_memory_utilization)"
    return said


def _answers(runner: Runner, questions: Sequence[Question]) -> list[Known]:
    outputs = generate(runner, [question.ids for question in questions], [*map(_parameters, questions)])
    # The last token of a text is not fed.
    runner.count(Usage(tokens=sum(max(0, len(question.text) - 1) for question in questions)))
    return [_known(question, output) for question, output in zip(questions, outputs, strict=True)]


def _parameters(question: Question) -> dict[str, Any]:
    named = {"logprob_token_ids": question.tokens} if question.tokens else {}
    dictated = {"extra_args": {"dictated": [*question.text]}} if question.text else {}
    return {
        "max_tokens": len(question.text) or 1,
        "temperature": 0.0,
        "detokenize": False,
        "ignore_eos": True,
        "flat_logprobs": True,
        "logprobs": len(question.tokens) or question.top,
        **named,
        **dictated,
    }


def _known(question: Question, output: Any) -> Known:
    """Read an answer.

    Raises
    ------
    ModelError
        If the engine wrote something else than was dictated, or a token that was asked for is missing.
    """
    answer = output.outputs[0]
    written = tuple(answer.token_ids)
    if question.text and written != question.text:
        raise ModelError("vLLM does not write the tokens that are dictated to it")
    steps = [{token: one.logprob for token, one in answer.logprobs[k].items()} for k in range(len(written))]
    lacking = [token for token in question.tokens if token not in steps[0]]
    if lacking:
        raise ModelError(f"vLLM does not give the log-probability of token {lacking[0]}, which was asked for")
    return Known(steps, written[0])
