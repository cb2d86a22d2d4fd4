"""Our models inside inspect, and what it tells of the models of others."""

from __future__ import annotations

import math
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    get_model,
)
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from engines.inspect.asking import asked, found, mock
from probsense.core.errors import InputError
from probsense.core.records import SampleRequest
from probsense.interop.inspect.model import text_request
from probsense.models.base import in_form
from probsense.models.registry import load_model


def test_labels_come_from_the_most_probable_first_words(tmp_path):
    def answer(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", "Yes")
        top = [
            TopLogprob(token=word, logprob=math.log(p))
            for word, p in (("No", 0.2), (" yes", 0.1), ("Yes", 0.6))
        ]
        output.choices[0].logprobs = Logprobs(content=[Logprob(token="Yes", logprob=-0.5, top_logprobs=top)])
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    log = asked("probsense/judgments", model, tmp_path, task_args={"limit": 6, "method": "labels"})
    assert found(log)["yes_mass question=q1"] == pytest.approx(0.7)
    without = asked("probsense/judgments", mock(str), tmp_path, task_args={"limit": 6, "method": "labels"})
    assert without.error is not None
    assert "gives no probabilities of first words" in without.error.message


def test_our_models_answer_tasks_of_others(tmp_path):
    questions = [f"What is {k}?" for k in range(3)]
    task = Task(
        dataset=[Sample(input=one, target="1") for one in questions], solver=generate(), scorer=match()
    )
    log = asked(task, "probsense/builtin:tiny", tmp_path, max_tokens=8)
    assert log.status == "success"
    assert log.samples is not None
    requests = [SampleRequest(one, max_tokens=8) for one in questions]
    answers = dict(
        one for batch in in_form(load_model("builtin:tiny"), "question").sample(requests) for one in batch
    )
    assert [sample.output.completion for sample in log.samples] == [answers[i].texts[0] for i in range(3)]
    assert log.samples[0].output.stop_reason == "max_tokens"


def test_a_model_that_cannot_be_had_is_one_line(tmp_path):
    with pytest.raises(PrerequisiteError, match="no such kind of model: 'hff'"):
        asked("probsense/winogrande", "probsense/hff:x", tmp_path)


def test_a_conversation_becomes_turns():
    messages = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="Hi"),
        ChatMessageAssistant(content="Ho"),
        ChatMessageUser(content="Why?"),
    ]
    config = GenerateConfig(max_tokens=7, temperature=0.5, top_p=0.9, stop_seqs=["."], num_choices=2, seed=3)
    assert text_request(messages, config) == SampleRequest(
        "Why?", 2, 7, 0.5, 0.9, (".",), 3, turns=(("Be brief.\n\nHi", "Ho"),)
    )
    with pytest.raises(InputError, match="ends with the model's own words"):
        text_request(messages[:3], config)
