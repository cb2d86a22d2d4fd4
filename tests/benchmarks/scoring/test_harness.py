"""What the benchmark inside lm-evaluation-harness asks and compares; it times nothing here, and asks no network."""

from __future__ import annotations

import pytest

from harness import compare


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
