"""Tests of our scorer inside lm-evaluation-harness, beside its own model ``hf``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

lm_eval = pytest.importorskip(
    "lm_eval", reason="lm-evaluation-harness is not installed: pip install 'probsense[lm-eval]'"
)
torch = pytest.importorskip("torch")

from lm_eval.api.instance import Instance  # noqa: E402
from lm_eval.models.huggingface import HFLM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

import probsense.models  # noqa: E402
from probsense.interop.harness import ProbSenseLM  # noqa: E402

TINY = Path(probsense.models.__file__).parent / "tiny"
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
    return kind(pretrained=str(TINY), device="cpu", dtype="float32", **options)


@pytest.fixture(scope="module")
def both() -> tuple[HFLM, HFLM]:
    return model(ProbSenseLM), model(HFLM, batch_size=4)


def instances(kind: str, arguments: list[tuple[Any, ...]]) -> list[Instance]:
    return [Instance(kind, {}, one, i) for i, one in enumerate(arguments)]


def test_loglikelihoods_are_those_of_hf(both: tuple[HFLM, HFLM]) -> None:
    ours, theirs = (lm.loglikelihood(instances("loglikelihood", PAIRS), disable_tqdm=True) for lm in both)
    for (value, greedy), (expected, expected_greedy) in zip(ours, theirs, strict=True):
        assert value == pytest.approx(expected, abs=1e-4, rel=2e-6)
        assert greedy is expected_greedy


def test_greedy_continuations_are_found(both: tuple[HFLM, HFLM]) -> None:
    """What the model itself writes is greedy; so are its beginnings, and nothing else."""
    context = "From the first to the last, the words are"
    ids = torch.tensor([both[1].tok_encode(context)])
    tokens = both[1].model.generate(ids, max_new_tokens=6, do_sample=False)[0, ids.shape[1] :]
    written = both[1].tok_decode(tokens)
    pairs = [(context, written), (context, written[:-3] + "xyz")]
    (_, first), (_, second) = both[0].loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    assert (first, second) == tuple(
        greedy for _, greedy in both[1].loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    )
    assert first


def test_rolling_loglikelihoods_are_those_of_hf(both: tuple[HFLM, HFLM]) -> None:
    texts = [("A short text.",), ("many words of a long text " * 400,)]
    ours, theirs = (lm.loglikelihood_rolling(instances("loglikelihood_rolling", texts)) for lm in both)
    assert ours == pytest.approx(theirs, rel=2e-6)
    assert both[0].batch_size == 1


def test_every_token_is_fed_once() -> None:
    ours = model(ProbSenseLM)
    context = "The lamp is brighter than the candle, and the candle is brighter than the stove."
    pairs = [(context, f" {word} and so on") for word in ("Yes", "No", "Maybe", "Never")]
    ours.loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    usage = ours._runner.usage
    assert usage.tokens < len(ours.tok_encode(context)) + 4 * 12
    assert usage.naive > 3 * len(ours.tok_encode(context))


def test_exact_join_takes_the_tokens_where_the_texts_meet() -> None:
    """The end of a context may be no token of the whole text; the harness then loses a part of the continuation."""
    theirs, ours = model(HFLM), model(ProbSenseLM, exact_join=True)
    for context, continuation in PAIRS[:3]:
        assert ours._encode_pair(context, continuation) == theirs._encode_pair(context, continuation)
    lost = [
        (context, continuation)
        for context, continuation in [("the wor", "ds are here"), ("From the fir", "st to the last")]
        if "".join(ours.tok_decode(theirs._encode_pair(context, continuation)[1])) != continuation
    ]
    assert lost
    for context, continuation in lost:
        head, tail = ours._encode_pair(context, continuation)
        assert head + tail == ours.tok_encode(context + continuation)
        assert ours.tok_decode(tail).endswith(continuation)


def evaluated(lm: HFLM, **options: Any) -> dict[str, Any]:
    return lm_eval.simple_evaluate(
        model=lm,
        tasks=["probsense_test_choice", "probsense_test_word", "probsense_test_text"],
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
def test_tasks_have_the_same_results(both: tuple[HFLM, HFLM], shots: int) -> None:
    ours, theirs = (figures(evaluated(lm, num_fewshot=shots)) for lm in both)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert len(ours) >= 4


def test_its_cache_works(both: tuple[HFLM, HFLM], tmp_path: Path) -> None:
    first = figures(evaluated(both[0], use_cache=str(tmp_path / "cache")))
    before = both[0]._runner.usage.requests, both[0]._runner.usage.tokens
    assert figures(evaluated(both[0], use_cache=str(tmp_path / "cache"))) == first
    assert (both[0]._runner.usage.requests, both[0]._runner.usage.tokens) == before


def test_the_command_runs(tmp_path: Path) -> None:
    command = ["-m", "probsense.interop.harness_command", "run", "--model", "probsense", "--device", "cpu"]
    command += ["--model_args", f"pretrained={TINY},dtype=float32", "--tasks", "probsense_test_choice"]
    command += ["--include_path", str(TASKS), "--output_path", str(tmp_path), "--log_samples"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (found,) = tmp_path.rglob("results_*.json")
    results = json.loads(found.read_text())
    expected = figures(evaluated(model(HFLM)))
    assert results["results"]["probsense_test_choice"]["acc,none"] == pytest.approx(
        expected["probsense_test_choice acc,none"]
    )
    assert list(tmp_path.rglob("samples_*.jsonl"))
