"""Writes frames for a model: the published line of question and answer, or an instruction for a chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from probsense.records import PromptForm
from probsense.tasks.frames.events import Frame
from probsense.tasks.frames.slots import SLOTS

Shot: TypeAlias = tuple[Frame, str]
"""A frame with an answer, for an example."""

StyleName: TypeAlias = Literal["published", "chat"]


def published_prompt(frame: Frame, shots: Sequence[Shot]) -> str:
    """Write ``[Q]: context question [A]:``, and before it a line of the same form with its answer for each example."""
    examples = [f"{_published_line(example)} {answer}\n" for example, answer in shots]
    return "".join([*examples, _published_line(frame)])


def chat_prompt(frame: Frame, shots: Sequence[Shot]) -> str:
    """Write an instruction in words, then the examples, and the question with the meaning of its slot."""
    examples = [f"Example: {example.text}\nAnswer: {answer}\n" for example, answer in shots]
    slot = SLOTS.get(frame.slot)
    meaning = f" (Say {slot.definition}.)" if slot else ""
    return "".join(
        [
            "Answer the question as most people would, with one answer of one to four words and nothing else.\n",
            *examples,
            f"Question: {frame.text}{meaning}\nAnswer:",
        ]
    )


class Style(NamedTuple):
    """A way to ask about a frame: the prompt, with examples before it, its form, and the strings that end an answer."""

    write: Callable[[Frame, Sequence[Shot]], str]
    form: PromptForm
    stop: tuple[str, ...]


STYLES: Final[Mapping[StyleName, Style]] = {
    "published": Style(published_prompt, "completion", ("\n",)),
    "chat": Style(chat_prompt, "question", ()),  # A reply may begin with empty lines.
}


def _published_line(frame: Frame) -> str:
    return f"[Q]: {frame.text} [A]:"
