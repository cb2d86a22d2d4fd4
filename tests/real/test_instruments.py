"""All instruments on a real chat model: what only such a model shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from probsense.analysis.distributions.label_mass import YES_NO
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import in_form
from probsense.models.next_token.label_mass import opening_tokens
from probsense.models.next_token.model import LanguageModel
from probsense.models.registry import load_model
from probsense.runs.evaluate import evaluate

pytestmark = [pytest.mark.real, pytest.mark.slow]

FEW = {
    "frames": (True, {"limit": 2, "answers": 3, "shots": 2}),
    "judgments": (True, {"limit": 6}),
    "suite": (False, {"limit": 3}),
    "winogrande": (False, {"limit": 4}),
    "worldsense": (True, {"limit": 6, "problems": ["Infer.trivial"], "sizes": [3]}),
}
"""Whether a task's questions go through the chat template, and options that ask few of them."""


@pytest.fixture(scope="module")
def model(smollm2):
    """SmolLM2, loaded once."""
    loaded = load_model(f"hf:{smollm2}")
    assert isinstance(loaded, LanguageModel)
    return loaded


@pytest.mark.parametrize("task", FEW)
def test_every_instrument_asks_a_chat_model_in_the_way_that_fits(task, model):
    chat, options = FEW[task]
    run = evaluate(task, model, store=None, quiet=True, **options)
    assert run.details.get("chat", False) is chat
    assert run.covered["answered"] == run.covered["asked"] > 0
    assert run.summary()
    for estimate in run.summary():
        assert np.isfinite(estimate.value)
        low, high = run.words.bounds(estimate.measure)
        assert low <= estimate.value <= high


def test_yes_and_no_have_a_sane_share_of_the_probability(model):
    run = evaluate("judgments", model, store=None, quiet=True, limit=9)
    masses = run.table().select("p_yes", "p_no", "p_other").to_numpy()
    assert masses.sum(axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (masses[:, :2] > 1e-4).all()
    assert 0.1 < masses[:, :2].sum(axis=1).mean() < 0.9
    assert masses[:, 0].std() > 1e-3  # the statement makes a difference


@pytest.mark.parametrize("form", ["completion", "question"])
def test_no_text_begins_with_two_tokens_of_its_beginning(form, model):
    ((aligned,),) = in_form(model, form).split([ScoreRequest("Is ice cold?", (" Yes",))])
    pieces = model.encoder.tokenizer.convert_ids_to_tokens(aligned.ids.tolist())
    assert pieces[:2].count("<|im_start|>") == (form == "question")
    assert (pieces[:2] == ["Is", "Ġice"]) == (form == "completion")


class Stock:
    """The same model as its makers load it."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def next_tokens(self, text: str) -> tuple[Any, list[int]]:
        """The log-probabilities after each token of a text, and its ids."""
        ids = self.tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.inference_mode():
            return self.network(ids).logits[0].log_softmax(-1).numpy(), ids[0].tolist()


@pytest.fixture(scope="module")
def stock(smollm2):
    return Stock(smollm2)


def test_scores_are_those_of_a_plain_loop(stock, model):
    prefix, options = "The capital of France is", (" Paris", " a banana")
    ((_, response),) = next(in_form(model, "completion").score([ScoreRequest(prefix, options)]))
    for option, scored in zip(options, response.options, strict=True):
        logprobs, ids = stock.next_tokens(prefix + option)
        first = len(stock.tokenizer(prefix, add_special_tokens=False).input_ids)
        expected = [logprobs[i - 1, ids[i]] for i in range(first, len(ids))]
        assert scored.option.logprobs == pytest.approx(expected, abs=1e-4)


def test_label_mass_and_the_most_probable_text_are_those_of_a_plain_loop(stock, model):
    question = "Is ice cold? Answer with yes or no."
    turns = [{"role": "user", "content": question}]
    text = stock.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    logprobs, ids = stock.next_tokens(text)
    chat = in_form(model, "question")
    ((_, labels),) = next(chat.labels([LabelRequest(question, YES_NO)]))
    words = [stock.tokenizer.decode([token]) for token in range(logprobs.shape[1])]
    p = np.exp(logprobs[-1])
    # The note names the opening marks after which it was read, too.
    marks = [(p[i], np.exp(stock.next_tokens(text + words[i])[0][-1])) for i in opening_tokens(words)]
    read = [
        pair for pair, i in zip(marks, opening_tokens(words), strict=True) if repr(words[i]) in labels.note
    ]
    for name in ("yes", "no"):
        same = [i for i, word in enumerate(words) if "".join(filter(str.isalpha, word)).lower() == name]
        expected = p[same].sum() + sum(share * after[same].sum() for share, after in read)
        assert labels.mass[name] == pytest.approx(expected, abs=1e-4)
        assert p[same].sum() + sum(share * after[same].sum() for share, after in marks) < expected + 0.01
    asked = SampleRequest(question, n=1, max_tokens=6, temperature=0.0, top_p=1.0, stop=(), seed=0, item="x")
    ((_, written),) = next(chat.sample([asked]))
    greedy = stock.network.generate(torch.tensor([ids]), max_new_tokens=6, do_sample=False)[0, len(ids) :]
    assert written.texts[0] == stock.tokenizer.decode(greedy, skip_special_tokens=True)
