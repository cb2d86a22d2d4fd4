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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import ModelError, one_line
from probsense.core.records import OTHERS, LabelRequest, SampleRequest, ScoreRequest, ScoreResponse
from probsense.models.base import Batch, Usage
from probsense.models.next_token.alignment import AlignedTokens, Ids
from probsense.models.next_token.label_mass import Found, LabelReader, NextTokens
from probsense.models.next_token.reading import Need, Rows, Runner, divide, out_of_memory, responses
from probsense.models.next_token.texts import Draw, Stopped, Written

MOST_TOKENS = 128
"""How many next tokens one request may name."""
CHUNK = 2**16
"""How many tokens of prompts are handed over together; the engine makes batches of them, and then answers come."""


class Network(NamedTuple):
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


class Question(NamedTuple):
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


Steps: TypeAlias = list[dict[int, float]]
"""The answer to a question: log-probabilities (nats) of the next tokens that were asked for, and of the one that was
written, which is the most probable one or dictated. After a dictated one follow those of the next step."""


def in_parts(prompts: Sequence[Ids]) -> Iterator[list[int]]:
    """Return indices of prompts in their lexicographic order, in parts of about ``CHUNK`` tokens.

    A prompt stands before those that it begins, so the engine has its keys and values when they come.
    """
    order = sorted(range(len(prompts)), key=lambda i: prompts[i].astype(">i4").tobytes())
    return divide(order, (len(prompts[i]) for i in order), CHUNK)


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


def _parameters(question: Question) -> dict[str, Any]:
    return {
        "max_tokens": len(question.text) or 1,
        "temperature": 0.0,
        "detokenize": False,
        "ignore_eos": True,
        "flat_logprobs": True,
        "logprobs": len(question.tokens) or question.top,
        "logprob_token_ids": question.tokens or None,
        "extra_args": {"dictated": [*question.text]} if question.text else None,
    }


def _steps(question: Question, output: Any) -> Steps:
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
    return steps


class Questions:
    """Questions that the engine gets together.

    Each prompt stands once for every 128 next tokens, and for every text that parts from others before its last token.
    """

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self._places: dict[bytes, list[int]] = {}

    def text(self, ids: Ids, tokens: tuple[int, ...]) -> int:
        """Ask how probable tokens after a prompt are, each after those before it; longer texts have to come first.

        A question names its tokens at each step. So a text that leaves another one with its last token is asked about
        with it.

        Returns
        -------
        int
            The number of the question.
        """
        *before, last = tokens
        places = self._places.setdefault(ids.tobytes(), [])
        for k in places:
            asked = self.asked[k]
            if asked.text[: len(before)] != (*before,):
                continue
            if last in (*asked.tokens, *asked.text[len(before) : len(tokens)]):
                return k
            if len(asked.tokens) < MOST_TOKENS:
                asked.tokens.append(last)
                return k
        places.append(self._add(Question(ids, [tokens[0]], text=tokens if before else ())))
        return places[-1]

    def top(self, ids: Ids, count: int) -> int:
        """Ask for the most probable tokens after a prompt, and return the number of the question."""
        return self._add(Question(ids, [], count))

    def _add(self, question: Question) -> int:
        self.asked.append(question)
        return len(self.asked) - 1

    def answers(self, runner: Runner) -> Mapping[int, Steps]:
        """Return the answer to each question, by its number."""
        known: dict[int, Steps] = {}
        for top in (False, True):
            numbers = [k for k, question in enumerate(self.asked) if bool(question.top) is top]
            asked = [self.asked[k] for k in numbers]
            outputs = generate(runner, [question.ids for question in asked], [*map(_parameters, asked)])
            # The last token of a text is not fed.
            runner.count(Usage(tokens=sum(max(0, len(question.text) - 1) for question in asked)))
            known |= zip(numbers, map(_steps, asked, outputs), strict=True)
        return known


