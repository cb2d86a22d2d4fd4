"""Workers in Ray for which there is no room yet, that die again and again, or whose answers nobody wants."""

import os
import sys
import time
from pathlib import Path

import pytest
import ray

from probsense.core.errors import ModelError
from probsense.core.records import ScoreRequest
from probsense.models import ray as ray_workers
from probsense.models.ray import LOADING, Asked, RayWorkers, Worker, pooled
from probsense.runs.evaluate import evaluate


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """A cluster with room for two workers."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", "auto")
        yield
    ray.shutdown()


def test_nobody_waits_for_a_worker_without_room():
    ours = evaluate("worldsense", pooled(RayWorkers(3), "random:1"), limit=50, store=None, quiet=True)
    theirs = evaluate("worldsense", "random:1", limit=50, store=None, quiet=True)
    assert ours.to_json()["estimates"] == theirs.to_json()["estimates"]


def test_workers_whose_answers_nobody_wants_go_on_with_others():
    workers = RayWorkers(2)
    asked = Asked("random:1", {})
    workers.describe(asked)
    parts = [[ScoreRequest(f"{i} is", (" even", " odd"))] for i in range(6)]
    while len(workers._ready) < 2:
        assert sorted(number for number, *_ in workers.answer(asked, "score", parts)) == [*range(6)]
    some = workers.answer(asked, "score", parts)
    next(some)
    some.close()
    assert len(workers._ready) == 2
    assert sorted(number for number, *_ in workers.answer(asked, "score", parts)) == [*range(6)]


def test_workers_that_nobody_holds_have_ended():
    workers = RayWorkers(1)
    asked = Asked("random:1", {})
    workers.describe(asked)
    process = ray.get(workers._workers[0].__ray_call__.remote(lambda worker: os.getpid()))
    del workers
    deadline = time.monotonic() + 60
    while Path(f"/proc/{process}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{process}").exists()


class Dying(Worker):
    """A worker whose process ends while it loads."""

    def describe(self, asked):
        with Path(asked.spec).open("a") as stream:
            stream.write("tried\n")
        os._exit(1)


def test_a_worker_that_always_dies_is_not_started_for_ever(monkeypatch, tmp_path):
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(ray_workers, "Worker", Dying)
    with pytest.raises(ModelError, match="died each time"):
        pooled(RayWorkers(1), str(tmp_path / "tries"))
    assert (tmp_path / "tries").read_text().count("tried") == 1 + LOADING
