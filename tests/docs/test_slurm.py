"""The job script of docs/scale.md, as Slurm runs it: an array of two tasks, and one of them is stopped on its way."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from probsense.run.evaluate import evaluate
from probsense.run.merge import merge

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
ASKED = {
    "worldsense judgments winogrande": "worldsense",
    "hf:NAME --dtype bfloat16": "builtin:tiny --limit 300",
}
SECONDS = 60


def job_script() -> str:
    text = PAGE.read_text(encoding="utf-8").split("```text\n#!/bin/bash\n")[1].split("```")[0]
    for shown, asked in ASKED.items():
        assert shown in text
        text = text.replace(shown, asked)
    return text


def start(task: int, folder: Path) -> subprocess.Popen[str]:
    local = folder / f"node-{task}"
    local.mkdir(exist_ok=True)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(local),
        "SLURM_SUBMIT_DIR": str(folder),
        "SLURM_ARRAY_TASK_ID": str(task),
        "SLURM_ARRAY_TASK_COUNT": "2",
    }
    # The loop that keeps copies may sleep on for minutes, so output goes to a file and not to a pipe.
    with (folder / f"task-{task}.txt").open("a") as said:
        return subprocess.Popen(
            ["bash", "-c", job_script()], env=environment, stdout=said, stderr=said, text=True
        )


def answers(store: Path) -> int:
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as db:
        if not db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'responses'").fetchone()[0]:
            return 0
        return int(db.execute("SELECT count(*) FROM responses").fetchone()[0])


def test_the_job_script_keeps_what_a_stopped_task_had(tmp_path: Path) -> None:
    stopped = start(1, tmp_path)
    deadline = time.monotonic() + SECONDS
    while not any(answers(path) for path in tmp_path.glob("node-1/*/shard-1.db")):
        assert stopped.poll() is None, (tmp_path / "task-1.txt").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    # Slurm tells the script alone.
    stopped.send_signal(signal.SIGTERM)
    assert stopped.wait(SECONDS) == 143
    kept = tmp_path / "shards" / "shard-1.db"
    had = answers(kept)
    assert had > 0
    assert [*tmp_path.glob("node-1/*/*.db")] == []

    again, other = start(1, tmp_path), start(2, tmp_path)
    assert (again.wait(SECONDS), other.wait(SECONDS)) == (0, 0), (tmp_path / "task-1.txt").read_text()
    assert answers(kept) > had
    assert sorted(path.name for path in kept.parent.iterdir()) == ["shard-1.db", "shard-2.db"]

    merge(tmp_path / "all.db", *sorted(kept.parent.iterdir()))
    whole = evaluate("worldsense", "builtin:tiny", limit=300, store=tmp_path / "all.db", quiet=True)
    assert whole.asked == 0
