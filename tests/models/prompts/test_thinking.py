"""Whether and how a model thinks follows from what its template renders with the switches on and off."""

import json

import pytest
from jinja2 import Environment

from probsense.core.errors import InputError
from probsense.models.prompts.formats import CHAT, PLAIN, render
from probsense.models.prompts.thinking import (
    UNCHANGED,
    Sampling,
    find_manner,
    given_manner,
    in_thinking,
    own_sampling,
)

TURNS = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
OFF = "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n"
BREAKS = ("<think>\n", "</think>\n\n")
KINDS = {
    # Qwen3: closed for the model where thinking is off.
    "closed when off": (TURNS + OFF + "{% endif %}", *BREAKS, "on unless told"),
    # Qwen3.5: opened where it is on, too.
    "opened when on": (TURNS + OFF + "{% else %}<think>\n{% endif %}", *BREAKS, "on unless told"),
    # R1 and its distills.
    "always opened": (TURNS + "{{ '<think>\n' }}", *BREAKS, "always"),
    # DeepSeek V3.1.
    "off unless asked": (
        TURNS + "{% if thinking is defined and thinking %}<think>{% else %}</think>{% endif %}",
        *("<think>", "</think>", "off unless asked"),
    ),
    # SmolLM3: one line break after the end.
    "one break": (
        TURNS + OFF.replace("\n\n{%", "\n{%")[:-1] + "{% endif %}",
        *("<think>\n", "</think>\n", "on unless told"),
    ),
    # Kimi K2: the markers stand in past turns only, and nothing follows the end.
    "no switch": ("{# <think>…</think> #}" + TURNS, "<think>\n", "</think>", "unclear"),
    "escaped breaks": ("{# '<think>' + t + '</think>\\n\\n' #}" + TURNS, *BREAKS, "unclear"),
    # gpt-oss.
    "channels": (
        "{# <|channel|>analysis<|message|> <|channel|>final<|message|> #}" + TURNS,
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
        "unclear",
    ),
}


class Templated:
    """A tokenizer as far as its template goes."""

    def __init__(self, template, tokens=()):
        self.chat_template = template
        self.added_tokens_encoder = {token: i for i, token in enumerate(tokens)}

    def apply_chat_template(self, messages, **more):
        return (
            Environment(autoescape=False)
            .from_string(self.chat_template or "")
            .render(messages=messages, **more)
        )


@pytest.mark.parametrize("kind", KINDS)
def test_the_manner_of_each_kind(kind):
    template, start, end, verdict = KINDS[kind]
    tokenizer = Templated(template)
    found = find_manner(tokenizer)
    assert (found.start, found.end, found.verdict) == (start, end, verdict)
    assert found.end.startswith(found.mark)
    # Whatever opens the thought in the template, it stands once before the chain.
    prompt = in_thinking(tokenizer, "a", None, CHAT)
    assert prompt == "<user>a<assistant>"
    off = render(tokenizer, "a", None, CHAT)
    assert off in (prompt, prompt + end, f"{prompt}{start}\n{end}", f"{prompt}{start.rstrip()}\n\n{end}")


def test_who_has_no_markers_does_not_think():
    assert find_manner(Templated(None)) is None
    assert find_manner(Templated(TURNS)) is None
    assert find_manner(Templated("{{ messages[7].content.x }}")) is None  # It fails.


def test_tokens_tell_as_well():
    found = find_manner(Templated(TURNS, ("[THINK]", "[/THINK]")))
    assert (found.start, found.end, found.verdict) == ("[THINK]\n", "[/THINK]\n\n", "unclear")


def test_a_plain_prompt_is_followed_by_a_line_of_its_own():
    assert in_thinking(Templated(None), "Is it?", None, PLAIN) == "Is it?\n"


def test_given_markers():
    found = given_manner("Let me think.", "So:", Sampling(0.6))
    assert (found.start, found.end, found.mark) == ("Let me think.\n", "So:\n\n", "So:")
    assert given_manner("A ", "B ", UNCHANGED).end == "B "
    for start, end in (("a", None), (None, "b"), (" ", "b")):
        with pytest.raises(InputError, match="one marker"):
            given_manner(start, end, UNCHANGED)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ({"temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.01}, Sampling(0.6, 0.95, 20, 0.01)),
        ({"temperature": 0.6, "top_p": 7, "top_k": True, "min_p": "x"}, Sampling(0.6)),
        ({"temperature": 0, "eos_token_id": 2}, UNCHANGED),
        ([1], UNCHANGED),
    ],
)
def test_a_model_comes_with_its_settings(text, found, tmp_path):
    assert own_sampling(tmp_path) == UNCHANGED
    (tmp_path / "generation_config.json").write_text(json.dumps(text))
    assert own_sampling(tmp_path) == found
    (tmp_path / "generation_config.json").write_bytes(b"\xff{")
    assert own_sampling(tmp_path) == UNCHANGED


def test_settings_are_changed_by_their_names():
    own = Sampling(0.6, 0.95, 20, 0.0)
    assert own.changed("") == own
    assert own.changed("temperature=1.2, top-p=1,top_k=0,min_p=.1") == Sampling(1.2, 1.0, 0, 0.1)
    assert own.changed("temperature=0").temperature == 0
    assert str(own) == "temperature 0.6, top-p 0.95, top-k 20"
    assert str(Sampling(min_p=0.05)) == "temperature 1, min-p 0.05"


@pytest.mark.parametrize(
    "word",
    [
        *("temprature=1", "0.6", "temperature=-1", "temperature=inf", "temperature=nan", "temperature"),
        *("top_p=0", "top_k=2.5", "min_p=2"),
    ],
)
def test_settings_that_make_no_sense(word):
    with pytest.raises(InputError, match=f"setting of sampling '{word}'"):
        UNCHANGED.changed(f"top_k=3, {word}")
