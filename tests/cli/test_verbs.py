"""Every verb as a user calls it."""

from __future__ import annotations

import bz2
import json
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from probsense.tasks.registry import task_names
from support.command import Probsense


def test_audit_lists_a_wrong_label_with_its_reason(
    probsense: Probsense, testset: Path, tmp_path: Path
) -> None:
    lines = bz2.decompress((testset / "trials.jsonl.bz2").read_bytes()).decode().splitlines()
    records = [json.loads(line) for line in lines]
    victim = next(r for r in records if r["problemname"] == "Compl.normal" and r["goldresp_obfusc"] == "Yoda")
    victim["goldresp_obfusc"] = "Mark"
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "trials.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    found = json.loads(probsense("audit", "worldsense", folder, "--json").out)
    assert [{k: w[k] for k in ("key", "problem", "published", "corrected")} for w in found["wrong"]] == [
        {"key": victim["Key"], "problem": "Compl.normal", "published": "1", "corrected": "3"}
    ]
    shown = probsense("audit", "worldsense", folder)
    assert "1 with a wrong gold label" in shown.out
    assert f"{victim['Key']}  Compl.normal  1 -> 3: " in shown.out
    assert "order" in shown.out


def test_the_public_names_are_all_there() -> None:
    import probsense

    assert all(getattr(probsense, name) is not None for name in probsense.__all__)
    assert set(probsense.__all__) <= set(dir(probsense))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = probsense.nothing


def test_answers_that_are_stored_are_not_asked_again(probsense: Probsense, testset: Path) -> None:
    words = ("run", "worldsense", "--data", testset, "--model", "random:7", "--json")
    first, again = probsense(*words), probsense(*words)
    assert "nothing to ask" in again.err
    a, b = json.loads(first.out), json.loads(again.out)
    assert a["estimates"] == b["estimates"]
    assert a["run"]["asked"] == b["run"]["reused"] > 0 == b["run"]["asked"]


@pytest.mark.usefixtures("undrawn")
def test_choices_by_every_method_are_one_page(probsense: Probsense) -> None:
    models = {"labels": "random:1", "options": "random:1", "sample": "builtin:tiny", "stated": "builtin:tiny"}
    words = ("run", "choices", "--answers", 4, "--limit", 4, "--json", "-q")
    for method, model in models.items():
        done = probsense(*words, "--method", method, "-m", model)
        assert done.code == 0, done.err
        told = [one["by"]["model"] for one in json.loads(done.out)["estimates"]]
        assert told[0] == "people"
        assert {"uniform", "majority"} < {*told}
    assert probsense("report", "--out", "page.html").code == 0
    assert "Distance from people" in Path("page.html").read_text()


def test_the_version(probsense: Probsense) -> None:
    assert probsense("--version").out == f"probsense {version('probsense')}\n"


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
@pytest.mark.usefixtures("stores")
def test_the_name_of_a_chart_says_its_format(probsense: Probsense, kind: str, start: bytes) -> None:
    out = Path(f"chart.{kind}")
    done = probsense("figure", "accuracy", "probsense.db", "--out", out, "--width", 480)
    assert (done.code, done.err) == (0, f"written: {out}\n")
    assert out.read_bytes().startswith(start)


def test_an_unexpected_error_is_one_line(probsense: Probsense, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: Path) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("probsense.tasks.worldsense.verbs.audit_folder", broken)
    failed = probsense("audit", "worldsense", "x")
    assert failed.code == 1
    assert failed.err.splitlines() == [
        "probsense: internal error: ZeroDivisionError: a fault (set PROBSENSE_DEBUG=1 to see where)"
    ]


class Loader(yaml.SafeLoader):
    """Reads the names of functions as text."""


Loader.add_constructor("!function", lambda loader, node: node.value)


def test_the_folder_of_tasks_for_lm_eval_is_printed(probsense: Probsense) -> None:
    done = probsense("interop", "lm-eval-tasks")
    assert done.code == 0
    folder = Path(done.out.strip())
    tasks = [yaml.load(path.read_text(), Loader) for path in folder.glob("*.yaml")]
    assert {task["dataset_name"] for task in tasks} == {"worldsense", "judgments", "winogrande"}
    assert {task["dataset_name"] for task in tasks} <= {*task_names()}
    assert all(task["task"] == f"probsense_{task['dataset_name']}" for task in tasks)
