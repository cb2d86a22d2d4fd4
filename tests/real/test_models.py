"""The two real models read and write as their makers' tokenizers do."""

from functools import cache

import pytest

from probsense.core.records import SampleRequest
from probsense.models.base import Formatted, ask, in_form
from probsense.models.doctor import beginning
from probsense.models.prompts.control import examine_formats
from probsense.models.registry import load_model
from probsense.tasks.judgments.task import Judgments

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(scope="module")
def load(request):
    """Loads a model by its name, once."""
    return cache(lambda name: load_model(f"hf:{request.getfixturevalue(name)}"))


@pytest.mark.parametrize(
    ("name", "before", "after", "least"),
    [("smollm2", "chat", "chat-answer", 0.55), ("gemma3", "plain", "question-answer", 0.08)],
)
def test_a_format_lifts_the_mass_of_yes_and_no(name, before, after, least, load):
    model = load(name)
    assert isinstance(model, Formatted)
    task = Judgments()
    requests = [task.requests(item, "labels", {})[0] for item in task.items()[:4]]
    masses = {
        way: sum(1 - answer.other for answer in ask(model.in_prompt_format(way).labels, requests)) / 4
        for way in (before, after)
    }
    assert masses[after] > least
    assert masses[after] > 1.5 * masses[before]


@pytest.mark.parametrize(
    ("name", "kind", "chosen"),
    [
        ("smollm2", "words", "chat-answer"),
        ("smollm2", "letters", "chat"),
        ("gemma3", "words", "plain"),
        ("gemma3", "letters", "plain"),
    ],
)
def test_the_examination_chooses_where_the_usual_format_fails_and_another_passes(name, kind, chosen, load):
    found = examine_formats(in_form(load(name), "question"), kind)
    assert found is not None
    assert found.data["chosen"] == chosen


@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_a_real_model_knows_a_capital_and_reads_no_doubled_beginning(name, load):
    model = in_form(load(name), "completion")
    (begins,) = beginning(model)
    assert begins.data["count"] == {"smollm2": 0, "gemma3": 1}[name]
    prompt = "The capital of France is Paris, and the capital of Germany is"
    asked = SampleRequest(prompt, n=1, max_tokens=1, temperature=0.0, top_p=1.0, stop=(), seed=0, item="x")
    ((_, answer),) = [pair for batch in model.sample([asked]) for pair in batch]
    assert answer.texts[0].strip() == "Berlin"
