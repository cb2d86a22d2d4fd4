from __future__ import annotations

import bz2
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense import verbs as module
from probsense.tasks.worldsense.audit import Corrections
from probsense.tasks.worldsense.questions.format import HIDDEN, PROBLEMS
from probsense.tasks.worldsense.questions.results import write_results
from probsense.tasks.worldsense.verbs import analyse
from probsense.tasks.worldsense.words import WHOM

Record = dict[str, Any]
Answer = Callable[[int, str, str], str | None]


SAME = {"text": "?", "span": 2, "skin": "s", "qskin": "q", "complexity": "Complexity_0", "query_len": 2}


def gold_answer(key: int, problem: str, gold: str) -> str:
    return gold


def first_answer(key: int, problem: str, gold: str) -> str:
    return PROBLEMS[problem][0]


CELLS = [(problem, size) for problem in ("Infer.normal", "Compl.normal") for size in (3, 4)]


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def trials(cells: list[tuple[str, int]], tuples: int = 3) -> list[Record]:
    return [
        {
            **SAME,
            "Key": 2**60 + 10 * number + place,
            "problemname": problem,
            "tuple_ID": f"t_{number}",
            "expectedresp": list(PROBLEMS[problem]),
            "problemsize": size,
            "goldresp_obfusc": HIDDEN[gold],
            "gold": gold,
        }
        for number, (problem, size) in enumerate(cells * tuples)
        for place, gold in enumerate(PROBLEMS[problem])
    ]


FEW = (
    "{} of the estimates rest on fewer than 10 independent groups of questions, as few as 3: their intervals cover less"
    " than they say"
)
NO_CEILING = (
    "no shortcut ceiling is known: it takes 100 tuples of a problem and size whose texts are understood"
)
SAME_SKINS = f"intervals speak for {WHOM['stratified']}"


def test_set(folder, records, **answers):
    """A folder with the trials, and with the answers of models named PROMPTING__MODEL."""
    folder.mkdir(exist_ok=True)
    lines = "".join(json.dumps(r) + "\n" for r in records)
    (folder / "trials.jsonl.bz2").write_bytes(bz2.compress(lines.encode()))
    for name, answer in answers.items():
        rows = [(r["Key"], answer(r["Key"], r["problemname"], r["gold"])) for r in records]
        write_results(folder / "results", *name.split("__"), rows)
    return folder


test_set.__test__ = False


def overall(folder: Path, **options: Any) -> dict[tuple[str, str, str, str], float]:
    return {
        (e.method, e.measure, str(e.by["prompting"]), str(e.by["model"])): e.value
        for e in analyse(folder, **options).results.estimates
        if "problem" not in e.by
    }


def test_promptings_are_kept_apart(tmp_path):
    folder = test_set(
        tmp_path / "s", trials(CELLS), COT__m=gold_answer, basic__m=first_answer, own__m=gold_answer
    )
    assert [row["prompting"] for row in analyse(folder).results.coverage] == ["COT", "basic", "own"]
    values = overall(folder)
    assert values["published", "accuracy", "basic", "m"] == 0.5
    assert values["published", "accuracy", "COT", "m"] == 1


def test_two_files_of_one_model_are_one(tmp_path):
    records = trials(CELLS)
    folder = test_set(tmp_path / "s", records)
    rows = [(r["Key"], r["gold"]) for r in records]
    write_results(folder / "results" / "part1", "basic", "m", rows[:17])
    write_results(folder / "results" / "part2", "basic", "m", rows[16:])
    analysis = analyse(folder, audit=False)
    assert [(row["answered"], row["complete_tuples"]) for row in analysis.results.coverage] == [(30, 12)]
    repeated, *others = analysis.results.notes
    assert repeated == "basic, m: 1 repeated rows (each counted once)"
    assert others == [NO_CEILING, SAME_SKINS, FEW.format(18)]


def test_complementary_halves_under_two_promptings_stay_halves(tmp_path):
    records = trials(CELLS)
    folder = test_set(tmp_path / "s", records)
    for prompting, half in (("basic", records[::2]), ("COT", records[1::2])):
        write_results(folder / "results", prompting, "m", [(r["Key"], r["gold"]) for r in half])
    measured = analyse(folder).results
    assert [(row["answered"], row["complete_tuples"]) for row in measured.coverage] == [(15, 0)] * 2
    assert measured.estimates == []


