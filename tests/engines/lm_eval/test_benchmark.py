"""The benchmark asks a model of the harness by the verb of the task."""

from __future__ import annotations

from typing import Any

from harness import run
from harness_workloads import TASKS


def test_a_model_is_asked_by_the_verb_of_the_task():
    class Asked:
        batch_size_per_gpu = 0

        def loglikelihood(self, requests: list[Any], disable_tqdm: bool) -> list[tuple[float, bool]]:
            return [(-float(len("".join(request.args))), True) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool) -> list[float]:
            return [-float(len(request.args[0])) for request in requests]

    model = Asked()
    assert run(model, TASKS["blimp"], [("", "abc"), ("a", "bc")], 8) == [(-3.0, True), (-3.0, True)]
    assert model.batch_size_per_gpu == 8
    assert run(model, TASKS["wikitext"], [("abcd",)]) == [(-4.0, False)]
