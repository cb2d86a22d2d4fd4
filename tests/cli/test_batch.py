"""``probsense batch`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Probsense, assert_refused
from support.servers.endpoints import Habits

MODEL = (
    "--model",
    "openai:toy",
    "--base-url",
    "http://127.0.0.1:9/v1",
    "--abilities",
    "chat,top_logprobs=20,many",
)
ASKED = ("judgments", *MODEL, "--limit", 6, "--questions", "q1,q2")


def answer(out: Path, back: Path, wrong: int = 0) -> None:
    """What a batch endpoint gives back."""
    lines = []
    for number, text in enumerate(out.read_text().splitlines()):
        one = json.loads(text)
        status, body = Habits().reply(one["url"], one["body"])
        if number < wrong:
            status, body = 500, {"error": {"message": "out of order"}}
        lines.append({"custom_id": one["custom_id"], "response": {"status_code": status, "body": body}})
    back.write_text("".join(f"{json.dumps(line)}\n" for line in reversed(lines)))


def test_write_read_and_run(probsense: Probsense, tmp_path: Path) -> None:
    wrote = probsense("batch", "write", *ASKED, "--out", "out.jsonl")
    assert (wrote.code, wrote.err) == (0, "")
    assert wrote.out == "6 requests in 6 lines (0 are answered in the store)\nout.jsonl\n"
    answer(tmp_path / "out.jsonl", tmp_path / "back.jsonl", wrong=2)
    read = probsense("batch", "read", "back.jsonl", *MODEL)
    assert (
        read.out
        == "4 answers are new in probsense.db, 0 were known\nfailed: HTTP 500: out of order (2 requests)\n"
    )
    assert "probsense batch write" in read.err
    wrote = probsense("batch", "write", *ASKED, "--out", "rest.jsonl", "--json")
    assert json.loads(wrote.out) == {
        "schema": 1,
        "files": ["rest.jsonl"],
        "requests": 2,
        "lines": 2,
        "stored": 4,
    }
    answer(tmp_path / "rest.jsonl", tmp_path / "back.jsonl")
    read = probsense("batch", "read", "back.jsonl", *MODEL, "--json")
    assert json.loads(read.out) == {"schema": 1, "answers": 2, "known": 0, "failures": {}, "strangers": 0}
    ran = probsense("run", *ASKED, "--json", "--quiet")
    assert ran.code == 0
    assert {key: json.loads(ran.out)["run"][key] for key in ("asked", "reused")} == {"asked": 0, "reused": 6}
    assert "nothing to ask" in probsense("batch", "write", *ASKED, "--out", "more.jsonl").out


def test_a_batch_of_listed_items_answers_their_run(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("3-q1\n1-q2\n")
    listed = ("judgments", *MODEL, "--items", "ids.txt")
    assert probsense("batch", "write", *listed, "--out", "out.jsonl").out.startswith("2 requests")
    answer(tmp_path / "out.jsonl", tmp_path / "back.jsonl")
    probsense("batch", "read", "back.jsonl", *MODEL)
    ran = json.loads(probsense("run", *listed, "--json", "--quiet").out)["run"]
    assert (ran["items"], ran["asked"], ran["reused"]) == (2, 0, 2)
    runs = json.loads(probsense("runs", "--json").out)["runs"]
    assert len({one["run"] for one in runs}) == 1  # before the answers and after


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("write", "judgments", "--model", "random:1", "--out", "out.jsonl"), "random:1"),
        (("write", "judgments", *MODEL[:-1], "chat,telepathy", "--out", "out.jsonl"), "telepathy"),
        (("write", "judgments", *MODEL, "--route", "completions", "--out", "out.jsonl"), "completions"),
        (("write", "judgments", *MODEL, "--problems", "all", "--out", "out.jsonl"), "--problems"),
        (("write", "judgments", *MODEL, "--method", "options", "--out", "out.jsonl"), "options"),
        (("read", "missing.jsonl", *MODEL), "missing.jsonl"),
    ],
)
def test_wrong_use(probsense: Probsense, tmp_path: Path, words: tuple[str, ...], fact: str) -> None:
    assert_refused(probsense("batch", *words), fact)
    assert not (tmp_path / "out.jsonl").exists()
