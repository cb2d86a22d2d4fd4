"""The job script of the examples, as Slurm runs it: an array of two tasks, and one of them is stopped on its way."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from probsense.runs.evaluate import evaluate
from probsense.runs.store.database import merge

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parents[2] / "examples" / "slurm" / "job.sh"
TASKS = [f"worldsense --limit 120 --model builtin:tiny --shard {i}/2" for i in (1, 2)]
HERE = {"source ~/venv/bin/activate\n": "", "sleep 10": "sleep 1"}
SECONDS = 60


@pytest.fixture
def folder(tmp_path):
    """The folder that the array is submitted from, with the job script."""
    text = SCRIPT.read_text(encoding="utf-8")
    for there, here in HERE.items():
        assert there in text
        text = text.replace(there, here)
    (tmp_path / "job.sh").write_text(text)
    (tmp_path / "asked.txt").write_text("\n".join(TASKS) + "\n")
    return tmp_path


def start(task, folder, **more):
    local = folder / f"node-{task}"
    local.mkdir(exist_ok=True)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(local),
        "SLURM_ARRAY_TASK_ID": str(task),
    }
    with (folder / f"task-{task}.txt").open("a") as said:
        words = ["bash", folder / "job.sh"]
        return subprocess.Popen(words, env=environment | more, cwd=folder, stdout=said, stderr=said)


def wait_for_answers(task, number, folder):
    deadline = time.monotonic() + SECONDS
    while not any(answers(path) for path in folder.glob(f"node-{number}/*/*.db")):
        assert task.poll() is None, (folder / f"task-{number}.txt").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def answers(store):
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{store}?mode=rw", uri=True)) as db,
    ):
        return int(db.execute("SELECT count(*) FROM responses").fetchone()[0])
    return 0


def test_a_stopped_task_keeps_what_it_had_and_goes_on(folder):
    stopped = start(1, folder)
    wait_for_answers(stopped, 1, folder)
    # Slurm tells the script alone, and may do so again while it keeps a copy.
    for _ in range(3):
        stopped.send_signal(signal.SIGTERM)
        time.sleep(0.3)
    assert stopped.wait(SECONDS) == 143
    (kept,) = (folder / "stores").iterdir()
    had = answers(kept)
    assert had > 0
    assert [*folder.glob("node-1/*/*.db")] == []

    again, other = start(1, folder), start(2, folder)
    assert (again.wait(SECONDS), other.wait(SECONDS)) == (0, 0), (folder / "task-1.txt").read_text()
    assert answers(kept) > had
    stores = sorted((folder / "stores").iterdir())
    assert len(stores) == 2

    merge(folder / "all.db", *stores)
    whole = evaluate("worldsense", "builtin:tiny", limit=120, store=folder / "all.db", quiet=True)
    assert whole.asked == 0
