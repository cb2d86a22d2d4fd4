"""How a frame is put to a model: the published line of question and answer, or an instruction for a chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from probsense.tasks.frames.events import Frame
from probsense.tasks.frames.slots import SLOTS

Shot: TypeAlias = tuple[Frame, str]
"""A frame with an answer, for an example."""


def published_prompt(frame: Frame, shots: Sequence[Shot]) -> str:
    """``[Q]: context question [A]:``, each example a line of the same form with its answer."""
    examples = [f"{_published_line(example)} {answer}\n" for example, answer in shots]
    return "".join([*examples, _published_line(frame)])


def chat_prompt(frame: Frame, shots: Sequence[Shot]) -> str:
    """What is wanted, in words; the meaning of the slot; and the examples."""
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
    """A way to put a frame: the prompt, with examples before it, and what ends an answer."""

    write: Callable[[Frame, Sequence[Shot]], str]
    stop: tuple[str, ...]


STYLES: Final[Mapping[str, Style]] = {
    "published": Style(published_prompt, ("\n",)),
    "chat": Style(chat_prompt, ()),  # a reply may begin with empty lines
}


def _published_line(frame: Frame) -> str:
    return f"[Q]: {frame.text} [A]:"
