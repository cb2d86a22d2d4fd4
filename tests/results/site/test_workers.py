"""Work in several processes: all is done once, and processes that die or are interrupted leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.results.site import reading, workers
from probsense.results.site.reading import read_runs
from probsense.results.site.workers import LEAST, cores, side_by_side

Ask = Callable[..., ps.Run]


class Deadly:
    """Ends the process that reads it."""

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (1,)


def test_everything_is_done_once(tmp_path: Path) -> None:
    groups = [
        [tmp_path / f"{group}{i}" for i in range(size)] for group, size in (("a", 5), ("b", 3), ("c", 0))
    ]
    done: list[Path] = []
    side_by_side(Path.touch, groups, 2, done.append)
    assert sorted(done) == sorted(path for group in groups for path in group)
    assert all(path.exists() for path in done)
    assert not active_children()


def test_failures_do_not_end_it(tmp_path: Path) -> None:
    paths = [tmp_path / "missing" / str(i) for i in range(LEAST)] + [tmp_path / str(i) for i in range(LEAST)]
    done: list[Path] = []
    side_by_side(Path.touch, [[path] for path in paths], 2, done.append)
    assert sorted(done) == sorted(paths)
    assert len([*tmp_path.iterdir()]) == LEAST


def test_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "ProcessPoolExecutor", None)
    side_by_side(Path.touch, [[Path("x")] * (2 * LEAST - 1)], 8, print)
    side_by_side(Path.touch, [[Path("x")] * 100], 1, print)


def test_a_process_that_dies_ends_it_without_an_error(tmp_path: Path) -> None:
    done: list[object] = []
    side_by_side(Path.touch, [[Deadly()], *([tmp_path / str(i)] for i in range(20))], 2, done.append)
    assert len(done) < 20
    assert not active_children()


def test_an_interruption_ends_all_processes() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        side_by_side(time.sleep, [[0], *([300] for _ in range(2 * LEAST))], 2, interrupt)
    assert not active_children()
    assert time.monotonic() - started < 100


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them() -> None:
    script = (
        "import time; from probsense.results.site.workers import side_by_side\n"
        "side_by_side(time.sleep, [[0], *([300] for _ in range(8))], 2, lambda _: print('one', flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "one\n"
        parent.kill()
        started = time.monotonic()
        assert (
            parent.stdout.read() == ""
        )  # Its processes share the pipe: it is closed when the last one has ended.
    assert time.monotonic() - started < 100


def test_there_are_cores() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.fixture
def several(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of four runs, for which two processes are started."""
    monkeypatch.setattr(workers, "LEAST", 2)
    for seed in range(2):
        ask(f"random:{seed}", seed, limit=4)
        ask(f"random:{seed}", seed, "judgments", limit=3)
    return tmp_path / "a.db"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_site_is_the_same_with_one_and_two_jobs_and_two_measure_the_runs(
    several: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for jobs in (1, 2):
        monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / f"cache{jobs}"))
        if jobs == 2:
            monkeypatch.setattr(reading, "load_run", None)
        told: list[tuple[int, int]] = []
        ps.site(
            several,
            out=tmp_path / f"site{jobs}",
            jobs=jobs,
            progress=lambda *both, told=told: told.append(both),
        )
        assert told == sorted(told)
        assert told[-1] == (4, 4)
        assert len([*(tmp_path / f"cache{jobs}" / "sites").iterdir()]) == 4
    assert contents(tmp_path / "site1") == contents(tmp_path / "site2")


def test_what_dead_processes_leave_is_measured(
    several: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(reading, "_keep", Deadly())
    runs, left_out = read_runs([several], jobs=2)
    assert len(runs) == 4
    assert left_out == []


def test_a_run_that_fails_is_left_out_with_any_number_of_jobs(
    several: Path, change: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change("a.db", "UPDATE runs SET version = 99 WHERE task = 'winogrande'")
    said = []
    for jobs in (1, 2):
        monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / f"cache{jobs}"))
        runs, left_out = read_runs([several], jobs=jobs)
        said.append((len(runs), left_out))
    assert said[0] == said[1]
    assert len(said[0][1]) == 2


def test_a_cache_that_cannot_be_written_costs_time_only(
    several: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "file"))
    runs, left_out = read_runs([several])
    assert len(runs) == 4
    assert left_out == []


def test_fewer_jobs_than_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="jobs 0"):
        ps.site(out=tmp_path / "site", jobs=0)
