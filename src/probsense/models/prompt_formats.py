"""How a prompt stands before a model: named formats, as data, for what families of models are used to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from probsense.errors import InputError, did_you_mean

PROMPT: Final = "{prompt}"


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """What is put around a prompt.

    Attributes
    ----------
    name : str
    chat : bool
        Whether it goes through the tokenizer's chat template, as the message of a user.
    message : str
        The text before and after the prompt itself, which stands at ``{prompt}``.
    generation_prompt : bool
        Whether the template is asked for what begins an answer.
    answer : str
        What every answer is made to begin with: the model goes on after it.
    """

    name: str
    chat: bool
    message: str = PROMPT
    generation_prompt: bool = True
    answer: str = ""

    def written(self, prompt: str) -> str:
        """The message with the prompt in its place."""
        return self.message.replace(PROMPT, prompt)


PLAIN: Final = PromptFormat("plain", chat=False)
CHAT: Final = PromptFormat("chat", chat=True)

FORMATS: Final[Mapping[str, PromptFormat]] = {
    known.name: known
    for known in (
        PLAIN,
        CHAT,
        # As in the published runs of the judgments specification, section 2.8.
        PromptFormat("gemma", chat=True, generation_prompt=False),
        PromptFormat("olmo", chat=True, generation_prompt=False, answer="\n"),
        PromptFormat("falcon", chat=False, message=f"User: {PROMPT}\nFalcon:"),
        PromptFormat(
            "gpt-5",
            chat=True,
            message=f"{PROMPT} Do not include anything else, such as an explanation or reasoning.",
        ),
    )
}
"""Every format by its name. Llama 2's bare "▁" is none of them: whoever reads label mass sees it come first."""


def choose_format(name: str | None, chat: bool | None, *, template: bool) -> PromptFormat:
    """The format of that name; without one the chat template, if there is one and it is not declined.

    Parameters
    ----------
    name : str, optional
    chat : bool, optional
        Whether the chat template is wanted.
    template : bool
        Whether there is one.

    Raises
    ------
    InputError
        For an unknown name, and for a name beside a wish about chat.
    """
    if name is None:
        return CHAT if (template if chat is None else chat) else PLAIN
    if chat is not None:
        raise InputError("a prompt format says whether there is a chat", expected="either of them")
    if name not in FORMATS:
        raise InputError(
            f"no such prompt format: {name!r}{did_you_mean(name, FORMATS)}",
            expected=f"one of {', '.join(FORMATS)}",
        )
    return FORMATS[name]
