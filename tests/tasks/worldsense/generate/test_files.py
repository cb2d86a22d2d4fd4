"""The manifest holds the hashes of its files, and an audit finds files that are not those."""

import hashlib
import json
from importlib.metadata import version

import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import changed_files, write_testset, write_training
from probsense.tasks.worldsense.generate.sets import Design

DESIGN = Design(4, (3,), ("Infer.trivial",))


@pytest.mark.parametrize(
    ("write", "files"),
    [(write_testset, ["trials.jsonl.bz2", "skins.yaml"]), (write_training, ["training.jsonl.bz2"])],
)
def test_a_manifest_holds_the_seed_the_version_and_the_hash_of_each_file(write, files, tmp_path):
    write(tmp_path, DESIGN)
    found = json.loads((tmp_path / "manifest.json").read_text())
    hashes = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in files}
    assert (found["seed"], found["version"], found["files"]) == (4, version("probsense"), hashes)
    assert {path.name for path in tmp_path.iterdir()} == {*files, "manifest.json"}
    assert changed_files(tmp_path) == ()
    (tmp_path / files[0]).write_bytes(b"")
    assert changed_files(tmp_path) == (files[0],)


def test_an_audit_names_files_that_have_changed_or_are_gone(tmp_path):
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


@pytest.mark.parametrize("text", [None, "{}", '{"files": {"../elsewhere": "0"}}'])
def test_without_hashes_of_known_files_nothing_is_promised(text, tmp_path):
    (tmp_path / ("manifest.json" if text else "other")).write_text(text or "")
    assert changed_files(tmp_path) == ()


@pytest.mark.parametrize("text", ["[]", '{"files": []}', "{", '{"files": 3}'])
def test_a_broken_manifest_is_one_line(text, tmp_path):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json"):
        changed_files(tmp_path)
