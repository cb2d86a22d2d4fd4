"""Models of lm-evaluation-harness as ours, beside ``hf:`` on the same network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import probsense as ps
import probsense.models
from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    Failure,
    LabelRequest,
    SampleRequest,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Model
from probsense.models.lm_eval import load
from probsense.models.transformers import load as hf

TINY = str(Path(probsense.models.__file__).parent / "small" / "tiny")
REQUESTS = [
    ScoreRequest("The lamp is brighter than the candle. Is it?", (" Yes", " No", " Maybe it is")),
    ScoreRequest("The soup is", (" hotter", " colder"), " than the tea."),
    ScoreRequest("", ("The rope is thick.", "The rope is red.")),
]


@pytest.fixture(scope="module")
def theirs():
    return load(f"hf,pretrained={TINY},device=cpu", model_arg=["dtype=float32", "batch_size=4"])


def answers(model: Model, requests: Sequence[ScoreRequest]) -> list[ScoreResponse | Failure]:
    found = dict(pair for batch in model.score(requests) for pair in batch)
    return [found[i] for i in range(len(requests))]


def test_what_stands_before_a_text_is_read_with_it(theirs):
    asked = ScoreRequest("The soup is", (" hotter",), " than the tea.", system="You cook.")
    plain = ScoreRequest("You cook.\n\nThe soup is", (" hotter",), " than the tea.")
    assert answers(theirs, [asked]) == answers(theirs, [plain])


def test_log_likelihoods_are_those_of_hf(theirs):
    ours = hf.load(TINY, dtype="float32", device="cpu")
    for one, other in zip(answers(theirs, REQUESTS), answers(ours, REQUESTS), strict=True):
        assert isinstance(one, ScoreResponse)
        assert isinstance(other, ScoreResponse)
        for score, expected in zip(one.options, other.options, strict=True):
            assert sum(score.option.logprobs) == pytest.approx(sum(expected.option.logprobs), abs=1e-4)
            assert sum(score.suffix.logprobs) == pytest.approx(sum(expected.suffix.logprobs), abs=1e-4)
            assert (score.option.chars, score.option.bytes) == (expected.option.chars, expected.option.bytes)
            assert score.option.only_sum
            assert not expected.option.only_sum


def test_tasks_run_and_rules_of_tokens_are_refused(theirs, tmp_path):
    stores = tmp_path / "theirs.db", tmp_path / "ours.db"
    run, ours = (
        ps.evaluate("winogrande", model, limit=4, store=store, quiet=True)
        for model, store in zip((theirs, "builtin:tiny"), stores, strict=True)
    )
    assert run.table().select("id", "resp").equals(ours.table().select("id", "resp"))
    with pytest.raises(
        InputError, match=r"no view 'token' \(expected one of sum, char, byte, partial, full\)"
    ):
        ps.evaluate("winogrande", theirs, limit=4, rule="token", store=stores[0], quiet=True).table()


def test_details_name_the_class_the_arguments_and_the_versions(theirs):
    details = theirs.details
    assert details["class"] == "hf"
    assert details["arguments"]["pretrained"].startswith("sha256:")
    assert details["arguments"]["dtype"] == "float32"
    assert {"lm_eval", "torch", "transformers"} <= details["versions"].keys()
    assert "api_key" not in load("dummy", model_arg=["api_key=sk-secret"]).details["arguments"]


def test_what_it_cannot_do_is_one_line(theirs):
    with pytest.raises(ModelError, match="it only scores options"):
        theirs.labels([LabelRequest("Is it?", (("yes", ("yes",)),))])
    with pytest.raises(ModelError, match="it only scores options"):
        theirs.sample([SampleRequest("Is it?")])
    with pytest.raises(ModelError, match="cannot score this"):
        answers(theirs, [ScoreRequest("the wor", ("d",))])


@pytest.mark.parametrize(
    ("argument", "words", "said"),
    [
        ("hff", [], r"no such model of lm-evaluation-harness: 'hff'; did you mean 'hf'\?"),
        ("hf,pretrained", [], "'pretrained' of lm-eval:hf .expected NAME=VALUE"),
        ("hf", ["=3"], "'=3' of lm-eval:hf .expected NAME=VALUE"),
    ],
)
def test_wrong_arguments_are_one_line(argument, words, said):
    with pytest.raises(InputError, match=said):
        load(argument, model_arg=words)


def test_a_class_that_refuses_its_arguments_is_one_line():
    with pytest.raises(ModelError, match="lm-eval:gguf cannot be loaded: must pass `base_url`"):
        load("gguf")
