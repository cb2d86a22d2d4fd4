"""What the benchmark inside lm-evaluation-harness asks and compares; it times nothing here, and asks no network."""

from __future__ import annotations

import pytest

from harness import compare
from harness_workloads import choices


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
