"""Items, requests and responses: the frozen data that all other parts share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

from msgspec.json import Decoder

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: object) -> str:
    """Write one text for one value: sorted keys, no blanks, no NaN."""
    return _CANONICAL.encode(value)


def digest(value: object) -> str:
    """Return the content key of a JSON value: the first 32 hexadecimal digits of its SHA-256."""
    return digest_of_texts([canonical_json(value)])


def digest_of_texts(texts: Iterable[str]) -> str:
    """Return the content key of the JSON value whose canonical text these texts are, one after the other."""
    found = hashlib.sha256()
    for text in texts:
        found.update(text.encode())
    return found.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a task.

    Attributes
    ----------
    id : str
        Unique within its task and data set.
    cluster : str
        Items of one cluster are dependent (a WorldSense tuple, a twin pair, a statement).
    gold : str
        The right answer, or "" where there is none.
    data : Mapping[str, Json]
        Further data for the task's questions and measures.
    """

    id: str
    cluster: str
    gold: str
    data: Mapping[str, Any]


PromptForm: TypeAlias = Literal["completion", "question"]
"""What a prompt is: a text that the model is to continue, or a question that it is to answer."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A chain of thought with which the answer to a request begins, as the model is to read it.

    Attributes
    ----------
    start : str
        What opens the thought.
    text : str
        The chain so far.
    end : str
        What closes the thought and stands before the answer; "" while the model is still to go on thinking.
    """

    start: str
    text: str = ""
    end: str = ""

    def __str__(self) -> str:
        return self.start + self.text + self.end


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """Asks how probable each option is after the prefix (and the suffix after each option).

    ``item`` names the item that asks; it is no part of the content. ``system`` stands before the prefix
    (:func:`opened`), and a ``thought`` between prefix and options.
    """

    prefix: str
    options: tuple[str, ...]
    suffix: str = ""
    item: str = field(default="", compare=False)
    system: str = ""
    thought: Thought | None = None

    kind: ClassVar[str] = "score"


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """Asks how much probability mass each label has as the next word of the prompt.

    ``labels`` pairs the name of each label with the surface forms that count for it. ``system`` stands before the
    prompt (:func:`opened`), and a ``thought`` between prompt and labels.
    """

    prompt: str
    labels: tuple[tuple[str, tuple[str, ...]], ...]
    item: str = field(default="", compare=False)
    system: str = ""
    thought: Thought | None = None

    kind: ClassVar[str] = "labels"


def opened(system: str, text: str) -> str:
    """Write what stands before a conversation as the first paragraph of its text.

    A model with a chat template takes it as the system message, if the template has one, and else as the beginning of
    what the user says first. Any other model reads this text.
    """
    return f"{system}\n\n{text}" if system else text


Turn: TypeAlias = tuple[str, str]
"""What a user said in a conversation, and the reply."""


