"""The benchmark of workers in Ray asks both numbers of them the same questions."""

from __future__ import annotations

import ray_workers


def test_workers_read_as_much_as_one_process() -> None:
    (seconds, one), (_, two) = (ray_workers.asked("builtin:tiny", number, 40) for number in (1, 2))
    assert seconds > 0
    assert 0 < one <= two < 1.2 * one
