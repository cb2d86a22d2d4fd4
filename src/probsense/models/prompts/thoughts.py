"""Separates a model's thoughts, which it writes for itself, from its answer."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Final

from probsense.core.records import Failure, Request, SampleRequest, SampleResponse


@dataclass(frozen=True, slots=True)
class Markers:
    """The texts between which a model thinks.

    Attributes
    ----------
    start, end : str
    first : bool
        Whether they count only where the text begins with ``start``: words that an answer may use, too.
    mark : str
        What ends the thought itself, if something stands between that and ``end``; "" if nothing does.
    between : str
        What stands there.
    """

    start: str
    end: str
    first: bool = False
    mark: str = ""
    between: str = ""


_DATA: Final = tomllib.loads(files(__package__).joinpath("thoughts.toml").read_text("utf-8"))
KNOWN: Final = tuple(Markers(**one) for one in _DATA["markers"])
"""The markers of all families."""

ANY: Final = re.compile("|".join(re.escape(text) for one in KNOWN for text in (one.start, one.end)))
QUOTES: Final = "`\"'“”‘’«»"
ENDED: Final = re.compile(r"<\|(?:end|return)\|>\s*$")
"""What may end a message of a channel."""
UNFINISHED: Final = "the text ends within its thought"


@dataclass(frozen=True, slots=True)
class Split:
    """A text of a model, divided.

    Attributes
    ----------
    thought : str or None
        What the model wrote for itself; None if it wrote nothing of that kind.
    answer : str or None
        Everything else; None if the text ends within its thought.
    """

    thought: str | None
    answer: str | None


def split(text: str) -> Split:
    """Divide a text of a model into thought and answer.

    A marker in quotes or in code stands for itself. Thoughts may contain others, come one after another, or lack their
    beginning, since many templates write it. After an end without a beginning, all that stands before is thought.

    Parameters
    ----------
    text : str
        The text as the model wrote it; without markers, it is the answer as it is.
    """
    if not ANY.search(text):  # There may be millions of texts, and hardly any has a marker.
        return Split(None, text)
    for markers in KNOWN:
        found = [*_places(text, markers)]
        if found:
            return _divided(text, found, markers)
    return Split(None, text)


def _places(text: str, markers: Markers) -> Iterator[tuple[int, bool]]:
    """Find the markers of a text: where each stands, and whether it begins a thought."""
    if markers.first:
        begin = len(text) - len(text.lstrip())
        end = text.find(markers.end, begin + len(markers.start))
        # "analysis" alone may be an answer, and its beginning tells of a thought only where an end follows.
        if text.startswith(markers.start, begin) and (end >= 0 or markers.start.endswith(":")):
            yield begin, True
            if end >= 0:
                yield end, False
        return
    for match in re.finditer(f"({re.escape(markers.start)})|{re.escape(markers.end)}", text):
        around = text[: match.start()][-1:], text[match.end() : match.end() + 1]
        if not all(one and one in QUOTES for one in around):
            yield match.start(), match[1] is not None


def _divided(text: str, places: Sequence[tuple[int, bool]], markers: Markers) -> Split:
    thoughts: list[str] = []
    answers: list[str] = []
    at, thinking = 0, False
    for place, begins in places:
        if begins and not thinking:
            answers.append(text[at:place])
            at, thinking = place + len(markers.start), True
        elif not begins:
            if not thinking:
                thoughts, answers = [*thoughts, *answers], []
            thoughts.append(text[at:place])
            at, thinking = place + len(markers.end), False
    (thoughts if thinking else answers).append(text[at:])
    thought = "\n\n".join(one for one in map(str.strip, thoughts) if one)
    return Split(thought, None if thinking else ENDED.sub("", "".join(answers)).strip())


def joined(parts: Split) -> str:
    """Write thought and answer as one text, which :func:`split` divides again."""
    if parts.thought is None:
        return parts.answer or ""
    markers = KNOWN[0]
    return f"{markers.start}{parts.thought}" + ("" if parts.answer is None else markers.end + parts.answer)


def closed(prompt: str) -> str:
    """End the thought that a prompt has opened for the answer, if it has."""
    for markers in KNOWN:
        if before_thought(prompt, markers) is not None:
            return f"{prompt.rstrip()}\n\n{markers.end}\n\n"
    return prompt


def before_thought(prompt: str, markers: Markers) -> str | None:
    """Return what stands before the thought that a prompt opens at its end; None if it opens none."""
    begun = prompt.rstrip()
    if markers.first or not begun.endswith(markers.start):
        return None
    return begun.removesuffix(markers.start)


def without_thoughts(response: SampleResponse) -> SampleResponse | Failure:
    """Keep the answers of a response alone.

    Returns
    -------
    SampleResponse or Failure
        The response itself if no text has a thought. Texts that end within their thoughts are no answers: the response
        lacks them, and says how many they are. If there is no other text, the request has failed.
    """
    parts = [split(text) for text in response.texts]
    if all(part.thought is None for part in parts):
        return response
    kept = [i for i, part in enumerate(parts) if part.answer is not None]
    if not kept:
        return Failure(UNFINISHED, 0)
    return replace(
        response,
        texts=tuple(str(parts[i].answer) for i in kept),
        cut=None if response.cut is None else tuple(response.cut[i] for i in kept),
        sizes=None if response.sizes is None else tuple(response.sizes[i] for i in kept),
        thoughts=tuple(parts[i].thought or "" for i in kept),
        unfinished=len(parts) - len(kept),
    )


@dataclass(frozen=True, slots=True)
class Thinking:
    """Count the answers before which a model thought, and the texts that ended within a thought."""

    answers: int = 0
    unfinished: int = 0

    def __add__(self, other: Thinking) -> Thinking:
        return Thinking(self.answers + other.answers, self.unfinished + other.unfinished)

    @classmethod
    def of(cls, answer: SampleResponse | Failure, request: Request) -> Thinking:
        """Count in what is left of the answer to a request."""
        if isinstance(answer, SampleResponse):
            return cls(len(answer.thoughts or ()), answer.unfinished)
        return cls(unfinished=request.n if isinstance(request, SampleRequest) else 0)
