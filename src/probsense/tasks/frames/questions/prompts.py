"""Writes frames for a model, as a line of the published form or in a chat, and finds the answer in what it writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from probsense.core.records import PromptForm, Turn

if TYPE_CHECKING:
    from probsense.tasks.frames.questions.frames import Frame

Shot: TypeAlias = "tuple[Frame, str]"
"""A frame with an answer, for an example."""

StyleName: TypeAlias = Literal["auto", "published", "chat"]

INSTRUCTION: Final = "Answer the question as most people would, in one to three words."

NEXT_QUESTION: Final = ("[Q]:", "[q]:")
"""What a model that goes on by itself writes after its answer: the next question in the published form."""

LENGTH: Final = 50
"""How many characters of an answer count, as published."""


class Style(NamedTuple):
    """A way to ask about a frame.

    Attributes
    ----------
    message : str
        How a frame is put, with ``{}`` for the event and the question.
    form : PromptForm
    stop : tuple of str
        Strings that end an answer.
    """

    message: str
    form: PromptForm
    stop: tuple[str, ...]

    def ask(self, frame: Frame, shots: Sequence[Shot]) -> tuple[tuple[Turn, ...], str]:
        """Return the examples as turns of a conversation, and the prompt after them."""
        turns = ((self.message.format(example.text), answer) for example, answer in shots)
        return (*turns,), self.message.format(frame.text)


STYLES: Final[Mapping[Literal["published", "chat"], Style]] = {
    "published": Style("[Q]: {} [A]:", "completion", ("\n", *NEXT_QUESTION)),
    "chat": Style(f"{INSTRUCTION}\n{{}}", "question", ()),  # A reply may begin with empty lines.
}


_NEXT: Final = re.compile(r"\[\s*q\s*\]\s*:", re.IGNORECASE)
_MARKS: Final = " \t\"'“”‘’„‚«»‹›`´*_~.,;:!?…"
_BULLET: Final = re.compile(r"(?:[-–—•#>|]+|\d+[.)])\s+(?=.*\w)")
_TAG: Final = re.compile(r"</?[a-z][^<>]*>|<\|[^<>]*\|>")
_LABEL: Final = re.compile(r"(?:the |my |final |possible )?(?:answer|a)\s*[*_]*\s*:|[\[(](?:answer|a)[\])]")
_OPENING: Final = re.compile(
    r"(?:(?:the|my)(?: (?:best|correct|right|most likely|most common|final))? answer (?:is|would be|could be)"
    r"|(?:i|you|one|people|most people)(?: would|['’]d) (?:say|answer)"
    r"|i (?:think|believe|guess))\b(?: that\b)?(?: it\b(?:['’]s\b| is\b| would be\b))?"
)
_ARTICLE: Final = re.compile(r"(?:an?|the)\s(?=.*\w)")
_BRACKETS: Final = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")


def clean(text: str) -> str:
    """Return the answer in a text: its first line that says something, in lower case, without what stands around it.

    That is what :data:`NEXT_QUESTION` begins, and, around the answer, quotes and other marks, bullets, brackets, tags,
    a label ("Answer:", "[A]:"), an opening ("The answer is", "I would say") and an article. White space becomes one
    blank, and the answer is cut at :data:`LENGTH` characters. A text without a word
    of its own is the empty answer.
    """
    return _answer(text)[0]


def ends_open(text: str) -> bool:
    """Tell whether the answer in a text, or the want of one, ends only where the text does."""
    return _answer(text)[1]


def _answer(text: str) -> tuple[str, bool]:
    """Return the answer, and whether nothing comes after its line."""
    own, *more = _NEXT.split(text, maxsplit=1)
    lines = own.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if answer := _bare(_bare(line.lower())[:LENGTH]):
            last = number == len(lines) and line.splitlines()[0] == line
            return answer, last and not more
    return "", not more


def _bare(line: str) -> str:
    """Take off all that stands around an answer, as often as it does."""
    found = " ".join(line.split())
    while (barer := _peeled(found)) != found:
        found = barer
    return found


def _peeled(line: str) -> str:
    """Take off one layer."""
    line = " ".join(_TAG.sub(" ", line).split()).lstrip(_MARKS)
    if label := _LABEL.match(line):  # A label ends with a mark, which may be the last of the line.
        return line[label.end() :]
    line = line.rstrip(_MARKS)
    if whole := _BRACKETS.fullmatch(line):
        return whole[1]
    for before in (_BULLET, _OPENING, _ARTICLE):
        if found := before.match(line):
            return line[found.end() :]
    return line


_AROUND: Final = " \t\"'“”‘’.,;:!*"


@lru_cache(maxsize=10_000)
def normalise(text: str) -> str:
    """Return the first line that says something, in lower case, without marks around it, cut at :data:`LENGTH`.

    White space within it becomes one blank. A text of nothing but white space and marks is the empty answer.
    """
    first = next((line for line in text.splitlines() if line.strip(_AROUND)), "")
    return " ".join(first.strip(_AROUND).lower().split())[:LENGTH].strip(_AROUND)