def test_corrected_golds(tmp_path, monkeypatch):
    records = trials([("Compl.normal", 3)])
    folder = test_set(tmp_path / "s", records, basic__m=lambda key, problem, gold: "3")
    wrong = {r["Key"]: "3" for r in records if r["gold"] == "2"}
    for labels, accuracy in ((wrong, 0.75), ({}, 0.5)):
        found = Corrections(labels, [])
        monkeypatch.setattr(module, "corrections", lambda folder, found=found: found)
        values = overall(folder)
        assert values["corrected", "accuracy", "basic", "m"] == accuracy
        assert values["stratified", "accuracy", "basic", "m"] == 0.5
        assert analyse(folder).facts["corrected"] == len(labels)
    assert not any(method == "corrected" for method, *_ in overall(folder, audit=False))
    assert analyse(folder, audit=False).facts["corrected"] is None


def test_trials_that_the_auditor_does_not_understand_are_said(tmp_path):
    folder = test_set(tmp_path / "s", trials(CELLS), basic__m=gold_answer)
    first, *others = analyse(folder).results.notes
    assert first == "the auditor does not understand 30 trials; they keep their published labels"
    assert others == [NO_CEILING, SAME_SKINS, FEW.format(18)]
    assert ("corrected", "accuracy", "basic", "m") in overall(folder)
    assert analyse(folder, audit=False).results.notes == [NO_CEILING, SAME_SKINS, FEW.format(18)]


def test_results_of_another_set_are_refused_and_those_of_a_part_are_not(tmp_path):
    records = trials(CELLS)
    folder = test_set(tmp_path / "s", records)
    own, strange = [(r["Key"], r["gold"]) for r in records], [(key, "TRUE") for key in range(100)]
    write_results(folder / "results", "basic", "m", strange + own[:2])
    with pytest.raises(InputError, match=r"2 of 102 answers of m \(basic\) are of the 30 trials of the set"):
        analyse(folder)
    write_results(folder / "results", "basic", "m", own[:3])
    assert analyse(folder).results.coverage[0]["answered"] == 3


def test_what_averages_leave_out_is_said(tmp_path):
    records = trials([("Infer.normal", 3), ("Infer.normal", 4), ("Compl.normal", 3)])
    folder = test_set(tmp_path / "s", records)
    rows = [(r["Key"], r["gold"]) for r in records if r["problemsize"] == 3]
    write_results(folder / "results", "basic", "m", rows)
    measured = analyse(folder, audit=False).results
    assert measured.warnings == [
        "basic, m: 6 of 21 trials without an answer (partial results)",
        FEW.format(15),
    ]
    assert measured.notes == [
        "the test set has no Compl.normal of size 4 (left out of its averages)",
        "basic, m: no complete tuple of Infer.normal of size 4 (left out of the averages)",
        NO_CEILING,
        SAME_SKINS,
    ]


def test_trials_are_read_again_only_if_their_file_has_changed(tmp_path, kept, monkeypatch):
    folder = test_set(tmp_path / "s", trials(CELLS), basic__m=first_answer)
    first = analyse(folder).to_json()
    with monkeypatch.context() as patch:
        patch.delattr("probsense.tasks.worldsense.questions.trials.read_trials")
        assert analyse(folder).to_json() == first
    test_set(folder, trials(CELLS, tuples=2))
    assert analyse(folder, audit=False).facts["trials"] == 20
    assert len(list(kept.iterdir())) == 3  # its trials, its corrections and its shortcut ceilings


def test_a_damaged_cache_is_mended_and_none_is_no_fault(tmp_path, kept):
    folder = test_set(tmp_path / "s", trials(CELLS), basic__m=gold_answer)
    first = analyse(folder, audit=False).to_json()
    for file in kept.iterdir():
        sound = file.read_bytes()
        flipped = bytes([*sound[:-200], sound[-200] ^ 1, *sound[-199:]])
        for damaged in (b"", b"\n", sound[:-1], sound[:50], flipped, b"\xff" * 300):
            file.write_bytes(damaged)
            assert analyse(folder, audit=False).to_json() == first
            assert file.read_bytes() == sound
    shutil.rmtree(kept)
    kept.write_text("a file where the folder should be")
    assert analyse(folder, audit=False).to_json() == first
