"""Writes frames for a model: the published line of question and answer, or a conversation in a chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from probsense.core.records import PromptForm, Turn
from probsense.tasks.frames.cleaning import NEXT_QUESTION
from probsense.tasks.frames.events import Frame

Shot: TypeAlias = tuple[Frame, str]
"""A frame with an answer, for an example."""

StyleName: TypeAlias = Literal["auto", "published", "chat"]

INSTRUCTION: Final = "Answer the question as most people would, in one to three words."


def published_line(frame: Frame) -> str:
    """Write ``[Q]: context question [A]:``."""
    return f"[Q]: {frame.text} [A]:"


def chat_message(frame: Frame) -> str:
    """Write the instruction, and the question on a line of its own."""
    return f"{INSTRUCTION}\n{frame.text}"


class Style(NamedTuple):
    """A way to ask about a frame.

    Attributes
    ----------
    message : callable
        Writes the question about a frame.
    form : PromptForm
    stop : tuple of str
        Strings that end an answer.
    """

    message: Callable[[Frame], str]
    form: PromptForm
    stop: tuple[str, ...]

    def ask(self, frame: Frame, shots: Sequence[Shot]) -> tuple[tuple[Turn, ...], str]:
        """Return the examples as turns of a conversation, and the prompt after them."""
        return tuple((self.message(example), answer) for example, answer in shots), self.message(frame)


STYLES: Final[Mapping[Literal["published", "chat"], Style]] = {
    "published": Style(published_line, "completion", ("\n", *NEXT_QUESTION)),
    "chat": Style(chat_message, "question", ()),  # A reply may begin with empty lines.
}
