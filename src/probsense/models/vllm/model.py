"""What to ask an engine of vLLM for options, labels and texts, and the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from probsense.core.records import OTHERS, LabelRequest, SampleRequest, ScoreRequest, ScoreResponse
from probsense.models.base import Batch, Usage
from probsense.models.next_token.alignment import AlignedTokens, Ids
from probsense.models.next_token.label_mass import Found, LabelReader, exact_response
from probsense.models.next_token.reading import Need, Rows, Runner, responses
from probsense.models.next_token.texts import Draw, Written
from probsense.models.vllm.engine import MOST_TOKENS, Question, generate, in_parts, read


class Questions:
    """The questions of several consumers.

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
    texts = [tuple(entry.ids[entry.option :].tolist()) for entry in entries]
    questions = Questions()
    places = [0] * len(entries)
    for k in sorted(range(len(entries)), key=lambda k: -len(texts[k])):
        places[k] = questions.text(entries[k].ids[: entries[k].option], texts[k])
    found: dict[int, NDArray[np.float64]] = {}

    def done() -> Iterator[list[int]]:
        for ready, known in read(runner, questions.asked, [[place] for place in places]):
            for k in ready:
                steps = zip(known[places[k]].steps, texts[k], strict=False)  # Another text may go on.
                found[k] = np.array([step[token] for step, token in steps])
            runner.count(Usage(naive=sum(len(needs[k].ids) for k in ready)))
            yield ready

    return responses(tokenizer, aligned, requests, done(), found.__getitem__)


def read_mass(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Found]:
    """Yield the mass of each label in the distribution after each prompt, over the whole vocabulary.

    The tokens that stand for labels are asked for by name, so none is left out, however improbable.
    """
    questions = Questions()
    places = []
    for need, request in zip(needs, requests, strict=True):
        tokens = reader.members(request.labels).ids.tolist()
        named = [questions.text(need.ids, (token,)) for token in tokens]
        # The most probable tokens may all be labels; these besides.
        places.append(
            [*dict.fromkeys(named), questions.top(need.ids, min(OTHERS + len(tokens), MOST_TOKENS))]
        )
    for ready, known in read(runner, questions.asked, places):
        runner.count(Usage(naive=sum(len(needs[k].ids) for k in ready)))
        found: Found = []
        for k in ready:
            labels = requests[k].labels
            members = reader.members(labels)
            answers = [known[place] for place in places[k]]
            logprobs = {token: value for one in answers[:-1] for token, value in one.steps[0].items()}
            mass = np.exp([logprobs[token] for token in members.ids.tolist()]) @ members.belongs
            best = sorted(answers[-1].steps[0].items(), key=lambda pair: -pair[1])
            others = [pair for pair in best if pair[0] not in members.ids][:OTHERS]
            words = tuple((reader.text(token), float(np.exp(value))) for token, value in others)
            found.append((k, answers[-1].written, exact_response(labels, mass, words)))
        yield found


def write(
    runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Callable[[list[int]], bool]
) -> Iterator[Written]:
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
                    **({"top_k": how.top_k} if how.top_k else {}),
                    **({"min_p": how.min_p} if how.min_p else {}),
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
