"""Made models that answer in one way only are asked in that way."""

import pytest

from probsense.models.base import FORMAT, ask, prompts_notes
from probsense.models.doctor import examine
from probsense.models.next_token.label_mass import ROOM
from probsense.models.prompts.control import choose, control_questions, examine_formats, seen
from support.models.speaking import speaking


def always(text):
    return True


def in_plain_text(text):
    return "[answer]" not in text and not text.endswith("\nA:")


def when_told_to_be_brief(text):
    return text.startswith("[system] Answer with one word.\n") and text.endswith("[answer]")


MADE = {
    "only in the template": (lambda text: text.endswith("[answer]"), {}, "chat", 8),
    "only in plain text": (in_plain_text, {}, "plain", 40),
    "only with a blank before labels": (always, {"blank": " "}, "chat", 8),
    "only after the beginning of an answer": (lambda text: text.endswith("Answer:"), {}, "chat-answer", 40),
    "only under a system text": (when_told_to_be_brief, {}, "chat-brief", 40),
    "never": (lambda text: False, {}, "chat", 40),
    "without listening": (always, {"follows": 0.5}, "chat", 40),
    "in plain text, without listening": (in_plain_text, {"follows": 0.5}, "chat", 40),
    "without a template": (lambda text: text.endswith("\nA:"), {"template": None}, "question-answer", 16),
}


@pytest.mark.parametrize("made", MADE)
def test_the_format_in_which_it_answers_is_found(made):
    hears, habits, chosen, questions = MADE[made]
    outcome = examine_formats(speaking(hears, **habits), "words")
    usual = speaking(hears, **habits).prompt_formats()[0]
    assert (outcome.data["chosen"], outcome.data["questions"]) == (chosen, questions)
    assert outcome.data["moved"] is (chosen != usual)
    assert outcome.ok is (True if questions == 8 else None)
    assert bool(prompts_notes([outcome])) is (chosen != usual)


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("kind", ["words", "letters"])
def test_it_finds_what_asking_everything_one_by_one_finds(made, kind):
    hears, habits, *_ = MADE[made]
    model = speaking(hears, **habits)
    asked = {
        name: [ask(model.in_prompt_format(name).labels, [one.request])[0] for one in control_questions(kind)]
        for name in model.prompt_formats()
    }
    tried = {name: seen(kind, answers) for name, answers in asked.items()}
    outcome = examine_formats(model, kind)
    assert outcome.data["chosen"] == choose(next(iter(asked)), tried)
    for name, figures in outcome.data["formats"].items():
        assert figures == pytest.approx(tried[name].to_json())


@pytest.mark.parametrize(
    "wish",
    [{"prompt_format": "chat"}, {"prompt_format": "plain"}, {"system_prompt": "Be kind."}]
    + [{"prompt_format": name} for name in ("published", "chat", "question-answer")],
)
def test_a_wish_leaves_nothing_to_examine(wish):
    model = speaking(in_plain_text, **wish)
    assert model.settled
    assert examine_formats(model, "words") is None
    assert model.usage.tokens == 0


def test_the_published_way_is_the_usual_one_and_says_so():
    usual, published = (speaking(always, prompt_format=name) for name in (None, "published"))
    for form in ("question", "completion"):
        assert usual.for_form(form).details == published.for_form(form).details
    assert usual.details["prompt_format"] == "chat"
    said = {one.name: one.detail for one in published.findings}
    assert said[FORMAT] == "asked as most published runs asked, without an examination"
    assert FORMAT not in {one.name for one in usual.findings}


def test_a_model_that_cannot_be_asked_is_asked_as_usual():
    model = speaking(always)
    assert examine_formats(model, "words", lambda *_: False) is None
    assert model.usage.tokens == 0
    short = speaking(always)
    short.runner.context = 8  # shorter than the questions
    assert examine_formats(short, "words") is None


def test_a_format_whose_questions_fail_is_no_choice():
    model = speaking(when_told_to_be_brief)
    texts = [
        model.in_prompt_format("chat-answer")._rendered(one.request.prompt, "")
        for one in control_questions("words")
    ]
    # The system text makes questions too long for the model.
    model.runner.context = max(len(model.encoder.tokenizer.encode(text)) for text in texts) + ROOM
    outcome = examine_formats(model, "words")
    assert outcome.data["chosen"] == "chat"
    assert [*outcome.data["formats"]] == ["chat", "chat-answer", "plain", "question-answer"]


def test_the_doctor_shows_what_was_tried():
    found = {one.name: one for one in examine(speaking(in_plain_text), "labels")}
    for kind, said in (("words", "yes and no"), ("letters", "letters")):
        assert found[f"{said}, prompt format"].detail == examine_formats(speaking(in_plain_text), kind).detail
    assert (
        found["yes and no, plain"].detail
        == "at least 90.0 % on the labels, and 90.0 % of that on given answers"
    )
    assert "yes and no, chat" not in {one.name for one in examine(speaking(always), "labels")}
