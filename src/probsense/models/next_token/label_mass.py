"""Label mass in next-token distributions: which tokens stand for labels, and how probable they are after a prompt.

It is read past the white space and the marks with which an answer opens; where no single tokens stand for the labels,
it is the probability of spelling them out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import (
    OTHER,
    Labels,
    token_classes,
    top_k_bounds,
    top_k_share,
)
from probsense.core.records import (
    OTHERS,
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch
from probsense.models.next_token.reading import Need, Rows, Runner
from probsense.show.text import joined

OPENINGS = frozenset({*"\"'`“”„‟‘’‚«»‹›「『", "**"})
"""Marks that open an answer and say nothing themselves: of quotations in any language, and of strong words in Markdown.

A single asterisk, as a hyphen, opens a list, whose first entry is not the answer."""


class _Members(NamedTuple):
    """The tokens that stand for labels or open answers: ids, shape (k,), and 0/1 membership, shape (k, columns).

    The columns are the labels, and then one for each token of :attr:`LabelReader.openings`.
    """

    ids: NDArray[np.int64]
    belongs: NDArray[np.float64]


class LabelReader:
    """The classes of a tokenizer's tokens, worked out once for each set of labels.

    Parameters
    ----------
    tokenizer : Any
    vocabulary : int
        Logits of the network; a tokenizer may have more tokens.

    Attributes
    ----------
    openings : tuple of int
        The tokens that only open an answer.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = decoded_vocabulary(tokenizer, vocabulary)
        self.openings = opening_tokens(self._vocabulary)
        self._members: dict[Labels, _Members] = {}

    def is_blank(self, token: int) -> bool:
        """Whether a token is white space only (the bare "▁" decodes to the empty text)."""
        text = self._vocabulary[token]
        return text is not None and not text.strip()

    def text(self, token: int) -> str:
        """Return the text of a token; its name where it stands for no text, as the end of a turn does."""
        return self._vocabulary[token] or str(self._tokenizer.convert_ids_to_tokens(token))

    def reads(self, labels: Labels) -> bool:
        """Whether single tokens stand for the labels, and for all of them where they stand for one.

        Without a token, the mass of a label would be 0 whatever the model thinks.

        A chat's answer begins without a blank. If one label has a token there and another has none, as "agree" and
        "dis|agree", the sums of their tokens would not be alike.
        """
        members = self.members(labels)
        blank = np.array([str(self._vocabulary[token])[:1].isspace() for token in members.ids])
        stands = members.belongs[:, : len(labels)]
        alike = all(len({*stands[blank == there].any(axis=0)}) < 2 for there in (True, False))
        return alike and bool(stands.any())

    def members(self, labels: Labels) -> _Members:
        """Return the tokens that stand for one of the labels, or open an answer."""
        if labels not in self._members:
            columns = len(labels) + len(self.openings)
            classes = token_classes(self._vocabulary, labels)
            classes[np.array(self.openings, np.int64)] = np.arange(len(labels), columns)
            ids = np.flatnonzero(classes != OTHER)
            belongs = (classes[ids, None] == np.arange(columns)).astype(np.float64)
            self._members[labels] = _Members(ids, belongs)
        return self._members[labels]


def exact_response(
    labels: Labels, mass: NDArray[np.float64], note: str = "", others: tuple[tuple[str, float], ...] = ()
) -> LabelResponse:
    """Make the answer from the mass of each label, shape (labels,), and the most probable other tokens."""
    # Rounded probabilities may sum to a little more than 1.
    mass = mass / max(1.0, float(mass.sum()))
    named = {name: float(value) for (name, _), value in zip(labels, mass, strict=True)}
    return LabelResponse(named, max(0.0, 1.0 - float(mass.sum())), "exact", note, others=others)


