"""Files that commands write to: links, devices, pipes, standard output and what cannot be written to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from probsense.tasks.registry import task_type
from support.command import Done, Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores", "undrawn")

ENDPOINT = "-M base_url=http://127.0.0.1:9/v1 -M abilities=chat,top_logprobs=20,many"
COMMANDS = {
    "report": ("report --out", "html"),
    "export": ("runs export probsense.db --out", "csv"),
    "items": ("items probsense.db --out", "csv"),
    "score": ("score --input asked.jsonl -m random --out", "csv"),
    "batch": (f"batch write judgments -m openai:m {ENDPOINT} --limit 6 --out", "jsonl"),
    "figure": ("figure accuracy probsense.db --out", "svg"),
    "profile": ("profile random:1 -q --out", "html"),
}
CHEAP = ("score", "items")
FOLDERS = (
    "run suite -m random -q --write-results",
    "analyse worldsense x --figures",
    "collect export answers.db --out",
    "generate worldsense",
)


@pytest.fixture(autouse=True)
def asked(tmp_path):
    (tmp_path / "asked.jsonl").write_text('{"prefix": "It rains, so", "options": [" run", " stay"]}\n')


@pytest.fixture(
    params=[name if name in CHEAP else pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS]
)
def command(request, probsense):
    return Command(probsense, *COMMANDS[request.param])


class Command:
    """A command that ends where the file comes that it writes."""

    def __init__(self, probsense: Probsense, words: str, ending: str) -> None:
        self._run, self.words, self.out = probsense, words.split(), Path(f"out.{ending}")

    def __call__(self, out: Path | str) -> Done:
        return self._run(*self.words, out)


def test_links_stand_for_their_targets(command):
    target = Path("there", command.out)
    command.out.symlink_to(target)
    for _ in range(2):  # first the target is missing
        assert command(command.out).code == 0
        assert target.stat().st_size
        assert command.out.is_symlink()


def test_devices_and_pipes_stay_what_they_are(command):
    command.out.symlink_to(os.devnull)
    assert command(command.out).code == 0
    assert command.out.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    command.out.unlink()
    os.mkfifo(command.out)
    found = list[bytes]()
    reader = threading.Thread(target=lambda: found.append(command.out.read_bytes()))
    reader.start()
    assert command(command.out).code == 0
    reader.join()
    assert found[0]


def test_a_dash_is_standard_output_and_nothing_else_is_there(command):
    done = command("-")
    assert done.code == 0
    assert not Path("-").exists()
    known = command(command.out)
    assert known.code == 0
    text = command.out.read_text() if command.out.suffix != ".jsonl" else done.out
    assert done.out.splitlines()[-1] == text.splitlines()[-1]
    assert done.out.startswith(text[:40])


def test_folders_and_paths_below_files_are_refused_before_anything_is_asked(command):
    command.out.mkdir()
    assert_refused(command(command.out), command.out.name, "it is a folder")
    assert_refused(command(Path("asked.jsonl") / command.out), "cannot be written")


@pytest.mark.parametrize("words", FOLDERS)
def test_folders_to_write_to(probsense, words):
    assert_refused(probsense(*words.split(), "-"), "expected a folder")
    assert_refused(
        probsense(*words.split(), "asked.jsonl"), "asked.jsonl: cannot be written: it is no folder"
    )


@pytest.mark.parametrize("words", ["items probsense.db --json", "score --input asked.jsonl -m random --json"])
def test_standard_output_has_one_document(probsense, words):
    assert_refused(probsense(*words.split(), "--out", "-"), "two documents for standard output")


def test_no_store(probsense, tmp_path):
    before = {*tmp_path.iterdir()}
    done = probsense("run", "winogrande", "-m", "random", "--limit", "4", "-q", "--store", "none", "--json")
    assert done.code == 0
    assert "--store none: no answer is kept, and the run cannot be resumed" in done.err
    assert {*tmp_path.iterdir()} == before
    for name in (":memory:", "file:a.db?mode=ro"):
        assert_refused(
            probsense("run", "winogrande", "-m", "random", "--store", name), name, "the name of a file"
        )


FORMATS = {
    "score --input asked.jsonl -m random": ("id,option,logprob,tokens,p.sum\n", ""),
    "score --input asked.jsonl -m random --json": ('"items": [', ""),
    "run suite -m random:1 --dry-run": ("to be asked: ", ""),
    "run suite -m random:1 --dry-run --json": ('"dry_run": [', ""),
    "run suite -m random:1 -q --shard 1/2 --store a.db": ("after all shards: probsense merge", ""),
    "run suite -m random:1 -q --shard 1/2 --store a.db --json": ('"shard": [', ""),
    "run judgments -m random:1 --limit 6 -q --write-results out": ("Populations", "answers written to out/"),
    "score -m random a b c": ("log p", ""),
    "score --input asked.jsonl -m random --out s.csv": ("", ""),
    "run suite -m random:1 -q --name mine --report -": ("<!doctype html>", ""),
    f"batch write judgments -m openai:m {ENDPOINT} --limit 6 --out b.jsonl": ("6 requests in 6 lines", ""),
    "profile random -q --out -": ("<!doctype html>", ""),
    "items probsense.db --out items.csv --json": ('"items": [', ""),
    "runs export probsense.db --format every-eval-ever --out records": ("", "3 runs in records"),
    "profile random -q --json": ('"left_out": [', "the page is in profile.html"),
    "report --format latex": ("\\begin{table}", ""),
    "report --json": ('"schema": 1', ""),
    "runs": ("Main estimate", ""),
    "runs show {0}": ("Chance level", "note: "),
    "compare probsense.db --format csv": ("random:2", ""),
    "compare probsense.db --format md": ("| random:2", ""),
    "items probsense.db": ("lowest correlation with the other", ""),
    "plan {0} {1} --width .1 --figure plan.svg": ("width of the 95 % interval", "written: plan.svg"),
    "collect words": ("continue:", ""),
    "data list": ("worldsense", ""),
    "data list --json": ('"missing": ', ""),
    "merge all.db probsense.db suite.db": ("suite.db: answers ", ""),
    "merge all.db probsense.db --json": ('"differing": 0', ""),
    "doctor random --json": ('"capabilities": {', ""),
}
"""What some commands print, and what they say beside it."""


@pytest.mark.parametrize("words", FORMATS)
def test_each_format_has_its_figures(probsense, ids, monkeypatch, words):
    monkeypatch.setattr("probsense.results.profile.task_types", lambda: {"suite": task_type("suite")})
    done = probsense(*words.format(*ids).split())
    assert done.code == 0, done.err
    printed, said = FORMATS[words]
    assert printed in done.out
    assert said in done.err
