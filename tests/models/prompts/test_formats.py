"""What stands around a prompt, by name."""

import pytest

from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.prompts.formats import CHAT, FORMATS, PLAIN, PROMPT, choose_format, render
from support.models.answers import answers

TEMPLATE = (
    "<|begin|>{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]{% if enable_thinking is not false %} think{% endif %}{% endif %}"
)
YES_NO = (("yes", ("yes",)), ("no", ("no",)))


def test_every_format_has_the_prompt_once_and_its_own_name():
    for name, known in FORMATS.items():
        assert known.name == name
        assert known.message.count(PROMPT) == 1
    assert FORMATS["falcon"].written("Is {it} wet?") == "User: Is {it} wet?\nFalcon:"


@pytest.mark.parametrize(
    ("name", "template", "expected"),
    [(None, True, CHAT), (None, False, PLAIN), ("olmo", True, FORMATS["olmo"])],
)
def test_without_a_name_the_template_decides(name, template, expected):
    assert choose_format(name, template=template) is expected


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="no such prompt format: 'gema'; did you mean 'gemma'"):
        choose_format("gema", template=True)


RENDERED = {
    "chat": "<|begin|>[user] Is it wet?\n[answer]",
    "gemma": "<|begin|>[user] Is it wet?\n",
    "olmo": "<|begin|>[user] Is it wet?\n\n",
    "gpt-5": "<|begin|>[user] Is it wet? Do not include anything else, such as an explanation or reasoning.\n[answer]",
    "falcon": "User: Is it wet?\nFalcon:",
    "chat-answer": "<|begin|>[user] Is it wet?\n[answer]Answer:",
    "question-answer": "Q: Is it wet?\nA:",
    "plain": "Is it wet?",
}


@pytest.mark.parametrize("name", RENDERED)
def test_a_model_reads_its_labels_after_the_rendered_text(loaded, name):
    formatted = loaded("gpt2", "llama3", TEMPLATE, prompt_format=name)
    assert formatted.details["prompt_format"] == name
    plain = loaded("gpt2", "llama3", TEMPLATE, prompt_format="plain")
    text = render(formatted.encoder.tokenizer, "Is it wet?", None, formatted.format)
    assert text == RENDERED[name]
    # The plain model adds the "<|begin|>" that the template already has.
    bare = LabelRequest(text.removeprefix("<|begin|>"), YES_NO)
    (found,) = answers(formatted.labels([LabelRequest("Is it wet?", YES_NO)]))
    (expected,) = answers(plain.labels([bare]))
    assert found == expected
    blank = " " if name in ("plain", "falcon", "question-answer", "chat-answer") else ""
    options = (" yes", "no", "  maybe")
    (scored,) = answers(formatted.score([ScoreRequest("Is it wet?", options, " or not")]))
    whole = tuple(option if blank else option.removeprefix(" ") for option in options)
    (same,) = answers(plain.score([ScoreRequest(bare.prompt, whole, " or not")]))
    assert scored == same


def test_turns_before_a_prompt_are_rendered(loaded):
    turns = (("Is A?", "yes"), ("Is B?", "no"))
    tokenizer = loaded("gpt2", "llama3", TEMPLATE).encoder.tokenizer
    rendered = {name: render(tokenizer, "C?", None, FORMATS[name], turns) for name in RENDERED}
    spoken = "<|begin|>[user] Is A?\n[assistant] yes\n[user] Is B?\n[assistant] no\n[user] C?\n"
    assert rendered == {
        "chat": spoken + "[answer]",
        "gemma": spoken,
        "olmo": spoken + "\n",
        "gpt-5": rendered["gpt-5"],
        "falcon": "User: Is A?\nFalcon: yes\nUser: Is B?\nFalcon: no\nUser: C?\nFalcon:",
        "plain": "Is A? yes\nIs B? no\nC?",
        "chat-answer": spoken + "[answer]Answer:",
        "question-answer": "Q: Is A?\nA: yes\nQ: Is B?\nA: no\nQ: C?\nA:",
    }


PERSONA = "You are a fisherman."
BRIEF = "Answer with one word."
NO_SYSTEM = (
    "<|begin|>{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "[{{ m.role }}] {{ m.content }}\n{% endfor %}[answer]"
)
SILENT = NO_SYSTEM.replace("{{ raise_exception('no system') }}", "{% continue %}")


@pytest.mark.parametrize(
    ("template", "options", "expected"),
    [
        (TEMPLATE, {}, f"[system] {PERSONA}\n[user] C?\n[answer]"),
        (TEMPLATE, {"system_prompt": "Be brief."}, f"[system] Be brief.\n\n{PERSONA}\n[user] C?\n[answer]"),
        (NO_SYSTEM, {}, f"[user] {PERSONA}\n\nC?\n[answer]"),
        (SILENT, {}, f"[user] {PERSONA}\n\nC?\n[answer]"),
        (TEMPLATE, {"prompt_format": "plain"}, f"{PERSONA}\n\nC?"),
        (TEMPLATE, {"prompt_format": "falcon"}, f"{PERSONA}\n\nUser: C?\nFalcon:"),
        (TEMPLATE, {"prompt_format": "chat-brief"}, f"[system] {BRIEF}\n\n{PERSONA}\n[user] C?\n[answer]"),
        (NO_SYSTEM, {"prompt_format": "chat-brief"}, f"[user] {BRIEF}\n\n{PERSONA}\n\nC?\n[answer]"),
    ],
)
def test_what_stands_before_a_conversation_is_the_system_message_or_the_first_paragraph(
    loaded, template, options, expected
):
    model, plain = (
        loaded("gpt2", "llama3", template, **own) for own in (options, {"prompt_format": "plain"})
    )
    # The plain model adds the "<|begin|>" that the template already has.
    (found,) = answers(model.labels([LabelRequest("C?", YES_NO, system=PERSONA)]))
    (same,) = answers(plain.labels([LabelRequest(expected, YES_NO)]))
    assert found.mass == pytest.approx(same.mass)
    (found,) = answers(model.score([ScoreRequest("C?", ("no",), system=PERSONA)]))
    (same,) = answers(plain.score([ScoreRequest(expected, ("no",))]))
    assert found.options[0].option == same.options[0].option
    (found,) = answers(model.sample([SampleRequest("C?", max_tokens=6, system=PERSONA)]))
    assert answers(plain.sample([SampleRequest(expected, max_tokens=6)])) == [found]
    told = [finding.detail for finding in model.findings if finding.data.get("system_message") is False]
    assert len(told) == (template != TEMPLATE)
