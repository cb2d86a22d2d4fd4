"""Texts to continue and questions, asked of one model with a chat template."""

import functools

import pytest

from probsense.core.records import SampleRequest, ScoreRequest
from probsense.models.base import BEGINNING, PROMPTS, in_form
from probsense.models.registry import fingerprint

TEMPLATE = (
    "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]{% endif %}"
)
REQUEST = ScoreRequest("The garden is", (" wet", " dry"), ".")
TEXT = SampleRequest("It is", max_tokens=4)
PLAIN_NOTE = "asked in plain text, without the chat template"
CHAT_NOTE = "asked through the chat template"


@pytest.fixture
def chatty(loaded):
    return functools.partial(loaded, "gpt2", "llama3", TEMPLATE)


def test_by_default_the_form_decides(chatty):
    model = chatty()
    plain, chat = in_form(model, "completion"), in_form(model, "question")
    for found, chosen in ((plain, False), (chat, True)):
        wished = chatty(prompt_format="chat" if chosen else "plain")
        assert found.details == wished.details
        assert list(found.details) == list(wished.details)
        assert fingerprint(found) == fingerprint(wished)
        assert found.capabilities == wished.capabilities
        assert list(found.score([REQUEST])) == list(wished.score([REQUEST]))
        assert list(found.sample([TEXT])) == list(wished.sample([TEXT]))
        bare = [] if chosen else [BEGINNING]
        assert [one.name for one in found.findings] == [*bare, PROMPTS]
        assert found.findings[-1].detail == (CHAT_NOTE if chosen else PLAIN_NOTE)
        assert in_form(found, "completion").details == plain.details
        assert in_form(found, "question").details == chat.details
    assert fingerprint(plain) != fingerprint(chat)
    assert list(plain.sample([TEXT])) != list(chat.sample([TEXT]))
    assert plain.runner is chat.runner


@pytest.mark.parametrize("name", ["chat", "chat-answer", "chat-brief", "plain", "question-answer", "olmo"])
def test_another_format_is_that_of_a_model_loaded_so(chatty, name):
    model, wished = chatty(), chatty(prompt_format=name)
    found = model.in_prompt_format(name)
    assert (found.details, found.format, found.adapts) == (wished.details, wished.format, wished.adapts)
    assert found.settled is wished.settled is True
    assert next(iter(wished.prompt_formats())) == name
    assert found.runner is model.runner
    assert in_form(wished, "completion") is in_form(wished, "question") is wished
    assert wished.findings[-1].name == PROMPTS


def test_formats_that_a_model_cannot_have_are_named_with_the_reason(chatty, loaded):
    general = ("chat", "chat-answer", "chat-brief", "plain", "question-answer")
    assert chatty().prompt_formats() == dict.fromkeys(general, "")
    bare = loaded("gpt2", "llama3")
    assert (bare.prompt_formats()["chat"], bare.prompt_formats()["plain"]) == (
        "there is no chat template",
        "",
    )
    assert [one.name for one in bare.findings] == [BEGINNING]
    briefed = chatty(system_prompt="Be brief.").prompt_formats()
    assert (briefed["chat"], briefed["plain"]) == ("", "a system prompt needs the chat template")


def test_a_thought_that_the_template_opens_is_closed(loaded):
    model = loaded("gpt2", "llama3", TEMPLATE.replace("[answer]", "[answer]<think>\n"))
    assert (model.details["thought"], chatty_details(loaded).get("thought")) == ("closed", None)
    (finding,) = [one for one in model.findings if one.name == PROMPTS]
    assert finding.detail.endswith("; the thought with which the template begins an answer is closed at once")
    # The plain texts of the same model stand as they are.
    plain = in_form(model, "completion")
    assert "thought" not in plain.details
    told = loaded("gpt2", "llama3", TEMPLATE.replace("[answer]", "[answer]<think>\n\n</think>\n\n"))
    assert list(model.score([REQUEST])) == list(told.score([REQUEST]))
    assert list(model.sample([TEXT])) == list(told.sample([TEXT]))


def chatty_details(loaded):
    return loaded("gpt2", "llama3", TEMPLATE).details
