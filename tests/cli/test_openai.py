"""Endpoints: keys of servers nowhere; and batches."""

from __future__ import annotations

import json
from pathlib import Path

from support.servers import hostile
from support.servers.endpoints import Habits
from support.servers.hostile import response, serving

CANARY = "sk-canary-0123456789abcdef"


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
        words += ("-m", "openai:toy", "-M", "max_tries=1", "--trials", 8, "-M")
        there, nowhere = f"base_url={server.url}", f"base_url=http://{CANARY}:x@127.0.0.1:9/v1"
        done = probsense("run", "judgments", *words, there, "--report", "report.html")
        refused = probsense("run", "judgments", *words, nowhere)
        with_json = probsense("run", "judgments", *words, there, "--json")
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
