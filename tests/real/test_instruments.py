"""All instruments on a real chat model: what only such a model shows."""

from __future__ import annotations

from collections.abc import Mapping
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

FEW: Mapping[str, tuple[bool, Mapping[str, Any]]] = {
    "frames": (True, {"limit": 2, "answers": 3, "shots": 2}),
    "judgments": (True, {"limit": 6}),
    "suite": (False, {"limit": 3}),
    "winogrande": (False, {"limit": 4}),
    "worldsense": (True, {"limit": 6, "problems": ["Infer.trivial"], "sizes": [3]}),
}
"""Whether a task's questions go through the chat template, and options that ask few of them."""


@pytest.fixture(scope="module")
def model(smollm2: Path) -> LanguageModel:
    """SmolLM2, loaded once."""
    loaded = load_model(f"hf:{smollm2}")
    assert isinstance(loaded, LanguageModel)
    return loaded


@pytest.mark.parametrize("task", FEW)
def test_every_instrument_asks_a_chat_model_in_the_way_that_fits(task: str, model: LanguageModel) -> None:
    chat, options = FEW[task]
    run = evaluate(task, model, store=None, quiet=True, **options)
    assert run.details.get("chat", False) is chat
    assert run.covered["answered"] == run.covered["asked"] > 0
    assert run.summary()
    for estimate in run.summary():
        assert np.isfinite(estimate.value)
        low, high = run.words.bounds(estimate.measure)
        assert low <= estimate.value <= high


def test_yes_and_no_have_a_sane_share_of_the_probability(model: LanguageModel) -> None:
    run = evaluate("judgments", model, store=None, quiet=True, limit=9)
    masses = run.table().select("p_yes", "p_no", "p_other").to_numpy()
    assert masses.sum(axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (masses[:, :2] > 1e-4).all()
    assert 0.1 < masses[:, :2].sum(axis=1).mean() < 0.9
    assert masses[:, 0].std() > 1e-3  # the statement makes a difference


def test_open_answers_can_be_read(model: LanguageModel) -> None:
    run = evaluate("frames", model, store=None, quiet=True, limit=2, answers=5, shots=3)
    texts = [own["answer"] for answers in run.table()["answers"] for own in answers]
    assert len(texts) > 5
    for text in texts:
        assert "<|" not in text
        assert text.isprintable()
        assert sum(char.isalpha() or char == " " for char in text) > 0.8 * len(text)


@pytest.mark.parametrize("form", ["completion", "question"])
def test_no_text_begins_with_two_tokens_of_its_beginning(form: Any, model: LanguageModel) -> None:
    ((aligned,),) = in_form(model, form).split([ScoreRequest("Is ice cold?", (" Yes",))])  # type: ignore[attr-defined]
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
def stock(smollm2: Path) -> Stock:
    return Stock(smollm2)


def test_scores_are_those_of_a_plain_loop(stock: Stock, model: LanguageModel) -> None:
    prefix, options = "The capital of France is", (" Paris", " a banana")
    ((_, response),) = next(in_form(model, "completion").score([ScoreRequest(prefix, options)]))
    for option, scored in zip(options, response.options, strict=True):
        logprobs, ids = stock.next_tokens(prefix + option)
        first = len(stock.tokenizer(prefix, add_special_tokens=False).input_ids)
        expected = [logprobs[i - 1, ids[i]] for i in range(first, len(ids))]
        assert scored.option.logprobs == pytest.approx(expected, abs=1e-4)


def test_label_mass_and_the_most_probable_text_are_those_of_a_plain_loop(
    stock: Stock, model: LanguageModel
) -> None:
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


def test_personas_are_system_messages_whose_beginning_is_read_once(
    model: LanguageModel, tmp_path: Path
) -> None:
    """SmolLM2's template has a system message of its own, in place of which the description stands."""
    descriptions = [
        f"You are {name}. {'You keep goats on a hill and sell cheese. ' * 8}" for name in ("Ann", "Bo")
    ]
    personas, before = tmp_path / "personas.csv", model.usage
    lines = [f"{name},{text}" for name, text in zip(("Ann", "Bo"), descriptions, strict=True)]
    personas.write_text("\n".join(["persona,description", *lines]) + "\n")
    run = evaluate(
        "judgments",
        model,
        store=None,
        quiet=True,
        conditions=f"persona={personas}",
        limit=12,
        questions=["q1", "q2"],
        other="drop",
    )
    request = next(iter(run.outcome.answers))
    assert isinstance(request, LabelRequest)
    rendered = model._rendered(request.prompt, request.system)
    assert rendered.startswith(f"<|im_start|>system\n{request.system}<|im_end|>\n<|im_start|>user\nConsider")
    used = model.usage.since(before)
    assert used.saved > 0.5  # Twelve prompts share two long beginnings.
    assert found(run, "persona") > 0


def test_prompts_that_vary_are_read_by_their_own_words(model: LanguageModel) -> None:
    options = {"conditions": "labels", "questions": ["q1"], "limit": 12, "other": "drop"}
    run = evaluate("judgments", model, store=None, quiet=True, **options)
    assert found(run, "question") + found(run, "labels") + found(run, "question × labels") == pytest.approx(
        1, abs=0.02
    )
    by_words = {request.labels[0][1]: reply for request, reply in run.outcome.answers.items()}  # type: ignore[union-attr]
    assert len(by_words) == 5
    assert all(reply.other < 0.99 for reply in by_words.values())  # type: ignore[union-attr]
    # "agree" is a token at the beginning of an answer, and "disagree" is two: both are spelled out.
    spelled = [words for words, reply in by_words.items() if "spelled out" in reply.note]  # type: ignore[union-attr]
    assert spelled == [("agree",)]


def found(run: Any, component: str) -> float:
    """The share of a component of the variance."""
    (share,) = (
        e.value
        for e in run.summary()
        if e.measure == "condition_share"
        and e.by["component"] == component
        and e.by.get("question") in (None, "q1")
    )
    return float(share)
