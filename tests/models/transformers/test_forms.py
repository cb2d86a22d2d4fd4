"""Texts to continue, questions and thoughts, asked of one model with a chat template."""

import functools
from dataclasses import replace

import pytest

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.base import BEGINNING, PROMPTS, Thinks, in_form
from probsense.models.registry import fingerprint
from probsense.runs.ask.thinking import Wish, let_think
from support.models.answers import answers

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
        assert found.capabilities == wished.capabilities
        assert list(found.score([REQUEST])) == list(wished.score([REQUEST]))
        assert list(found.sample([TEXT])) == list(wished.sample([TEXT]))
        bare = [] if chosen else [BEGINNING]
        assert [one.name for one in found.findings] == [*bare, PROMPTS]
        assert found.findings[-1].detail == (CHAT_NOTE if chosen else PLAIN_NOTE)
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
    assert wished.prompt_formats()[0] == name
    assert found.runner is model.runner
    assert in_form(wished, "completion") is in_form(wished, "question") is wished
    assert wished.findings[-1].name == PROMPTS


def test_formats_that_a_model_cannot_have_are_left_out(chatty, loaded):
    chats, plain = ["chat", "chat-answer", "chat-brief"], ["plain", "question-answer"]
    assert chatty().prompt_formats() == chats + plain
    bare = loaded("gpt2", "llama3")
    assert bare.prompt_formats() == plain
    assert [one.name for one in bare.findings] == [BEGINNING]
    assert chatty(system_prompt="Be brief.").prompt_formats() == chats


def test_a_thought_that_the_template_opens_is_closed(loaded):
    model = loaded("gpt2", "llama3", TEMPLATE.replace("[answer]", "[answer]<think>\n"))
    assert model.details["thought"] == "closed"
    (finding,) = [one for one in model.findings if one.name == PROMPTS]
    assert finding.detail.endswith("; the thought with which the template begins an answer is closed at once")
    # The plain texts of the same model stand as they are.
    plain = in_form(model, "completion")
    assert "thought" not in plain.details
    told = loaded("gpt2", "llama3", TEMPLATE.replace("[answer]", "[answer]<think>\n\n</think>\n\n"))
    assert list(model.score([REQUEST])) == list(told.score([REQUEST]))


LABELS = (("yes", ("yes", "Yes")), ("no", ("no", "No")))
THINKING = (
    "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


@pytest.fixture
def thinker(loaded):
    return functools.partial(loaded, "gpt2", "llama3", THINKING)


CLOSED = Thought("<think>\n", "It is wet.\n", "</think>\n\n")
WRITTEN = "<|begin|>[user] Is rain wet?\n[answer]<think>\nIt is wet.\n</think>\n\n"


def one(batches):
    (answer,) = answers(batches)
    return answer


def test_a_thought_stands_between_prompt_and_answer(thinker):
    own = thinker()
    model, _ = let_think(own, Wish("on"))
    # The prompt is the first text of these, and has no token in front that it does not write out itself.
    plain = replace(thinker(prompt_format="plain"), encoder=own.encoder._replace(head=()))
    found = one(model.labels([LabelRequest("Is rain wet?", LABELS, thought=CLOSED)]))
    assert found == one(plain.labels([LabelRequest(WRITTEN, LABELS)]))
    after = one(model.score([ScoreRequest("Is rain wet?", (" wet", " dry"), ".", thought=CLOSED)]))
    assert after == one(plain.score([ScoreRequest(WRITTEN, ("wet", "dry"), ".")]))
    text = one(model.sample([SampleRequest("Is rain wet?", max_tokens=5, thought=CLOSED)]))
    assert text.texts == one(plain.sample([SampleRequest(WRITTEN, max_tokens=5)])).texts
    assert text.sizes is None


def test_a_thought_goes_on_until_its_end_or_its_budget(thinker):
    model, _ = let_think(thinker(), Wish("on"))
    request = SampleRequest("Is rain wet?", max_tokens=6, thought=Thought("<think>\n"), stop=("</think>",))
    found = one(model.sample([request]))
    # It ends with its text or its budget, and lacks what closes a thought.
    assert (found.cut, 0 < found.sizes[0] <= 6) == ((True,), True)
    ended = one(model.sample([replace(request, stop=(found.texts[0][:1],))]))
    assert (ended.texts, ended.cut) == (("",), (False,))


def test_a_thinking_model_is_another_in_the_store(thinker):
    model = thinker()
    thinking, _ = let_think(model, Wish("on"))
    assert isinstance(model, Thinks)
    assert thinking.name == f"{model.name} (thinking)"
    assert fingerprint(thinking) != fingerprint(in_form(model, "question"))
    assert in_form(thinking, "completion") is thinking  # texts to continue are questions to it
    (finding,) = [found for found in model.findings if found.name == "thinking"]
    assert finding.detail.startswith("thinks unless its template is told otherwise")