def continued(turns: Sequence[Turn], prompt: str) -> str:
    """Write a conversation as one text to continue: a reply stands a blank after what it answers, and ends the line."""
    return "".join([*(f"{said} {reply}\n" for said, reply in turns), prompt])


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Asks what the model writes after the prompt, ``n`` times.

    ``temperature`` 0 asks for the most probable text; ``top_p`` 1, ``top_k`` 0 and ``min_p`` 0 leave no token out.
    ``stop`` strings end an answer and are not part of it. ``turns`` come before the prompt, the first one first: a
    model with a chat template takes them as a conversation, any other as :func:`continued` writes them. ``system``
    stands before all of them (:func:`opened`), and a ``thought`` between prompt and text: while it is open, the text
    goes on with it.
    """

    prompt: str
    n: int = 1
    max_tokens: int = 16
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int = 0
    turns: tuple[Turn, ...] = ()
    item: str = field(default="", compare=False)
    system: str = ""
    thought: Thought | None = None
    top_k: int = 0
    min_p: float = 0.0

    kind: ClassVar[str] = "sample"

    @property
    def thinks(self) -> bool:
        """Whether the text that it asks for is a thought."""
        return self.thought is not None and not self.thought.end


def opened_turns(system: str, turns: Sequence[Turn], prompt: str) -> tuple[tuple[Turn, ...], str]:
    """Put what stands before a conversation at the beginning of what the user says first; return turns and prompt."""
    if not turns:
        return (), opened(system, prompt)
    (said, reply), *further = turns
    return ((opened(system, said), reply), *further), prompt


Request: TypeAlias = ScoreRequest | LabelRequest | SampleRequest


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """Log-probabilities (nats) of the tokens of one piece of text, with the sizes that normalise them.

    Attributes
    ----------
    logprobs : tuple of float, shape (n tokens,)
        Their sum alone, shape (1,), where a model shows no more.
    tokens : tuple of str, shape (n tokens,)
        The text of each token, as the tokenizer's own pieces; empty where only the sum is known.
    chars, bytes : int
        Length of the piece of text in characters and in UTF-8 bytes.
    """

    logprobs: tuple[float, ...]
    tokens: tuple[str, ...]
    chars: int
    bytes: int

    @classmethod
    def of_sum(cls, text: str, value: float | None) -> Self:
        """Hold the log-probability of a text whose tokens are not known; that of no text has no value."""
        return cls(() if value is None else (value,), (), len(text), len(text.encode()))

    @property
    def only_sum(self) -> bool:
        """Whether the tokens are not known, and the log-probability is that of the whole text."""
        return bool(self.logprobs) and not self.tokens


@dataclass(frozen=True, slots=True)
class OptionScore:
    """One option of a score request; ``straddles`` says that a token spans the join before it or after it."""

    option: TokenLogprobs
    suffix: TokenLogprobs
    straddles: bool = False


@dataclass(frozen=True, slots=True)
class ScoreResponse:
    """The options of a score request, in its order.

    ``chains`` are the responses after each chain of thought, if it is their mean; no store keeps them with it.
    """

    options: tuple[OptionScore, ...]
    server: Mapping[str, Json] | None = field(default=None, compare=False)
    chains: tuple[ScoreResponse, ...] = field(default=(), compare=False)

    kind: ClassVar[str] = "score"


OTHERS = 5
"""How many of the most probable tokens that stand for no label a response to a label request keeps."""


@dataclass(frozen=True, slots=True)
class LabelResponse:
    """Probability mass of each label and of everything else; the masses sum to 1.

    ``source`` names the origin of the masses: "exact" (full vocabulary), "topk" or "sampled"; ``note`` tells how the
    model treated a first token that is white space only, and which opening marks it read past. ``bounds`` are the
    masses between which the truth of each label lies, where only the most probable tokens are known. ``others`` are the
    most probable tokens that stand for no label, at most :data:`OTHERS`, the most probable first: the text of each,
    behind that of a mark that was read past, with its probability. They are empty where the model does not show them.
    ``chains`` are as for a :class:`ScoreResponse`.
    """

    mass: Mapping[str, float]
    other: float
    source: Literal["exact", "topk", "sampled"] = "exact"
    note: str = ""
    server: Mapping[str, Json] | None = field(default=None, compare=False)
    bounds: Mapping[str, tuple[float, float]] | None = None
    others: tuple[tuple[str, float], ...] = ()
    chains: tuple[LabelResponse, ...] = field(default=(), compare=False)

    kind: ClassVar[str] = "labels"


@dataclass(frozen=True, slots=True)
class SampleResponse:
    """The ``n`` texts of a sample request.

    ``cut`` says for each text whether it ended only because it had ``max_tokens`` tokens, and for a thought whether it
    lacks its end; None where that is not known. ``sizes`` are the numbers of tokens of thoughts, or of whole texts with
    their thoughts, where a server thinks by itself.
    ``thoughts`` are what the model wrote for itself before each text; None where it wrote nothing of that kind.
    ``unfinished`` is the number of texts that are missing because they ended within their thoughts.
    """

    texts: tuple[str, ...]
    server: Mapping[str, Json] | None = field(default=None, compare=False)
    cut: tuple[bool, ...] | None = None
    thoughts: tuple[str, ...] | None = None
    unfinished: int = 0
    sizes: tuple[int, ...] | None = None

    kind: ClassVar[str] = "sample"


Response: TypeAlias = ScoreResponse | LabelResponse | SampleResponse
"""A model's answer. ``server`` holds a server's statements with the answer, where there was one: "model" (the name it
serves under), "system_fingerprint" and "seed", as far as it gave them. They are no part of the answer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that got no answer.

    Attributes
    ----------
    reason : str
        Why the last try failed, as a phrase without secrets.
    tries : int
        How often the request was sent.
    """

    reason: str
    tries: int


def request_key(request: Request, *, by_item: bool = False) -> str:
    """Return the stable content key of a request.

    Parameters
    ----------
    request : Request
    by_item : bool
        Whether the item that asks belongs to the key: for models whose answers depend on items, not on words
        (recorded answers).

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    thought = request.thought and _fields(request.thought)
    content = _fields(request) | {"kind": request.kind, "thought": thought}
    if not by_item:
        del content["item"]
    return digest({name: value for name, value in content.items() if value or name not in _LATER})


_LATER = ("system", "thought", "turns", "top_k", "min_p")
"""Fields that came later: a prompt by itself has the key that it had before there were these."""


def response_to_json(response: Response) -> str:
    """Write the response as one line of JSON; :func:`response_from_json` is its inverse."""
    body = _fields(response) | {"chains": None}
    rare = ("others", "unfinished")
    return _PLAIN.encode({k: v for k, v in body.items() if v is not None and (v or k not in rare)})


def _fields(record: Any) -> dict[str, Any]:
    """Return what a record holds, by the names of its fields and in their order."""
    return {name: getattr(record, name) for name in record.__slots__}


_PLAIN = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_fields)


def response_from_json(kind: str, text: str) -> Response:
    """Read the response that :func:`response_to_json` wrote.

    Raises
    ------
    ValueError, RecursionError
        For any other text.
    """
    if kind not in _READERS:
        raise ValueError(f"no such kind of response: {kind!r}")
    return _READERS[kind].decode(text)


_READERS: Mapping[str, Decoder[Response]] = {
    one.kind: Decoder(one) for one in (ScoreResponse, LabelResponse, SampleResponse)
}
