"""The manifest holds the hashes of its files, and an audit finds files that are not those."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import changed_files, write_testset, write_training
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.questions.format import HASHED

DESIGN = Design(4, (3,), ("Infer.trivial",))


def document(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "manifest.json").read_text()))


@pytest.mark.parametrize(
    ("write", "files"),
    [(write_testset, ["trials.jsonl.bz2", "skins.yaml"]), (write_training, ["training.jsonl.bz2"])],
)
def test_a_manifest_holds_the_seed_the_version_and_the_hash_of_each_file(
    write: object, files: list[str], tmp_path: Path
) -> None:
    assert callable(write)
    write(tmp_path, DESIGN)
    found = document(tmp_path)
    assert (found["seed"], found["version"]) == (4, version("probsense"))
    assert found["files"] == {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in files
    }
    assert set(files) < set(HASHED)
    assert changed_files(tmp_path) == ()
    assert {path.name for path in tmp_path.iterdir()} == {*files, "manifest.json"}


def test_an_audit_names_files_that_have_changed_or_are_gone(tmp_path: Path) -> None:
    write_testset(tmp_path, DESIGN)
    assert audit_folder(tmp_path).changed == ()
    skins = tmp_path / "skins.yaml"
    skins.write_text(skins.read_text() + "\n")
    found = audit_folder(tmp_path)
    assert found.changed == found.to_json()["changed"] == ("skins.yaml",)
    said = "skins.yaml is not the file of manifest.json: it has changed or is gone"
    assert str(found).splitlines()[1] == said
    skins.unlink()
    assert audit_folder(tmp_path).changed == ("skins.yaml",)


def test_a_changed_training_file_is_found(tmp_path: Path) -> None:
    write_training(tmp_path, DESIGN)
    (tmp_path / "training.jsonl.bz2").write_bytes(b"")
    assert changed_files(tmp_path) == ("training.jsonl.bz2",)


@pytest.mark.parametrize("text", [None, "{}", '{"files": {"../elsewhere": "0"}}'])
def test_without_hashes_of_known_files_nothing_is_promised(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    assert changed_files(tmp_path) == ()


@pytest.mark.parametrize("text", ["[]", '{"files": []}', "{", '{"files": 3}'])
def test_a_broken_manifest_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json"):
        changed_files(tmp_path)
