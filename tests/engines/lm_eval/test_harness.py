"""Tests of our scorer inside lm-evaluation-harness, beside its own model ``hf``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lm_eval
import pytest
import torch
import transformers
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

import probsense.models
from probsense.core.errors import InputError
from probsense.interop.lm_eval.model import ProbSenseLM

TINY = Path(probsense.models.__file__).parent / "small" / "tiny"
TOKENIZER = transformers.AutoTokenizer.from_pretrained(TINY)
TOKENIZER.eos_token = TOKENIZER.pad_token = TOKENIZER.bos_token
"""The harness writes no texts without a token for the end."""
TASKS = Path(__file__).parent / "harness_tasks"
PAIRS = [
    ("The lamp is brighter than the candle.", " So the candle is dimmer."),
    ("The lamp is brighter than the candle.", " So the candle"),
    ("The lamp is brighter than the candle.", " No."),
    ("The lamp is brighter than the candle.", " Yes."),
    ("", "The rope is thick."),
    ("", "The rope is thick."),
    ("A question ends in a blank: ", "one word"),
    ("words " * 1500, "and then the end of it"),
    ("Short", " " + "a long continuation " * 30),
]


def model(kind: type[HFLM], **options: Any) -> HFLM:
    return kind(pretrained=str(TINY), tokenizer=TOKENIZER, **{"device": "cpu", "dtype": "float32", **options})


@pytest.fixture(scope="module")
def both():
    return model(ProbSenseLM), model(HFLM, batch_size=4)


def instances(kind: str, arguments: list[tuple[Any, ...]]) -> list[Instance]:
    return [Instance(kind, {}, one, i) for i, one in enumerate(arguments)]


def test_loglikelihoods_are_those_of_hf(both):
    ours, theirs = (lm.loglikelihood(instances("loglikelihood", PAIRS), disable_tqdm=True) for lm in both)
    for (value, greedy), (expected, expected_greedy) in zip(ours, theirs, strict=True):
        assert value == pytest.approx(expected, abs=1e-4, rel=2e-6)
        assert greedy is expected_greedy


def test_every_token_is_fed_once():
    ours = model(ProbSenseLM)
    context = "The lamp is brighter than the candle, and the candle is brighter than the stove."
    pairs = [(context, f" {word} and so on") for word in ("Yes", "No", "Maybe", "Never")]
    ours.loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    usage = ours._runner.usage
    assert usage.tokens < len(ours.tok_encode(context)) + 4 * 12
    assert usage.naive > 3 * len(ours.tok_encode(context))


def test_a_shorter_context_is_cut_as_by_hf(caplog):
    ours, theirs = (model(kind, max_length=48) for kind in (ProbSenseLM, HFLM))
    pairs = [pair for pair in PAIRS if len(pair[1]) < 40]
    found, expected = (lm.loglikelihood(instances("loglikelihood", pairs), True) for lm in (ours, theirs))
    assert [value for value, _ in found] == pytest.approx([value for value, _ in expected], abs=1e-4)
    assert "1 of 8 requests are longer than 48 tokens" in caplog.text
    texts = [("many words of a long text " * 40,)]
    rolled, rolled_there = (
        lm.loglikelihood_rolling(instances("loglikelihood_rolling", texts)) for lm in (ours, theirs)
    )
    assert rolled == pytest.approx(rolled_there, rel=2e-6)
    assert ours.batch_size == 1
    assert caplog.text.count("longer than") == 1


@pytest.mark.parametrize(("context", "continuation"), [("Short", " long" * 60), ("the wor", "d")])
def test_what_hf_cannot_score_is_one_line(context, continuation):
    """A continuation longer than the context, and one that melts into the last token of its context."""
    asked = instances("loglikelihood", [(context, continuation)])
    with pytest.raises(AssertionError):
        model(HFLM, max_length=48).loglikelihood(asked, True)
    with pytest.raises(InputError, match="1 to 48 of the continuation"):
        model(ProbSenseLM, max_length=48).loglikelihood(asked, True)


@pytest.mark.parametrize("kind", ["encoder-decoder", "mixed precision"])
def test_what_is_asked_as_by_hf_has_its_very_numbers(kind, monkeypatch):
    """With its batches, too: one batch of all windows would not fit into memory."""
    if kind == "mixed precision":
        pair = [model(each, mixed_precision_dtype="bfloat16") for each in (ProbSenseLM, HFLM)]
    else:
        sizes = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
        config = transformers.T5Config(
            vocab_size=len(TOKENIZER), **sizes, decoder_start_token_id=0, initializer_factor=2.0
        )
        torch.manual_seed(0)
        t5 = transformers.T5ForConditionalGeneration(config).eval()
        pair = [each(pretrained=t5, tokenizer=TOKENIZER, max_length=256) for each in (ProbSenseLM, HFLM)]
    asked = instances("loglikelihood", PAIRS[:4])
    assert pair[0].loglikelihood(asked, True) == pair[1].loglikelihood(asked, True)
    fed = []
    call = pair[0]._model_call
    monkeypatch.setattr(
        pair[0], "_model_call", lambda inps, **more: fed.append(len(inps)) or call(inps, **more)
    )
    texts = instances("loglikelihood_rolling", [("many words of a long text " * 80,), ("a rope " * 200,)])
    assert pair[0].loglikelihood_rolling(texts, True) == pair[1].loglikelihood_rolling(texts, True)
    assert set(fed) == {1}
    assert "_runner" not in vars(pair[0])


ALL = ("probsense_test_choice", "probsense_test_word", "probsense_test_text", "probsense_test_written")


def evaluated(lm: HFLM, tasks: Sequence[str] = ALL, **options: Any) -> dict[str, Any]:
    return lm_eval.simple_evaluate(
        model=lm,
        tasks=list(tasks),
        task_manager=TaskManager(include_path=str(TASKS), include_defaults=False),
        bootstrap_iters=0,
        log_samples=True,
        **options,
    )


def figures(found: dict[str, Any]) -> dict[str, float]:
    return {
        f"{task} {name}": value
        for task, row in found["results"].items()
        for name, value in row.items()
        if isinstance(value, float)
    }


@pytest.mark.parametrize("shots", [0, 2])
def test_tasks_have_the_same_results(both, shots):
    ours, theirs = (figures(evaluated(lm, num_fewshot=shots)) for lm in both)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert len(ours) >= 5


def test_its_cache_works(both, tmp_path):
    first = figures(evaluated(both[0], use_cache=str(tmp_path / "cache")))
    before = both[0]._runner.usage.requests, both[0]._runner.usage.tokens
    assert figures(evaluated(both[0], use_cache=str(tmp_path / "cache"))) == first
    assert (both[0]._runner.usage.requests, both[0]._runner.usage.tokens) == before
