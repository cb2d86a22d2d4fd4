"""No thought is ever an answer, wherever a text is cut and whatever stands in the thought."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import Failure, SampleResponse
from probsense.models.prompts.thoughts import (
    KNOWN,
    UNFINISHED,
    Split,
    closed,
    split,
    without_thoughts,
)

SURE = [markers for markers in KNOWN if not markers.first]
WORDS = st.text(st.sampled_from("ab yesno.\n"), max_size=12)


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("pizza", None, "pizza"),
        (" yes\n", None, " yes\n"),
        ("", None, ""),
        ("<think>\nOkay, the user asks. yes\n</think>\n\npizza", "Okay, the user asks. yes", "pizza"),
        ("<think></think>no", "", "no"),
        ("<think>Okay, the user", "Okay, the user", None),
        # The template wrote the beginning.
        ("Okay.\n</think>\n\npizza", "Okay.", "pizza"),
        # One in another, and one after another.
        ("<think>a <think> b </think> c </think> pizza", "a <think> b\n\nc", "pizza"),
        ("<think>a</think><think>b</think>pizza", "a\n\nb", "pizza"),
        ("Well. <think>a</think> pizza", "a", "Well.  pizza"),
        # Markers that stand for themselves.
        ('The tag "<think>" begins it.', None, 'The tag "<think>" begins it.'),
        ("It is `</think>`.", None, "It is `</think>`."),
        ("<think>Say `</think>`?</think> no", "Say `</think>`?", "no"),
        ("[THINK]a[/THINK]b", "a", "b"),
        ("<|START_THINKING|>a<|END_THINKING|>b", "a", "b"),
        ("<|channel>thought\na\n<channel|>b", "a", "b"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            "a<|end|><|start|>assistant",
            "b",
        ),
        ("<|channel|>final<|message|>b<|return|>", "", "b"),
        ("<|channel|>analysis<|message|>a", "a", None),
        ("analysisWe need one word.assistantfinalpizza", "We need one word.", "pizza"),
        ("analysis", None, "analysis"),
        ("analysis of the assistant", None, "analysis of the assistant"),
        ("Here is my thought process:\na\n\nHere is my response:\nb", "a", "b"),
        ("Here is my thought process:\na", "a", None),
        ("So. Here is my response: b", None, "So. Here is my response: b"),
    ],
)
def test_a_text_is_divided(text, thought, answer):
    assert split(text) == Split(thought, answer)


@given(markers=st.sampled_from(SURE), thought=WORDS, answer=WORDS, begun=st.booleans(), data=st.data())
def test_nothing_of_a_thought_is_answer_wherever_it_is_cut(markers, thought, answer, begun, data):
    text = f"{markers.start if begun else ''}{thought}{markers.end}{answer}"
    found = split(text)
    assert (found.thought, found.answer) == (thought.strip(), answer.strip())
    cut = text[: data.draw(st.integers(0, len(text)))]
    at = len(text) - len(answer)
    if len(cut) >= at:
        assert split(cut).answer == cut[at:].strip()
    elif begun and len(cut) >= len(markers.start):
        assert split(cut).answer is None


@given(st.lists(st.sampled_from([*"ab `", "<think>", "</think>", "[THINK]", "analysis", "assistantfinal"])))
def test_any_text_can_be_divided(pieces):
    found = split("".join(pieces))
    assert found.answer is not None or found.thought is not None


def test_answers_are_kept_and_unfinished_texts_counted():
    plain = SampleResponse(("yes", "no"), cut=(False, True))
    assert without_thoughts(plain) is plain
    mixed = SampleResponse(("<think>a</think>yes", "<think>no", "no"), cut=(False, True, True))
    assert without_thoughts(mixed) == SampleResponse(
        ("yes", "no"), cut=(False, True), thoughts=("a", ""), unfinished=1
    )
    assert without_thoughts(SampleResponse(("<think>a", "<think>b"))) == Failure(UNFINISHED, 0)


@pytest.mark.parametrize(
    ("prompt", "end"),
    [
        ("[user] Hi\n[assistant]<think>\n", "[user] Hi\n[assistant]<think>\n\n</think>\n\n"),
        ("[assistant][THINK]", "[assistant][THINK]\n\n[/THINK]\n\n"),
        *((other, other) for other in ("", "<think> is a tag. [answer]", "<think>\n\n</think>\n\n", "a\n")),
    ],
)
def test_a_thought_that_a_prompt_opens_is_closed(prompt, end):
    assert closed(prompt) == closed(end) == end
