"""Bad input of every kind: one clear line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Probsense = Callable[..., "Done"]  # noqa: F821 - tests/cli/conftest.py


@pytest.fixture(scope="module")
def records(testset: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bz2.open(testset / "trials.jsonl.bz2", "rt")]


def assert_one_line(done: Any, *parts: str) -> None:
    assert done.code == 2, done
    assert done.out == ""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert "Traceback" not in done.err
    for part in parts:
        assert part in lines[0], lines[0]


def change(**changes: Any) -> Callable[[list[dict[str, Any]]], str]:
    """The file with changes to its third record; a value of None removes the field."""

    def apply(records: list[dict[str, Any]]) -> str:
        changed = [dict(record) for record in records]
        for field, value in changes.items():
            if value is None:
                del changed[2][field]
            else:
                changed[2][field] = value
        return "".join(json.dumps(record) + "\n" for record in changed)

    return apply


TRIALS: dict[str, tuple[Callable[[list[dict[str, Any]]], str | bytes], str, str]] = {
    "missing field": (change(problemname=None), "line 3", "problemname"),
    "missing gold": (change(goldresp_obfusc=None), "line 3", "gold"),
    "unknown problem": (change(problemname="Infer.hard"), "line 3", "Infer.hard"),
    "unknown gold": (change(goldresp_obfusc="Nobody"), "line 3", "Nobody"),
    "gold of another problem": (change(goldresp_obfusc="Yoda", problemname="Infer.normal"), "line 3", ""),
    "key as text": (change(Key="12"), "line 3", "Key"),
    "key as float": (change(Key=1.5), "line 3", "Key"),
    "key out of range": (change(Key=2**63), "line 3", "Key"),
    "text as number": (change(tuple_ID=5), "line 3", "tuple_ID"),
    "not a number": (change(problemsize=float("nan")), "line 3", "problemsize"),
    "duplicate key": (lambda r: change(Key=r[0]["Key"])(r), "line 3", "again"),
    "half a tuple": (lambda r: "".join(json.dumps(x) + "\n" for x in r[1:]), "line", "tuple"),
    "malformed line": (lambda r: json.dumps(r[0]) + "\n{oops\n", "line 2", "JSON"),
    "a list": (lambda r: json.dumps(r[0]) + "\n[1, 2]\n", "line 2", "object"),
    "empty": (lambda r: "", "", "no trials"),
    "binary junk": (lambda r: bytes(range(128, 256)) * 20, "line 1", ""),
}


@pytest.mark.parametrize("fault", TRIALS)
def test_faulty_trials(
    probsense: Probsense, records: list[dict[str, Any]], tmp_path: Path, fault: str
) -> None:
    make, *parts = TRIALS[fault]
    content = make(records)
    folder = tmp_path / "set"
    (folder / "results").mkdir(parents=True)
    path = folder / "trials.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "results" / "basic___m___results.jsonl").write_text('{"Key": 1, "resp": "TRUE"}\n')
    assert_one_line(probsense("analyse", "worldsense", folder, "--no-audit"), str(path), *parts)
    assert_one_line(
        probsense("run", "worldsense", "--data", folder, "-m", "random:", "-q"), str(path), *parts
    )


RESULTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "malformed": (b'{"Key": 1, "resp": "TRUE"}\n{"Key": 1,\n', "line 2"),
    "no key": (b'{"resp": "TRUE"}\n', "Key"),
    "no answer field": (b'{"Key": 1}\n', "resp"),
    "key as text": (b'{"Key": "one", "resp": "TRUE"}\n', "Key"),
    "answer as list": (b'{"Key": 1, "resp": ["TRUE"]}\n', "resp"),
    "binary": (b"\x89PNG\r\n\x1a\n\xff\xfe", "line 1"),
}


@pytest.mark.parametrize("fault", RESULTS)
def test_faulty_results(probsense: Probsense, testset: Path, tmp_path: Path, fault: str) -> None:
    content, part = RESULTS[fault]
    folder = tmp_path / "set"
    (folder / "results").mkdir(parents=True)
    (folder / "trials.jsonl.bz2").write_bytes((testset / "trials.jsonl.bz2").read_bytes())
    path = folder / "results" / "basic___m___results.jsonl"
    path.write_bytes(content)
    assert_one_line(probsense("analyse", "worldsense", folder), str(path), part)


def test_a_results_file_of_another_name(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "trials.jsonl.bz2").write_bytes((testset / "trials.jsonl.bz2").read_bytes())
    assert_one_line(probsense("analyse", "worldsense", tmp_path), "results")
    (tmp_path / "results" / "a___b___c___results.jsonl").write_text('{"Key": 1, "resp": "TRUE"}\n')
    assert_one_line(probsense("analyse", "worldsense", tmp_path), "a___b___c___results.jsonl")


def test_broken_compression(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    whole = (testset / "trials.jsonl.bz2").read_bytes()
    for content in (whole[: len(whole) // 2], b"BZh9 nothing of the kind", b"plain text\n"):
        (tmp_path / "trials.jsonl.bz2").write_bytes(content)
        assert_one_line(probsense("audit", "worldsense", tmp_path), "trials.jsonl.bz2")


WORDS: dict[str, tuple[tuple[str, ...], str]] = {
    "no such folder": (("analyse", "worldsense", "nowhere"), "nowhere"),
    "no such task": (("run", "worldsence", "-m", "random:"), "did you mean"),
    "no such scheme": (("run", "worldsense", "-m", "rnadom:3"), "did you mean"),
    "no scheme at all": (("run", "worldsense", "-m", "gpt2"), "hf:"),
    "no such builtin": (("run", "worldsense", "-m", "builtin:huge"), "tiny"),
    "no such rule": (("run", "worldsense", "-m", "random:", "--rule", "best"), "mean_prob"),
    "no such method": (("run", "worldsense", "-m", "random:", "--method", "guess"), "options"),
    "method beyond the model": (("run", "worldsense", "-m", "random:", "--method", "sample"), "random:"),
    "limit of nothing": (("run", "worldsense", "-m", "random:", "--limit", "0"), "limit"),
    "limit below a tuple": (("run", "worldsense", "-m", "random:", "--limit", "1"), "tuple"),
    "size too large": (("generate", "worldsense", "new", "--sizes", "13"), "3 to 12"),
    "sizes that are words": (("generate", "worldsense", "new", "--sizes", "three"), "a whole number"),
    "no such problem": (("generate", "worldsense", "new", "--problems", "Infer.hard"), "Infer.normal"),
    "no such skin file": (("generate", "worldsense", "new", "--skins", "mine.yaml"), "mine.yaml"),
    "an option of another model": (("run", "worldsense", "-m", "random:", "--dtype", "float32"), "dtype"),
    "no such recorded file": (("run", "worldsense", "-m", "recorded:nope.jsonl"), "nope.jsonl"),
    "no such data set": (("data", "get", "worldsens"), "did you mean"),
    "no such model folder": (("run", "worldsense", "-m", "hf:./no-model-here"), "no-model-here"),
}


@pytest.mark.parametrize("fault", WORDS)
def test_faulty_words(probsense: Probsense, tmp_path: Path, fault: str) -> None:
    words, part = WORDS[fault]
    assert_one_line(probsense(*words), part)
    assert not (tmp_path / "new").exists()


def test_a_foreign_file_as_store(probsense: Probsense, tmp_path: Path) -> None:
    store = tmp_path / "notes.txt"
    store.write_text("my own notes\n" * 100)
    words = ("run", "worldsense", "-m", "random:", "--limit", "10", "--quiet", "--store", store)
    assert_one_line(probsense(*words), "notes.txt")
    assert store.read_text() == "my own notes\n" * 100


def test_test_set_and_generation_exclude_each_other(probsense: Probsense, testset: Path) -> None:
    assert_one_line(
        probsense("run", "worldsense", "-m", "random:", "--data", testset, "--sizes", "3"),
        "telling, wording and adaptive describe fresh questions, and data names an existing set",
    )


def test_an_existing_set_is_kept(probsense: Probsense, testset: Path) -> None:
    before = (testset / "trials.jsonl.bz2").read_bytes()
    assert_one_line(probsense("generate", "worldsense", testset, "--quiet"), "already there")
    assert (testset / "trials.jsonl.bz2").read_bytes() == before
