"""The text around a prompt: named formats, as data, for families of models."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from probsense.core.errors import ModelError, check_name, one_line
from probsense.core.records import Json, Turn, continued, opened
from probsense.models.prompts.thoughts import closed

PROMPT: Final = "{prompt}"


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """The text that surrounds a prompt.

    Attributes
    ----------
    name : str
    chat : bool
        Whether the prompt goes through the tokenizer's chat template, as the message of a user.
    message : str
        The text before and after the prompt itself, which stands at ``{prompt}``.
    generation_prompt : bool
        Whether the template adds the words that begin an answer.
    answer : str
        The beginning of every answer, given to the model, which goes on after it.
    system : str
        What stands before a conversation, in front of what a request itself says there.
    """

    name: str
    chat: bool
    message: str = PROMPT
    generation_prompt: bool = True
    answer: str = ""
    system: str = ""

    def written(self, prompt: str) -> str:
        """Return the message with the prompt in its place."""
        return self.message.replace(PROMPT, prompt)

    @property
    def begins_text(self) -> bool:
        """Whether the model's words begin a text, so that no blank stands before the first of them."""
        return self.chat and (not self.answer or self.answer[-1].isspace())

    def messages(self, prompt: str, turns: Sequence[Turn] = ()) -> list[dict[str, Json]]:
        """Return a conversation as the messages of a chat, the last one a user's."""
        spoken = [
            (role, content)
            for said, reply in turns
            for role, content in (("user", self.written(said)), ("assistant", reply))
        ]
        return [
            {"role": role, "content": content} for role, content in [*spoken, ("user", self.written(prompt))]
        ]

    def in_text(self, prompt: str, turns: Sequence[Turn] = ()) -> str:
        """Return a conversation as one text, up to where the answer begins, without a chat template."""
        earlier = [(self.written(said) + self.answer, reply) for said, reply in turns]
        return continued(earlier, self.written(prompt)) + self.answer


_DATA: Final = tomllib.loads(files(__package__).joinpath("formats.toml").read_text("utf-8"))
FORMATS: Final = {one["name"]: PromptFormat(**one) for one in _DATA["formats"]}
"""Every format by its name. Llama 2's bare "▁" needs none: the reader of label mass sees it come first."""
PLAIN, CHAT = FORMATS["plain"], FORMATS["chat"]


def joined_system(own: str | None, asked: str) -> str | None:
    """Put what a request says before a conversation after a model's own system prompt; None if there is neither."""
    return opened(own or "", asked) if asked else own


def unservable(wished: PromptFormat) -> str:
    """Say why a server's own template cannot be made to follow a format; "" if it can."""
    if not wished.chat or (wished.generation_prompt and not wished.answer):
        return ""
    return (
        "its chat begins each answer itself" if wished.generation_prompt else "its template cannot be changed"
    )


SWITCHES: Final = ("enable_thinking", "thinking")
"""What templates call their switch for thinking: Qwen, SmolLM, GLM and others; DeepSeek and Granite."""

GENERAL: Final = ("chat", "chat-answer", "chat-brief", "plain", "question-answer")
"""The formats that fit models of any family, to be tried where a model does not answer."""
PUBLISHED: Final = "published"
"""The wish to be asked as most published runs asked: by the chat template if there is one, without an examination."""


def choose_format(name: str | None, *, template: bool) -> PromptFormat:
    """Return the format of that name; without one, and for "published", the chat template if there is one.

    Parameters
    ----------
    name : str, optional
    template : bool
        Whether there is one.

    Raises
    ------
    InputError
        For an unknown name.
    """
    if name in (None, PUBLISHED):
        return CHAT if template else PLAIN
    check_name("prompt format", name, [*FORMATS, PUBLISHED])
    return FORMATS[name]


def render(
    tokenizer: Any,
    prompt: str,
    system_prompt: str | None,
    prompt_format: PromptFormat = CHAT,
    turns: Sequence[Turn] = (),
) -> str:
    """Render the prompt and the turns before it in its format, up to where the answer begins.

    A thought that the template opens is closed at once, since what follows has to be the answer.

    Raises
    ------
    ModelError
        If the template does not take it (many refuse a system prompt).
    """
    if not prompt_format.chat:
        return prompt_format.in_text(prompt, turns)
    return closed(in_chat(tokenizer, prompt, system_prompt, prompt_format, turns)) + prompt_format.answer


def in_chat(
    tokenizer: Any,
    prompt: str,
    system_prompt: str | None,
    prompt_format: PromptFormat,
    turns: Sequence[Turn] = (),
    *,
    switch: bool | None = False,
) -> str:
    """Render a conversation by the chat template as it is, with the switches for thinking on, off or left alone.

    Raises
    ------
    ModelError
        If the template does not take it.
    """
    from jinja2 import TemplateError

    system: list[dict[str, Json]] = (
        [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
    )
    try:
        text = tokenizer.apply_chat_template(
            [*system, *prompt_format.messages(prompt, turns)],
            tokenize=False,
            add_generation_prompt=prompt_format.generation_prompt,
            **({} if switch is None else dict.fromkeys(SWITCHES, switch)),
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise ModelError(f"the chat template fails: {one_line(error)}") from None
    return str(text)


def opens_thought(tokenizer: Any, prompt_format: PromptFormat) -> bool:
    """Tell whether a chat template begins answers with a thought, although it is asked not to."""
    if not prompt_format.chat:
        return False
    text = in_chat(tokenizer, "a", None, prompt_format)
    return closed(text) != text


def takes_system(tokenizer: Any, prompt_format: PromptFormat) -> bool:
    """Tell whether a chat template takes a system message: some refuse it, and some leave it out without a word."""
    mark = "The one who answers."
    try:
        return mark in render(tokenizer, "a", mark, prompt_format)
    except ModelError:
        return False