def decoded_vocabulary(tokenizer: Any, size: int) -> list[str | None]:
    """Decode every token id by itself; None for special tokens and those without a name, which stand for no text.

    Returns
    -------
    list, shape (size,)
    """
    texts = {*range(len(tokenizer))}.difference(tokenizer.all_special_ids)
    return [
        tokenizer.decode([i], clean_up_tokenization_spaces=False) if i in texts else None for i in range(size)
    ]


def opening_tokens(vocabulary: Sequence[str | None]) -> tuple[int, ...]:
    """Find the tokens that only open an answer: one of :data:`OPENINGS`, with or without white space before it."""
    return tuple(i for i, text in enumerate(vocabulary) if text is not None and text.lstrip() in OPENINGS)


def top_tokens_response(
    request: LabelRequest,
    top: Sequence[tuple[str, float]],
    note: str = "",
    server: Mapping[str, Json] | None = None,
) -> LabelResponse:
    """Compute the mass of each label as a share of all words, with the bounds between which it must lie.

    Parameters
    ----------
    request : LabelRequest
    top : sequence of (str, float)
        The most probable tokens, the most probable first: the text of each with its log-probability (nats).
    note : str
        How the model treated a first token that is white space only.
    server : Mapping, optional
        A server's statements with the answer.
    """
    logprobs = np.array([logprob for _, logprob in top])
    classes = token_classes([text for text, _ in top], request.labels)
    names = [name for name, _ in request.labels]
    *mass, other = top_k_share(logprobs, classes, labels=len(names)).tolist()
    low, high = (end.tolist() for end in top_k_bounds(logprobs, classes, labels=len(names)))
    others = [token for token, k in zip(top, classes, strict=True) if k == OTHER][:OTHERS]
    return LabelResponse(
        dict(zip(names, mass, strict=True)),
        other,
        "topk",
        note,
        server,
        {name: (low[k], high[k]) for k, name in enumerate(names)},
        tuple((text, math.exp(logprob)) for text, logprob in others),
    )


Pieces: TypeAlias = tuple[str, ...]
NOTE = "labels spelled out in several tokens, as no single one stands for each"


def spellings(forms: Iterable[str]) -> tuple[str, ...]:
    """List the ways to write a label: as it is, small, capitalised, in capitals; each with and without a blank.

    A spelling that begins another one stands for both.
    """
    cases = dict.fromkeys(
        case for form in forms for case in (form, form.lower(), form.capitalize(), form.upper())
    )
    shortest = [case for case in cases if not any(case != c and case.startswith(c) for c in cases)]
    return tuple(blank + case for case in shortest for blank in ("", " "))


def score_requests(requests: Sequence[LabelRequest]) -> list[ScoreRequest]:
    """Make one request for each request; its options are the spellings of all labels."""
    return [
        ScoreRequest(
            request.prompt,
            tuple(text for _, forms in request.labels for text in spellings(forms)),
            item=request.item,
            system=request.system,
            thought=request.thought,
        )
        for request in requests
    ]


