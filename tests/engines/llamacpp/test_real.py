"""A real quantised chat model: llama.cpp and transformers agree within the error of quantised arithmetic."""

import numpy as np
import pytest

import real_models
from probsense.core.records import LabelRequest, ScoreRequest
from probsense.models.base import in_form
from probsense.models.llamacpp.load import load
from probsense.models.transformers.load import load as dequantised
from support.models.answers import answers

pytestmark = pytest.mark.real

COMPLETIONS = [
    ScoreRequest("The capital of France is", (" Paris", " London", " a 12 km walk"), "."),
    ScoreRequest("Ice is cold. Fire is", (" hot", " cold", " wet")),
    ScoreRequest("A   12 is", (" a number", " a colour")),
]
ASKED = LabelRequest(
    "Is a stone heavier than a feather? Answer yes or no.", (("yes", ("yes",)), ("no", ("no",)))
)


@pytest.fixture(scope="module")
def models(smollm2):
    try:
        file = real_models.real_gguf("smollm2")
    except real_models.UnavailableError as error:
        pytest.skip(str(error))
    return load(str(file)), dequantised(str(smollm2))


def test_options_agree(models):
    tokens, logprobs, best = [], [], []
    for model in models:
        plain = in_form(model, "completion")
        rows = [[one.option for one in found.options] for found in answers(plain.score(COMPLETIONS))]
        tokens.append([option.tokens for row in rows for option in row])
        logprobs.append(np.concatenate([option.logprobs for row in rows for option in row]))
        best.append([int(np.argmax([sum(option.logprobs) for option in row])) for row in rows])
    assert tokens[0] == tokens[1]
    assert best[0] == best[1]
    apart = np.abs(logprobs[0] - logprobs[1])
    assert apart.max() < 0.5
    assert np.median(apart) < 0.1
    assert apart.max() > 1e-4, "these are the dequantised weights"


def test_questions_go_through_the_files_own_template(
    models,
):
    here, there = (in_form(model, "question") for model in models)
    assert here.details["chat"]
    assert here.details["template"] == there.details["template"]
    request = ScoreRequest(ASKED.prompt, ("Yes",))
    ((found,),), ((expected,),) = here.split([request]), there.split([request])
    assert found.ids.tolist() == expected.ids.tolist()
    assert here.encoder.tokenizer.convert_ids_to_tokens(found.ids.tolist()).count("<|im_start|>") == 3
    (ours,), (theirs,) = (answers(model.labels([ASKED])) for model in (here, there))
    assert ours.mass == pytest.approx(theirs.mass, abs=0.05)
