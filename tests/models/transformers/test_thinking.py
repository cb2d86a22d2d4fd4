"""What follows a thought is what follows the whole text, written out."""

import functools
from dataclasses import replace

import pytest

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.base import Thinks, in_form
from probsense.models.registry import fingerprint
from probsense.runs.ask.thinking import Wish, let_think
from support.models.answers import answers

LABELS = (("yes", ("yes", "Yes")), ("no", ("no", "No")))
TEMPLATE = (
    "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


@pytest.fixture
def gpt2(loaded):
    return functools.partial(loaded, "gpt2", "llama3", TEMPLATE)


CLOSED = Thought("<think>\n", "It is wet.\n", "</think>\n\n")
WRITTEN = "<|begin|>[user] Is rain wet?\n[answer]<think>\nIt is wet.\n</think>\n\n"


def one(batches):
    (answer,) = answers(batches)
    return answer


def test_a_thought_stands_between_prompt_and_answer(gpt2):
    own = gpt2()
    model, _ = let_think(own, Wish("on"))
    # The prompt is the first text of these, and has no token in front that it does not write out itself.
    plain = replace(gpt2(prompt_format="plain"), encoder=replace(own.encoder, head=()))
    assert one(model.labels([LabelRequest("Is rain wet?", LABELS, thought=CLOSED)])) == one(
        plain.labels([LabelRequest(WRITTEN, LABELS)])
    )
    options = ("wet", "dry")
    after = one(model.score([ScoreRequest("Is rain wet?", (" wet", " dry"), ".", thought=CLOSED)]))
    assert after == one(plain.score([ScoreRequest(WRITTEN, options, ".")]))
    text = one(model.sample([SampleRequest("Is rain wet?", max_tokens=5, thought=CLOSED)]))
    assert text.texts == one(plain.sample([SampleRequest(WRITTEN, max_tokens=5)])).texts
    assert text.sizes is None


def test_a_thought_goes_on_until_its_end_or_its_budget(gpt2):
    model, _ = let_think(gpt2(), Wish("on"))
    request = SampleRequest("Is rain wet?", max_tokens=6, thought=Thought("<think>\n"), stop=("</think>",))
    found = one(model.sample([request]))
    # It ends with its text or its budget, and lacks what closes a thought.
    assert found.cut == (True,)
    assert 0 < found.sizes[0] <= 6
    first = found.texts[0][:1]
    ended = one(model.sample([replace(request, stop=(first,))]))
    assert (ended.texts, ended.cut) == (("",), (False,))


def test_a_thinking_model_is_another_in_the_store(gpt2):
    model = gpt2()
    thinking, _ = let_think(model, Wish("on"))
    assert isinstance(model, Thinks)
    assert thinking.name == f"{model.name} (thinking)"
    assert fingerprint(thinking) != fingerprint(in_form(model, "question"))
    assert in_form(thinking, "completion") is thinking  # texts to continue are questions to it
    (finding,) = [found for found in model.findings if found.name == "thinking"]
    assert finding.detail.startswith("thinks unless its template is told otherwise")
