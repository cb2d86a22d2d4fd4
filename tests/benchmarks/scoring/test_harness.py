"""What the benchmark inside lm-evaluation-harness asks and compares; it times nothing here, and asks no network."""

from __future__ import annotations

from typing import Any

import pytest

import shapes
from harness import compare
from harness_workloads import LETTERS, TASKS, choices, texts


@pytest.mark.parametrize("name", TASKS)
def test_more_documents_begin_with_the_same_ones(name: str) -> None:
    task = TASKS[name]
    few, more = task.make(60), task.make(110)
    assert more[: len(few)] == few
    assert len(few) < len(more)
    assert len(few) == 2 if task.rolling else len(few) == 60 * task.options


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.options > 1])
def test_options_of_a_document_have_its_context_and_differ(name: str) -> None:
    task = TASKS[name]
    asked = task.make(8)
    for i in range(0, len(asked), task.options):
        (contexts, options) = (set(part) for part in zip(*asked[i : i + task.options], strict=True))
        assert len(contexts) == 1
        assert len(options) == task.options


def test_examples_are_repeated_as_the_harness_repeats_them() -> None:
    """MMLU's are those of the subject; ARC's are drawn for each question."""
    asked = [context for context, option in TASKS["mmlu-5-shot"].make(6) if option == f" {LETTERS[0]}"]
    before = [context[: context.rindex("\n\n")] for context in asked]
    assert before[::2] == [before[0]] * 3
    assert before[1::2] == [before[1]] * 3
    assert before[0] != before[1]
    assert all(context.count("Answer:") == 6 for context in asked)
    drawn = [context for context, _ in TASKS["arc-25-shot"].make(3)][::4]
    assert all(context.count("Question:") == 26 for context in drawn)
    assert len({context.split("\n\n")[0] for context in drawn}) == 3


def test_texts_hold_words_of_every_task() -> None:
    assert len(texts()) > 100
    assert any("Question:" in text for text in texts())


def test_choices_are_the_most_probable_options() -> None:
    assert choices([-3.0, -1.0, -2.0, -5.0], 2) == [1, 0]
    assert choices([-3.0, -1.0, -2.0, -5.0], 4) == [1]


def test_rounding_is_reported() -> None:
    assert compare([(-10.0, True), (-2.0, False)], [(-10.0005, True), (-2.0, False)], 2) == pytest.approx(
        5e-4
    )


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ([(-10.1, False), (-2.0, False)], "differ by 0.1 nats"),
        ([(-10.0, True), (-2.0, False)], "what is greedy"),
    ],
)
def test_other_results_end_the_benchmark(theirs: list[tuple[float, bool]], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        compare([(-10.0, False), (-2.0, False)], theirs, 2)


def test_other_choices_end_the_benchmark() -> None:
    with pytest.raises(SystemExit, match="different options"):
        compare([(-2.0, False), (-2.0001, False)], [(-2.0001, False), (-2.0, False)], 2)


def test_the_larger_llama_has_the_size_of_its_name() -> None:
    import torch

    with torch.device("meta"):
        network: Any = shapes.NETWORKS["llama-110m"]()
    assert sum(p.numel() for p in network.parameters()) == pytest.approx(110e6, rel=0.01)
