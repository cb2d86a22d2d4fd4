"""A network that thinks: what follows a thought is what follows the whole text, written out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought, request_key
from probsense.models.base import Thinks, in_form
from probsense.models.next_token.model import LanguageModel
from probsense.models.registry import fingerprint
from probsense.runs.ask.thinking import Wish, let_think
from probsense.runs.evaluate import evaluate
from support.run_fakes import Quiz

Loaded = Callable[..., LanguageModel]
TEMPLATE = (
    "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
LABELS = (("yes", ("yes", "Yes")), ("no", ("no", "No")))
CLOSED = Thought("<think>\n", "It is wet.\n", "</think>\n\n")
WRITTEN = "<|begin|>[user] Is rain wet?\n[answer]<think>\nIt is wet.\n</think>\n\n"


@pytest.fixture
def thinker(loaded: Loaded) -> Loaded:
    return functools.partial(loaded, "gpt2", "llama3", TEMPLATE)


def one(answers: Any) -> Any:
    (((_, answer),),) = [batch for batch in answers if batch]
    return answer


def test_a_thought_stands_between_prompt_and_answer(thinker: Loaded) -> None:
    own = thinker()
    model, chains = let_think(own, Wish("on"))
    assert chains is not None
    # The prompt is the first text of these, and has no token in front that it does not write out itself.
    plain = replace(thinker(chat=False), encoder=replace(own.encoder, head=()))
    assert one(model.labels([LabelRequest("Is rain wet?", LABELS, thought=CLOSED)])) == one(
        plain.labels([LabelRequest(WRITTEN, LABELS)])
    )
    options = ("wet", "dry")
    after = one(model.score([ScoreRequest("Is rain wet?", (" wet", " dry"), ".", thought=CLOSED)]))
    assert after == one(plain.score([ScoreRequest(WRITTEN, options, ".")]))
    text = one(model.sample([SampleRequest("Is rain wet?", max_tokens=5, thought=CLOSED)]))
    assert text.texts == one(plain.sample([SampleRequest(WRITTEN, max_tokens=5)])).texts
    assert text.sizes is None


def test_a_thought_goes_on_until_its_end_or_its_budget(thinker: Loaded) -> None:
    model, _ = let_think(thinker(), Wish("on"))
    request = SampleRequest("Is rain wet?", max_tokens=6, thought=Thought("<think>\n"), stop=("</think>",))
    found = one(model.sample([request]))
    # It ends with its text or its budget, and lacks what closes a thought.
    assert found.cut == (True,)
    assert 0 < found.sizes[0] <= 6
    first = found.texts[0][:1]
    ended = one(model.sample([replace(request, stop=(first,))]))
    assert (ended.texts, ended.cut) == (("",), (False,))


def test_a_thinking_model_is_another_in_the_store(thinker: Loaded) -> None:
    model = thinker()
    thinking, _ = let_think(model, Wish("on"))
    assert isinstance(model, Thinks)
    assert thinking.name == f"{model.name} (thinking)"
    assert fingerprint(thinking) != fingerprint(in_form(model, "question"))
    assert in_form(thinking, "completion") is thinking  # texts to continue are questions to it
    (finding,) = [found for found in model.findings if found.name == "thinking"]
    assert finding.detail.startswith("thinks unless its template is told otherwise")


def test_no_key_changes_without_a_thought() -> None:
    """What a request does not ask for is no part of its key."""
    request = LabelRequest("Is rain wet?", LABELS)
    assert request_key(request) == "4ebcd41a2b3b045326f0d046c566c1b9"
    assert request_key(replace(request, thought=CLOSED)) != request_key(request)
    sample = SampleRequest("a")
    assert (
        len({request_key(one) for one in (sample, replace(sample, top_k=3), replace(sample, min_p=0.1))}) == 3
    )


@pytest.mark.parametrize("always", [False, True])
def test_by_default_only_those_think_that_cannot_help_it(loaded: Loaded, always: bool) -> None:
    opening = TEMPLATE.split("{% if enable_thinking")[0] + "<think>{% endif %}"
    model = loaded("gpt2", "llama3", opening if always else TEMPLATE)
    run = evaluate(Quiz(1), model, method="labels", store=None, quiet=True, chains=2, thinking_budget=3)
    assert run.model.endswith("(thinking)") is always
    assert run.asked == (4 if always else 1)
