"""``probsense run suite``: the original's flags, its files, and what goes wrong with them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from support.command import Probsense, assert_refused


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Two prompts and two tests, where ProbSem looks for them."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    for prompt in ("one", "two"):
        (folder / f"{prompt}.txt").write_text(f"This is prompt {prompt}.\n")
        for test, expected in (("A", 0), ("B", -1)):
            content = {
                "pretext": "Answer True or False.",
                "context": [{"text": "Ice is cold.", "expected": expected}],
                "posttext": "The answer is:",
                "queries": ["True", "False"],
            }
            (folder / f"{prompt}_{test}.json").write_text(json.dumps(content))
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_the_original_command(probsense: Probsense, inputs: Path, tmp_path: Path) -> None:
    words = ("--prompt", "one", "--test", "A", "--model", "random:1", "-q")
    done = probsense("run", "suite", *words)
    assert done.code == 0, done.err
    assert "Accuracy" in done.out
    found = rows(tmp_path / "outputs" / "one_A_random-1_results.csv")
    assert [row["query"] for row in found] == ["True", "False"]
    assert {row["text"] for row in found} == {"Answer True or False.\nIce is cold.\nThe answer is:"}
    assert sum(float(row["score"]) for row in found) == pytest.approx(1)


@pytest.mark.parametrize("more", [(), ("--full",)])
def test_distributions_are_printed_where_nothing_is_expected(
    probsense: Probsense, inputs: Path, more: tuple[str, ...]
) -> None:
    done = probsense("run", "suite", "--prompt", "one", "--test", "B", "--model", "random:1", "-q", *more)
    assert done.code == 0, done.err
    title, _, _, *lines = done.out[done.out.index("Probabilities") :].splitlines()
    assert title == "Probabilities of queries in %"
    cells = [line.split() for line in lines[: lines.index("")]]
    assert [row[0] for row in cells if len(row) == 2] == ["True", "False"]
    assert sum(float(row[1]) for row in cells if len(row) == 2) == pytest.approx(100)


@pytest.mark.parametrize("dash", ["-", "_"])
def test_folders_norm_and_temperature(probsense: Probsense, inputs: Path, tmp_path: Path, dash: str) -> None:
    inputs.rename(tmp_path / "there")
    words = ("run", "suite", "--prompt", "one", "--test", "A", "--model", "builtin:tiny", "-q")
    places = (f"--input{dash}dir", tmp_path / "there", f"--output{dash}dir")
    flat = probsense(*words, *places, tmp_path / "flat", "--norm", "--temp", "100", "--json")
    assert json.loads(flat.out)["run"]["options"]["temp"] == 100
    assert json.loads(flat.out)["estimates"][0]["by"]["view"] == "token"
    assert probsense(*words, *places, tmp_path / "plain").code == 0
    (a,), (b,) = ((tmp_path / name).iterdir() for name in ("flat", "plain"))
    assert a.name == b.name == "one_A_builtin-tiny_results.csv"
    assert [abs(float(row["score"]) - 0.5) < 0.05 for row in rows(a)] == [True, True]
    assert [float(x["logp"]) >= float(y["logp"]) for x, y in zip(rows(a), rows(b), strict=True)] == [True] * 2


def test_results_go_where_the_common_option_says(probsense: Probsense, inputs: Path, tmp_path: Path) -> None:
    words = ("--prompt", "one", "--test", "A", "--model", "random:1", "-q", "--write-results", "there")
    assert probsense("run", "suite", *words).code == 0
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["one_A_random-1_results.csv"]
    assert not (tmp_path / "outputs").exists()


def test_every_prompt_with_every_test(probsense: Probsense, inputs: Path, tmp_path: Path) -> None:
    words = ("--prompt", "one", "--prompt", "two", "--test", "A", "--test", "B")
    done = probsense("run", "suite", *words, "-m", "random:1", "--json", "-q")
    document = json.loads(done.out)
    assert document["coverage"][0]["asked"] == 4
    assert document["coverage"][0]["with_gold"] == 2
    names = {path.name for path in (tmp_path / "outputs").iterdir()}
    assert names == {f"{p}_{t}_random-1_results.csv" for p in ("one", "two") for t in "AB"}
    assert {e["by"].get("problem") for e in document["estimates"]} == {None, "one A", "two A"}


def test_without_a_prompt_the_example_is_asked(probsense: Probsense, tmp_path: Path) -> None:
    done = probsense("run", "suite", "-m", "random:1", "--full")
    assert done.code == 0
    assert "example suite" in done.err
    assert "answers written to" in done.err
    again = probsense("run", "suite", "-m", "random:1", "--full")
    assert "nothing to ask" in again.err
    assert again.out == done.out


def test_faulty_tests_are_one_line(probsense: Probsense, inputs: Path, tmp_path: Path) -> None:
    bad: dict[str, Any] = json.loads((inputs / "one_A.json").read_text())
    bad["context"][0]["expected"] = 2
    (inputs / "one_bad.json").write_text(json.dumps(bad))
    for test, fact in (("C", "one of the tests A, B"), ("bad", "context[0].expected is 2")):
        done = probsense("run", "suite", "--prompt", "one", "--test", test, "-m", "random:1")
        assert_refused(done, fact)
    assert not (tmp_path / "outputs").exists()
