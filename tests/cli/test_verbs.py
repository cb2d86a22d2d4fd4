"""Every verb as a user calls it."""

from __future__ import annotations

import bz2
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from probsense.core.records import Json
from support.command import Probsense


def overall(
    document: dict[str, Json], measure: str = "accuracy", method: str = "published"
) -> dict[str, float]:
    """The overall figure of each model."""
    return {
        e["by"]["model"]: e["value"]
        for e in document["estimates"]
        if e["measure"] == measure and e["method"] == method and "problem" not in e["by"]
    }


def test_generate_then_audit(probsense: Probsense, tmp_path: Path) -> None:
    words = ("--seed", 1, "--sizes", "3", "--problems", "all")
    made = probsense("generate", "worldsense", tmp_path / "new", *words)
    assert made.code == 0
    assert "every gold label checked by the solver" in made.out
    audited = probsense("audit", "worldsense", tmp_path / "new", "--json")
    found = json.loads(audited.out)
    assert found["trials"] == found["parsed"] > 500
    assert found["wrong"] == found["unparsed"] == []


def test_generate_training(probsense: Probsense, tmp_path: Path) -> None:
    words = ("--training", "--sizes", "3", "--problems", "Infer.trivial", "--quiet")
    made = probsense("generate", "worldsense", tmp_path / "new", *words)
    assert (made.code, made.out, made.err) == (0, "", "")
    assert (tmp_path / "new" / "training.jsonl.bz2").is_file()


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


@pytest.mark.usefixtures("undrawn")
def test_run_then_ask_nothing_then_analyse(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(testset, folder)
    words = ("run", "worldsense", "--data", folder, "--write-results", folder, "--json")
    figures = {}
    for model in ("oracle:", "random:7"):
        first = probsense(*words, "--model", model)
        assert first.code == 0
        assert "items" in first.err
        again = probsense(*words, "--model", model)
        assert "nothing to ask" in again.err
        a, b = json.loads(first.out), json.loads(again.out)
        assert a["estimates"] == b["estimates"]
        assert a["run"]["asked"] == b["run"]["reused"] > 0 == b["run"]["asked"]
        figures[model] = a
    assert overall(figures["oracle:"]) == {"oracle:": 1.0}
    assert overall(figures["oracle:"], "bias") == {"oracle:": 0.0}
    analysed = json.loads(probsense("analyse", "worldsense", folder, "--json").out)
    assert overall(analysed) == {
        "oracle": 1.0,
        "random_7": pytest.approx(overall(figures["random:7"])["random:7"], abs=1e-12),
    }
    assert analysed["coverage"][0]["answered"] == analysed["coverage"][0]["asked"] > 0
    shown = probsense("analyse", "worldsense", folder, "--full", "--report", tmp_path / "r.html")
    assert shown.code == 0
    assert "Overall" in shown.out
    assert "Coverage" in shown.out
    assert "<figure>" in (tmp_path / "r.html").read_text()
    assert r"\caption{Accuracy in \%" in probsense("analyse", "worldsense", folder, "--format", "latex").out


def test_recorded_answers_run_like_a_model(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    words = ("--data", testset, "--store", tmp_path / "s.db", "--quiet", "--json")
    made = probsense("run", "worldsense", "--model", "oracle:", "--write-results", tmp_path, *words)
    assert made.code == 0
    (file,) = (tmp_path / "results").iterdir()
    assert file.name == "options___oracle___results.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[2:]) + "\n")
    done = json.loads(probsense("run", "worldsense", "--model", f"recorded:{file}", *words).out)
    (value,) = overall(done).values()
    assert 0.99 < value < 1
    assert done["coverage"][0]["valid"] == done["coverage"][0]["asked"] - 2
    assert done["notes"]


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_every_method_asks_the_oracle(probsense: Probsense, tmp_path: Path, method: str) -> None:
    words = ("--limit", 40, "--method", method, "--json", "--quiet", "--store", tmp_path / "s.db")
    done = probsense("run", "worldsense", "--model", "oracle:", *words)
    document = json.loads(done.out)
    assert overall(document) == {"oracle:": 1.0}
    assert document["estimates"][0]["by"]["prompting"] == method
    assert 30 < document["coverage"][0]["asked"] <= 40


def test_data_list_and_offline(probsense: Probsense, tmp_path: Path) -> None:
    listed = probsense("data", "list")
    assert "CC BY-NC 4.0" in listed.out
    assert "worldsense/memorisation" in listed.out
    assert json.loads(probsense("data", "list", "--json").out)["data"][0]["licence"] == "CC BY-NC 4.0"
    missing = probsense("data", "get", "worldsense/memorisation", "--offline")
    assert missing.code == 1
    assert "CC BY-NC 4.0" in missing.err
    assert "probsense data get" in missing.err


def test_version_and_help(probsense: Probsense) -> None:
    assert probsense("--version").out == f"probsense {version('probsense')}\n"
    assert "analyse" in probsense("--help").out


def test_nothing_heavy_is_imported_for_help_or_the_package() -> None:
    code = (
        "import sys, probsense, probsense.cli\n"
        "sys.argv = ['probsense', '--help']\n"
        "try: probsense.cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'pandas', 'scipy.stats', 'polars', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_the_public_names_are_all_there() -> None:
    import probsense

    assert all(getattr(probsense, name) is not None for name in probsense.__all__)
    assert set(probsense.__all__) <= set(dir(probsense))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = probsense.nothing


def test_an_unexpected_error_is_one_line(
    probsense: Probsense, monkeypatch: pytest.MonkeyPatch, testset: Path
) -> None:
    def broken(folder: Path) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("probsense.tasks.worldsense.verbs.audit_folder", broken)
    failed = probsense("audit", "worldsense", testset)
    assert failed.code == 1
    assert failed.err.splitlines() == [
        "probsense: internal error: ZeroDivisionError: a fault (set PROBSENSE_DEBUG=1 to see where)"
    ]