def spelled_mass(
    scored: Iterable[Batch[ScoreResponse]], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Sum the probabilities of each label's spellings, from the answers to :func:`score_requests`.

    Each spelling counts only as the tokenizer splits it, so the mass is a lower bound, though a very close one of
    answers without marks. Answers in quotation marks are other words: a mark may be split together with the end of the
    prompt, and has then no probability behind it; and a server or a harness would read every spelling again.
    """
    for batch in scored:
        yield [(i, r if isinstance(r, Failure) else _mass(requests[i], r)) for i, r in batch]


def _alone(found: Mapping[str, Mapping[Pieces, float]], name: str) -> float:
    """Sum the spellings of a label without those of others that begin so: "agree" without "agree strongly".

    A spelling begins another one if its tokens do: the probability of "the" has no part in that of one token "them".
    """
    others = {tokens: p for other, own in found.items() if other != name for tokens, p in own.items()}
    mass = 0.0
    for tokens, p in found[name].items():
        longer = [one for one in others if tokens in _beginnings(one)]
        nearest = [one for one in longer if not _beginnings(one) & {*longer}]
        mass += max(0.0, p - sum(others[one] for one in nearest))
    return mass


def _beginnings(tokens: Pieces) -> set[Pieces]:
    return {tokens[:count] for count in range(len(tokens))}


def _mass(request: LabelRequest, response: ScoreResponse) -> LabelResponse:
    options = iter(response.options)
    found: dict[str, dict[Pieces, float]] = {}
    for name, forms in request.labels:
        own = islice(options, len(spellings(forms)))
        # Where a chat drops the leading blank, two spellings are one.
        found[name] = {one.option.tokens: math.exp(sum(one.option.logprobs)) for one in own}
    mass = np.array([_alone(found, name) for name in found])
    return exact_response(request.labels, mass, NOTE)


_AFTER_BLANK = "read after the white space token {!r}, the most probable one"
_AFTER_OPENING = "read also after {}, which may open an answer"

LEAST = 0.01
"""Marks are left aside that have less than this probability together. So no label's mass is too small by more than this
for want of them."""
PILOT = 16
"""So many prompts tell which opening marks are likely; later prompts are read with these in one pass."""
MANNER = "past openings"
"""The name of this way to read labels, in fingerprints: a store keeps the answers of each way apart."""
ROOM = 2
"""Tokens that may be read after a prompt: white space, and a mark behind it."""


Tokens: TypeAlias = tuple[int, ...]


class NextTokens(NamedTuple):
    """What may come next: the most probable token, and the masses of some.

    Attributes
    ----------
    top : int
    mass : ndarray, shape (labels + opening tokens,)
        As the columns of :meth:`LabelReader.members`.
    others : tuple of (str, float)
        The most probable of all other tokens, the most probable first: the text of each with its probability.
    """

    top: int
    mass: NDArray[np.float64]
    others: tuple[tuple[str, float], ...]


Found: TypeAlias = list[tuple[int, NextTokens]]
"""What may come next after some prompts, each with its index."""
Read: TypeAlias = Callable[[Sequence[Need], Sequence[LabelRequest]], Iterator[Found]]
"""Reads what may come next at the end of each prompt, and nowhere else."""
Known: TypeAlias = dict[Tokens, NextTokens]
"""What was read of a prompt: what may come next behind some more tokens."""


def mass_past_openings(
    read: Read, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Yield the mass of each label as the first word after each prompt, over the whole vocabulary.

    What is read behind a prompt depends on what was read before (:func:`_answer`). A prompt is read in one pass with
    what a pilot of the first prompts needed, which feeds one token more for each. What else it needs takes another
    pass. The answers do not depend on that.

    Parameters
    ----------
    read : Read
    reader : LabelReader
    needs : sequence of Need
        The requests' prompts; each wants its last position.
    requests : sequence of LabelRequest
    """
    along: set[Tokens] = {()}
    every = range(len(needs))
    for part in (every[:PILOT], every[PILOT:]):
        known: dict[int, Known] = {i: {} for i in part}  # of the prompts without an answer
        places = [(i, behind) for i in part for behind in sorted(along)]
        while places:
            lacking: dict[int, list[Tokens]] = {}
            ids = [_with(needs[i], behind) for i, behind in places]
            for found in read(ids, [requests[i] for i, _ in places]):
                for k, following in found:
                    i, behind = places[k]
                    if i in known:
                        known[i][behind] = following
                touched = {places[k][0] for k, _ in found} & known.keys()
                ready: Batch[LabelResponse] = []
                for i in touched:
                    step = _answer(reader, requests[i].labels, known[i])
                    if isinstance(step, list):
                        lacking[i] = step
                    else:
                        ready.append((i, step))
                        del known[i]
                yield ready
            places = [(i, behind) for i in known for behind in lacking[i]]
            along.update(behind for _, behind in places)


def _answer(reader: LabelReader, labels: Labels, known: Known) -> LabelResponse | list[Tokens]:
    """Return the answer after a prompt, or the tokens behind which its masses are still to be read.

    Where the most probable next token is white space only (the bare "▁" of Llama 2), the mass is read after it, once.
    Then it is read after the marks with which an answer opens, too. By the law of total probability,
    P(label) = P(label next) + Σ P(mark next) P(label next | mark). Both parts count what they have in tokens of their
    own, so a token that holds mark and label (`"Yes`) is in the first alone. Marks are read, the most probable first,
    until the others together have less than :data:`LEAST`. A mark after a mark is another word, and where white space
    comes first after all, no mark is read.
    """
    start: Tokens = ()
    notes = []
    if () in known and reader.is_blank(known[()].top):
        start = (known[()].top,)
        notes = [_AFTER_BLANK.format(reader.text(start[0]))]
    if start not in known:
        return [start]
    first = known[start]
    mass, words = first.mass[: len(labels)], [*first.others]
    opening = dict(zip(reader.openings, first.mass[len(labels) :].tolist(), strict=True))
    marks = [] if reader.is_blank(first.top) else _likely(opening)
    if lacking := [(*start, mark) for mark in marks if (*start, mark) not in known]:
        return lacking
    words += [(reader.text(mark), p) for mark, p in opening.items() if mark not in marks]
    for mark in marks:
        share, then = opening[mark], known[*start, mark]
        mass = mass + share * then.mass[: len(labels)]
        again = zip(map(reader.text, reader.openings), then.mass[len(labels) :].tolist(), strict=True)
        words += [(reader.text(mark) + word, share * p) for word, p in (*then.others, *again)]
    if marks:
        notes.append(_AFTER_OPENING.format(joined([repr(reader.text(mark)) for mark in marks])))
    words = sorted(words, key=lambda word: -word[1])[:OTHERS]
    return exact_response(labels, mass, "; ".join(notes), tuple(words))


def _likely(marks: Mapping[int, float]) -> list[int]:
    """Choose the fewest opening tokens without which all others have less than :data:`LEAST` together."""
    found, left = [], math.fsum(marks.values())
    for mark in sorted(marks, key=lambda mark: -marks[mark]):
        if left < LEAST:
            break
        found.append(mark)
        left -= marks[mark]
    return sorted(found)


def read_mass(
    runner: Runner, reader: LabelReader, needs: Sequence[Need], requests: Sequence[LabelRequest]
) -> Iterator[Found]:
    """Yield what may come next after each prompt, over the whole vocabulary."""
    import torch

    found: dict[int, NextTokens] = {}

    def consume(rows: Rows) -> None:
        probabilities = rows.logits.softmax(-1)
        tops = probabilities.argmax(-1).tolist()
        masses, others = {}, {}
        for labels in {requests[i].labels for i in rows.need.tolist()}:
            members = reader.members(labels)
            ids = torch.as_tensor(members.ids, device=probabilities.device)
            seen = probabilities[:, ids].cpu().numpy().astype(np.float64)
            masses[labels] = seen @ members.belongs
            largest = probabilities.index_fill(1, ids, 0.0).topk(min(OTHERS, probabilities.shape[1]))
            others[labels] = [
                [*zip(*row, strict=True)]
                for row in zip(largest.indices.tolist(), largest.values.tolist(), strict=True)
            ]
        for i, row in zip(rows.need.tolist(), rows.row.tolist(), strict=True):
            labels = requests[i].labels
            words = tuple((reader.text(token), mass) for token, mass in others[labels][row])
            found[i] = NextTokens(tops[row], masses[labels][row], words)

    for done in runner.read(runner, needs, consume):
        yield [(i, found.pop(i)) for i in done]


def _with(need: Need, behind: Tokens) -> Need:
    ids = np.append(need.ids, np.array(behind, np.int32))
    return need._replace(ids=ids, first=need.first + len(behind))
