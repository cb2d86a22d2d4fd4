"""A language model that an engine of vLLM runs: what to ask for options, labels and texts, and the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from probsense.core.records import OTHERS, LabelRequest, LabelResponse, ScoreRequest, ScoreResponse
from probsense.models.base import Batch, Usage
from probsense.models.next_token.alignment import AlignedTokens, Ids
from probsense.models.next_token.label_mass import Found, after_blanks
from probsense.models.next_token.labels import LabelReader, exact_response
from probsense.models.next_token.model import LanguageModel
from probsense.models.next_token.reading import Need, Rows, Runner, responses
from probsense.models.next_token.texts import Draw, Settings, Written
from probsense.models.vllm.engine import MOST_TOKENS, Question, generate, in_parts, read


@dataclass(frozen=True)
class VllmModel(LanguageModel):
    """A language model with its tokenizer, whose tokens an engine of vLLM reads and writes."""

    def _score_tokens(
        self,
        needs: Sequence[Need],
        aligned: Sequence[Sequence[AlignedTokens]],
        asked: Sequence[ScoreRequest],
    ) -> Iterator[Batch[ScoreResponse]]:
        return score(self.runner, self.encoder.tokenizer, needs, aligned, asked)

    def _mass_of_tokens(
        self, needs: Sequence[Need], asked: Sequence[LabelRequest]
    ) -> Iterator[Batch[LabelResponse]]:
        return label_mass(self.runner, self._label_reader, needs, asked)


class Questions:
    """The questions of several consumers, in which each prompt stands once (or once for every 128 next tokens)."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self._places: dict[bytes, list[int]] = {}

    def next(self, ids: Ids, token: int) -> int:
        """Ask how probable a token is after a prompt, and return the number of the question."""
        places = self._places.setdefault(ids.tobytes(), [])
        for k in places:
            if token in self.asked[k].tokens:
                return k
        if not places or len(self.asked[places[-1]].tokens) == MOST_TOKENS:
            places.append(self._add(Question(ids, [], 0, len(ids))))
        self.asked[places[-1]].tokens.append(token)
        return places[-1]

    def rows(self, k: int, first: int) -> None:
        """Ask in a question also how probable the tokens of its prompt are, from a first one on."""
        self.asked[k].rows = min(self.asked[k].rows, first)

    def top(self, ids: Ids, count: int) -> int:
        """Ask for the most probable tokens after a prompt, and return the number of the question."""
        return self._add(Question(ids, [], count, len(ids)))

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

    The first tokens of all options are asked for once after their prefix, and the last token of an option after all
    others. The tokens between are read off the prompt. So an option of one token costs nothing. No row of the prefix
    is wanted: the engine may have the prefix from an earlier prompt, and then gives no rows for it.

    Parameters
    ----------
    runner, tokenizer, needs, aligned, requests
        As for :func:`probsense.models.next_token.reading.score`.
    """
    entries = [entry for group in aligned for entry in group]
    questions = Questions()
    places: list[tuple[int, int]] = []
    for need, entry in zip(needs, entries, strict=True):
        first = questions.next(entry.ids[: entry.option], int(entry.ids[entry.option]))
        last = questions.next(need.ids, int(entry.ids[-1]))
        if entry.option + 1 < len(need.ids):
            questions.rows(last, entry.option + 1)
        places.append((first, last))
    found: dict[int, NDArray[np.float64]] = {}

    def done() -> Iterator[list[int]]:
        for ready, known in read(runner, questions.asked, places):
            for k in ready:
                first, last = (known[place] for place in places[k])
                ids, option = entries[k].ids, entries[k].option
                between = len(ids) - 2 - option
                found[k] = np.array(
                    [
                        first.next[int(ids[option])],
                        *(last.rows[len(last.rows) - between :] if between > 0 else ()),
                        *([last.next[int(ids[-1])]] if between >= 0 else ()),
                    ]
                )
            runner.count(Usage(naive=sum(len(needs[k].ids) for k in ready)))
            yield ready

    return responses(tokenizer, aligned, requests, done(), found.__getitem__)


def label_mass(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Yield the mass of each label in the distribution after each prompt, over the whole vocabulary.

    The tokens that stand for labels are asked for by name, so none is left out, however improbable.
    """

    def masses(needs: Sequence[Need], requests: Sequence[LabelRequest]) -> Iterator[Found]:
        questions = Questions()
        places = []
        for need, request in zip(needs, requests, strict=True):
            tokens = reader.members(request.labels).ids.tolist()
            named = [questions.next(need.ids, token) for token in tokens]
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
                logprobs = {token: value for one in answers[:-1] for token, value in one.next.items()}
                mass = np.exp([logprobs[token] for token in members.ids.tolist()]) @ members.belongs
                best = sorted(answers[-1].next.items(), key=lambda pair: -pair[1])
                others = [pair for pair in best if pair[0] not in members.ids][:OTHERS]
                words = tuple((reader.text(token), float(np.exp(value))) for token, value in others)
                found.append((k, answers[-1].best, exact_response(labels, mass, words)))
            yield found

    return after_blanks(masses, reader, needs, requests)


def write(
    runner: Runner, draws: Sequence[Draw], how: Settings, stopped: Callable[[list[int]], bool]
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
