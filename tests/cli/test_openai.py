"""Endpoints: runs against servers that answer and that fail, killed and resumed, keys nowhere; and batches."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from support.servers import hostile
from support.servers.endpoints import Habits
from support.servers.hostile import response, serving

QUESTIONS = 144
"""About the statements of the package."""
CANARY = "sk-canary-0123456789abcdef"
FAULTS = [fault for fault in hostile.FAULTS if fault not in ("timeout", "drip", "wrong model")]


def stored(path: Path) -> int:
    with closing(sqlite3.connect(path, timeout=60)) as db:
        return int(db.execute("SELECT count(*) FROM responses").fetchone()[0])


@pytest.mark.slow
def test_killed_and_resumed(tmp_path):
    store = tmp_path / "store.db"
    environment = os.environ | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "OPENAI_API_KEY": CANARY}
    with serving(0.3, FAULTS, seed=4, delay=0.02) as server:
        command = [sys.executable, "-m", "probsense", "run", "judgments", "--model", "openai:toy", "--json"]
        command += ["-M", f"base_url={server.url}", "--store", str(store), "-M", "concurrency=4"]
        # The examination, like the run, meets faults; abilities are given, so that all processes ask alike.
        command += ["-M", "abilities=chat,top_logprobs=5"]
        outputs = []
        for kill_at in (30, 80, None):
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            deadline = time.monotonic() + 60
            while kill_at is not None and server.answered.total() < kill_at and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            if kill_at is not None:
                os.kill(process.pid, signal.SIGKILL)
            out, err = process.communicate(timeout=60)
            outputs.append(out + err)
            assert stored(store) <= server.answered.total()
        assert process.returncode == 0, outputs[-1]
        document = json.loads(out)
        failed = QUESTIONS - stored(store)
        assert 0 <= failed < 5
        assert document["run"]["asked"] < QUESTIONS - 50
        # Of what was answered, at most what was under way at a kill was asked for again.
        assert sum(n - 1 for n in server.answered.values()) <= 2 * (4 + 8)
        assert server.keys == {f"Bearer {CANARY}"}
    everything = b"".join([*outputs, *(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())])
    assert b"canary" not in everything


def test_keys_appear_nowhere(probsense, monkeypatch, tmp_path):
    """A server that repeats all it was sent, in answers, in names and in errors."""
    monkeypatch.setenv("MY_KEY", CANARY)
    count = 0

    def reply(path: str, head: str, body: hostile.Answer) -> bytes:
        nonlocal count
        count += 1
        answer = hostile.chat_answer(body)
        answer |= {"model": f"toy {head}", "system_fingerprint": head, "error": {"message": head}}
        for choice in answer["choices"]:
            choice["message"]["content"] += head
        return response(json.dumps(answer).encode(), 500 if count % 3 == 0 else 200)

    words = ("-M", "api_key_env=MY_KEY", "-M", "abilities=chat,many", "--limit", 9)
    with serving(reply=reply) as server:
        words += (
            "--model",
            "openai:toy",
            "-M",
            f"base_url={server.url}",
            "-M",
            "max_tries=1",
            "--trials",
            8,
        )
        done = probsense("run", "judgments", *words, "--report", "report.html")
        refused = probsense(
            "run", "judgments", *words[:-6], "-M", f"base_url=http://{CANARY}:x@127.0.0.1:9/v1"
        )
        with_json = probsense("run", "judgments", *words, "--json")
    assert done.code == 0, done.err
    assert refused.code == 2
    assert server.keys == {f"Bearer {CANARY}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"report.html", "probsense.db"} <= {path.name for path in files}
    texts = [*(path.read_bytes().decode("utf-8", "replace") for path in files)]
    texts += [text for one in (done, refused, with_json) for text in (one.out, one.err)]
    assert not any("canary" in text for text in texts)
    assert any("Bearer ***" in text for text in texts)


NOWHERE = "--model openai:toy -M base_url=http://127.0.0.1:9/v1"
MODEL = (*NOWHERE.split(), "-M", "abilities=chat,top_logprobs=20,many")


def answer(out: Path, back: Path) -> None:
    """What a batch endpoint gives back."""
    lines = []
    for text in out.read_text().splitlines():
        one = json.loads(text)
        status, body = Habits().reply(one["url"], one["body"])
        lines.append({"custom_id": one["custom_id"], "response": {"status_code": status, "body": body}})
    back.write_text("".join(f"{json.dumps(line)}\n" for line in reversed(lines)))


def test_a_batch_of_listed_items_answers_their_run(probsense, tmp_path):
    (tmp_path / "ids.txt").write_text("3-q1\n1-q2\n")
    listed = ("judgments", *MODEL, "--items", "ids.txt")
    assert probsense("batch", "write", *listed, "--out", "out.jsonl").out.startswith("2 requests")
    answer(tmp_path / "out.jsonl", tmp_path / "back.jsonl")
    read = probsense("batch", "read", "back.jsonl", *MODEL, "--json")
    assert json.loads(read.out) == {"schema": 1, "answers": 2, "known": 0, "failures": {}}
    ran = json.loads(probsense("run", *listed, "--json", "--quiet").out)["run"]
    assert (ran["items"], ran["asked"], ran["reused"]) == (2, 0, 2)
    runs = json.loads(probsense("runs", "--json").out)["runs"]
    assert len({one["run"] for one in runs}) == 1  # before the answers and after
    assert "nothing to ask" in probsense("batch", "write", *listed, "--out", "more.jsonl").out