def score(
    runner: Runner,
    tokenizer: Any,
    needs: Sequence[Need],
    aligned: Sequence[Sequence[AlignedTokens]],
    requests: Sequence[ScoreRequest],
) -> Iterator[Batch[ScoreResponse]]:
    """Yield the log-probability of every token of every option and suffix.

    Of what follows a prefix, all single tokens are one question, and longer texts are dictated.

    Parameters
    ----------
    runner, tokenizer, needs, aligned, requests
        As for :func:`probsense.models.next_token.reading.score`.
    """
    entries = [entry for group in aligned for entry in group]
    prompts = [entry.ids[: entry.option] for entry in entries]
    texts = [tuple(entry.ids[entry.option :].tolist()) for entry in entries]
    found: dict[int, NDArray[np.float64]] = {}

    def done() -> Iterator[list[int]]:
        for part in in_parts(prompts):
            questions = Questions()
            longest_first = sorted(part, key=lambda k: -len(texts[k]))
            places = {k: questions.text(prompts[k], texts[k]) for k in longest_first}
            known = questions.answers(runner)
            for k, place in places.items():
                steps = zip(known[place], texts[k], strict=False)  # Another text may go on.
                found[k] = np.array([step[token] for step, token in steps])
            runner.count(Usage(naive=sum(len(needs[k].ids) for k in part)))
            yield part

    return responses(tokenizer, aligned, requests, done(), found.__getitem__)


def read_mass(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Found]:
    """Yield the mass of each label in the distribution after each prompt, over the whole vocabulary.

    The tokens that stand for labels are asked for by name, so none is left out, however improbable.
    """
    for part in in_parts([need.ids for need in needs]):
        questions = Questions()
        places = {}
        for k in part:
            tokens = reader.members(requests[k].labels).ids.tolist()
            named = {questions.text(needs[k].ids, (token,)): None for token in tokens}
            # The most probable tokens may all be labels; these besides.
            top = questions.top(needs[k].ids, min(OTHERS + len(tokens), MOST_TOKENS))
            places[k] = [*named, top]
        known = questions.answers(runner)
        runner.count(Usage(naive=sum(len(needs[k].ids) for k in part)))
        found: Found = []
        for k in part:
            members = reader.members(requests[k].labels)
            answers = [known[place] for place in places[k]]
            logprobs = {token: value for one in answers[:-1] for token, value in one[0].items()}
            mass = np.exp([logprobs[token] for token in members.ids.tolist()]) @ members.belongs
            best = sorted(answers[-1][0].items(), key=lambda pair: -pair[1])
            others = [pair for pair in best if pair[0] not in members.ids][:OTHERS]
            words = tuple((reader.text(token), float(np.exp(value))) for token, value in others)
            found.append((k, NextTokens(best[0][0], mass, words)))
        yield found


def write(runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped) -> Iterator[Written]:
    """Let the engine write each text (see :class:`probsense.models.next_token.texts.Writer`).

    A text has a seed of its own, from its first random number; the engine finds stop strings itself.
    """
    ends = runner.network.ends
    for part in in_parts([draw.prompt for draw in draws]):
        outputs = generate(
            runner,
            [draws[k].prompt for k in part],
            [
                {
                    "max_tokens": how.max_tokens,
                    "temperature": how.temperature,
                    "top_p": how.top_p,
                    "top_k": how.top_k,
                    "min_p": how.min_p,
                    "seed": int(draws[k].uniforms[0] * 2**53),
                    "stop": list(how.stop),
                    "stop_token_ids": sorted(ends),
                    "ignore_eos": True,  # Those of the model are named above.
                    "detokenize": bool(how.stop),
                }
                for k in part
            ],
        )
        texts = [list(output.outputs[0].token_ids) for output in outputs]
        fed = sum(len(draws[k].prompt) for k in part)
        written = sum(map(len, texts))
        runner.count(Usage(tokens=written, naive=fed + written))
        yield [
            (k, ids[: next((n for n, token in enumerate(ids) if token in ends), len(ids))])
            for k, ids in zip(part, texts, strict=True)
        ]


def no_rows(runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]) -> NoReturn:
    """Refuse to give whole distributions: an engine gives the probabilities of chosen tokens."""
    raise NotImplementedError("an engine of vLLM gives no rows of logits")
