"""What is exported for others, as their own programs read it: Every Eval Ever's validator, and mlcroissant."""

from __future__ import annotations

import bz2
import csv
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import mlcroissant as mlc
import pytest
from mlcroissant._src.core.issues import GenerationError

import probsense as ps
from probsense.core.files import CROISSANT
from probsense.interop.every_eval_ever import export_every_eval_ever
from probsense.studies.collect.answers.export import export
from probsense.studies.collect.storage import Storage
from probsense.tasks.registry import task_names
from probsense.tasks.worldsense.questions.format import TRIALS_FILE
from probsense.tasks.worldsense.verbs import generate

RECORDED = Path(__file__).parents[2] / "recorded"


def validated(folder: Path) -> tuple[int, str]:
    """Return the status of the validator (0 without errors and warnings), and all that it said."""
    words = [sys.executable, "-m", "every_eval_ever", "validate", f"{folder}/data/*/*/*/*.json*"]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("task", task_names())
def test_records_of_every_task_are_valid_without_a_warning(task: str, tmp_path: Path) -> None:
    runs = [ps.evaluate(task, model, limit=20, store=None, quiet=True) for model in ("random:1", "random")]
    export_every_eval_ever(tmp_path, runs)
    status, said = validated(tmp_path)
    assert status == 0, said
    assert len([*tmp_path.rglob("*.json")]) == 2


def test_an_invalid_record_is_seen(tmp_path: Path) -> None:
    export_every_eval_ever(tmp_path, [ps.evaluate("suite", "random:1", store=None, quiet=True)])
    (path,) = tmp_path.rglob("*.json")
    document = json.loads(path.read_text())
    document["evaluation_results"][0]["score_details"]["score"] = 2
    path.write_text(json.dumps(document))
    status, said = validated(tmp_path)
    assert status == 1
    assert "outside" in said


def records(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Read every table that the description of a folder names; mlcroissant compares the hashes of files."""
    data = mlc.Dataset(jsonld=folder / CROISSANT)
    assert not data.metadata.ctx.issues.errors
    return {one.id: [*data.records(one.id)] for one in data.metadata.record_sets}


def test_generated_questions_are_read_once_they_are_unpacked(tmp_path: Path) -> None:
    generate(tmp_path, sizes=(3,), problems=("Infer.trivial", "Compl.normal"))
    mlc.Dataset(jsonld=tmp_path / CROISSANT)
    # mlcroissant unpacks zip, tar and gzip alone.
    unpacked = bz2.decompress((tmp_path / TRIALS_FILE).read_bytes())
    (tmp_path / "trials.jsonl").write_bytes(unpacked)
    document = json.loads((tmp_path / CROISSANT).read_text())
    (file,) = (one for one in document["distribution"] if one["name"] == TRIALS_FILE)
    file |= {"contentUrl": "trials.jsonl", "sha256": sha256(unpacked).hexdigest()}
    (tmp_path / CROISSANT).write_text(json.dumps(document))
    lines = [json.loads(line) for line in unpacked.splitlines()]
    read = records(tmp_path)["trials"]
    assert len(read) == len(lines) > 20
    for line, one in zip(lines, read, strict=True):
        assert {key.removeprefix("trials/"): decoded(value) for key, value in one.items()} == line


def decoded(value: Any) -> Any:
    """Return text where mlcroissant has bytes."""
    if isinstance(value, list):
        return [decoded(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[Storage]:
    """Recorded answers of people."""
    db = tmp_path / "answers.db"
    with closing(sqlite3.connect(db)) as connection:
        connection.executescript((RECORDED / "answers.sql").read_text())
    with closing(Storage.open_known(db)) as storage:
        yield storage


def test_every_table_of_peoples_answers_is_read(answers: Storage, tmp_path: Path) -> None:
    export(answers, tmp_path / "out")
    read = records(tmp_path / "out")
    tables = {
        path.stem: [*csv.DictReader(path.open(newline=""))] for path in (tmp_path / "out").glob("*.csv")
    }
    assert {*tables} == {*read}
    assert "participants" in tables
    for stem, rows in tables.items():
        for row, one in zip(rows, read[stem], strict=True):
            found = {key.removeprefix(f"{stem}/"): decoded(value) for key, value in one.items()}
            assert {
                key: "" if value is None else same(value, row[key]) for key, value in found.items()
            } == row


def same(value: Any, text: str) -> str:
    """Return the text of a cell if it stands for the value."""
    equal = str(value) == text if isinstance(value, str) else value == float(text)
    return text if equal else str(value)


def test_a_changed_file_is_refused(answers: Storage, tmp_path: Path) -> None:
    export(answers, tmp_path)
    with (tmp_path / "participants.csv").open("a") as stream:
        stream.write("\n")
    with pytest.raises(GenerationError):
        records(tmp_path)
