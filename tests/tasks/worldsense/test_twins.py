"""Twins of trials ask the same of other things."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probsense as ps
from probsense.core.records import Item
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.reading import solve_text
from probsense.tasks.worldsense.text.skin_files import dump_skins, load_skins
from probsense.tasks.worldsense.twins import TWIN_OF, Twinned, pairs, rename, with_twins
from support.worldsense import answers_of, overall, records_of

FALLEN = {"the oak": "the elm", "the elm": "Ann"}
RENAMED = {
    "longest name first": ("a box of tea or box", {"box": "mug", "box of tea": "jar"}, "a jar or mug"),
    "all at once": ("Ann beats Bob", {"Ann": "Bob", "Bob": "Ann"}, "Bob beats Ann"),
    "whole words": ("Ann and Anna and Joann", {"Ann": "Eve"}, "Eve and Anna and Joann"),
    "a capital at the start": ("The oak grows. The oak!", {"the oak": "the elm"}, "The elm grows. The elm!"),
    "a capital of its own": ("Rain. Petra is wet", {"Petra": "the Alps"}, "Rain. The Alps is wet"),
    "none inside a sentence": ("in Petra", {"Petra": "the Alps"}, "in the Alps"),
    "none that was not there": ("- the oak\nthe elm", FALLEN, "- the elm\nAnn"),
    "an owner": ("Ann's, the Orrs' car", {"Ann": "James", "the Orrs": "the Lees"}, "James's, the Lees' car"),
    "an article": ("a cactus, an oak", {"cactus": "elm", "oak": "yoga mat"}, "an elm, a yoga mat"),
    "an article by the sound": (
        "a cactus, an oak, a pen",
        {"cactus": "hourglass", "oak": "unicorn balloon", "pen": "umbrella"},
        "an hourglass, a unicorn balloon, an umbrella",
    ),
    "an article at the start": ("A cactus fell", {"cactus": "oak"}, "An oak fell"),
    "a letter with another capital": ("ßa and Sa", {"ßa": "b"}, "b and Sa"),
    "quotes": ('"Lear" or "Faust"', {'"Lear"': '"Faust"', '"Faust"': '"Egmont"'}, '"Faust" or "Egmont"'),
}


@pytest.mark.parametrize("case", RENAMED)
def test_names_are_replaced(case):
    text, names, expected = RENAMED[case]
    assert rename(text, names) == expected


def made(folder: Path, design: Design) -> list[Item]:
    write_testset(folder, design)
    return [*WorldSense(folder).items()]


def mapping(trial: str, twin: str, pool: Sequence[str]) -> dict[str, str]:
    """Find which name stands for which, by the order in which they are told."""
    name = re.compile("|".join(map(re.escape, sorted(pool, key=len, reverse=True))))
    assert name.sub("…", trial) == name.sub("…", twin)
    both = list(zip(name.findall(trial), name.findall(twin), strict=True))
    found = dict(both)
    assert len(set(found.values())) == len(found)
    assert all(found[old] == new for old, new in both)
    return found


@settings(max_examples=10)
@given(
    seed=st.integers(0, 999),
    source=st.sampled_from(["test", "train", "many"]),
    problem=st.sampled_from(list(PROBLEMS)),
    size=st.integers(3, 6),
    number=st.integers(0, 100),
)
def test_a_twin_is_its_trial_with_other_names(tmp_path_factory, seed, source, problem, size, number):
    lines = problem == "Infer.parallel"
    skins = [
        skin for skin in load_skins("parallel" if lines else source) if (skin.kind == "parallel") == lines
    ]
    skin = skins[number % len(skins)]
    folder, design = tmp_path_factory.mktemp("set"), Design(seed, (size,), (problem,), 4, (skin,))
    items, pool = made(folder, design), {name for record in records_of(design) for name in record["objects"]}
    found = with_twins(items, folder, seed)
    assert bool(found.notes) == (len(found.items) < 2 * len(items))
    for _, members in groupby(pairs(found.items), key=lambda pair: pair[0].cluster):
        known = {}
        for trial, twin in members:
            assert twin is not None
            assert (twin.gold, twin.cluster) == (trial.gold, trial.cluster)
            assert {**twin.data, "text": ""} == {**trial.data, "text": "", TWIN_OF: trial.id}
            names = mapping(trial.data["text"], twin.data["text"], skin.names)
            assert all(old != new for old, new in names.items() if old in pool)
            assert all(known.setdefault(old, new) == new for old, new in names.items())
            assert rename(twin.data["text"], {new: old for old, new in names.items()}) == trial.data["text"]
            assert solve_text(twin.data["text"]) == twin.gold


def test_new_names_come_from_other_tuples_if_there_are_enough(tmp_path):
    skin = load_skins("test")[:1]
    for size, enough in ((4, True), (6, True), (8, False)):
        folder = tmp_path / str(size)
        items = made(folder, Design(3, (size,), ("Infer.normal",), 6, skin))
        found = with_twins(items, folder, 0)
        assert (len(found.items), found.notes == []) == (2 * len(items) * enough, enough)
        for trial, twin in pairs(found.items):
            assert twin is not None
            names = mapping(trial.data["text"], twin.data["text"], skin[0].names)
            assert set(names).isdisjoint(names.values())
    assert "or their skin has too few names" in found.notes[0]


def test_twins_follow_from_the_seed_and_the_tuple(tmp_path):
    items = made(tmp_path, Design(3, (4,), ("Infer.normal", "Compl.trivial"), 1))
    everything, others = (
        {twin.id: twin for _, twin in pairs(with_twins(items, tmp_path, seed).items) if twin}
        for seed in (5, 6)
    )
    task = WorldSense(tmp_path, twins=True, limit=40, seed=5)
    assert len(task.items()) == 80
    assert all(everything[item.id] == item for item in task.items() if TWIN_OF in item.data)
    assert others.keys() == everything.keys()
    assert others != everything
    again = WorldSense(**task.options)
    assert (again.options, again.items()) == (task.options, task.items())


def changed(folder: Path, number: int, fields: Mapping[str, Any]) -> Twinned:
    """Make a set of three tuples in which one trial is another one, and the twins of the set."""
    design = Design(4, (4,), ("Infer.normal",), 1, load_skins("test")[:1])
    records = records_of(design)[:6]
    records[number] |= {
        name: value(records[number]) if callable(value) else value for name, value in fields.items()
    }
    folder.mkdir()
    (folder / "trials.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "skins.yaml").write_text(dump_skins(design.skins))
    return with_twins([*WorldSense(folder).items()], folder, 0)


def test_what_the_auditor_does_not_understand_has_no_twin(tmp_path):
    assert changed(tmp_path / "whole", 0, {}).notes == []
    odd = {
        "another question": {"text": "Why?"},
        "other things than its sibling": {"objects": lambda record: record["objects"][::-1]},
        "no things": {"objects": None},
        "a thing told twice": {"objects": lambda record: [record["objects"][0]] * 4},
        "a thing without a name": {"objects": lambda record: [*record["objects"][:-1], " "]},
    }
    for name, fields in odd.items():
        found = changed(tmp_path / name, 3, fields)
        assert len(found.items) == 8, name
        assert "2 trials are not asked, because they have no twins" in found.notes[0]


def test_a_run_compares_set_and_twins(tmp_path):
    folder = tmp_path / "set"
    made(folder, Design(1, (4,), ("Infer.normal", "Compl.normal"), 1))
    run = ps.evaluate("worldsense", "oracle:", data=folder, twins=True, limit=100, store=None, quiet=True)
    (row,) = run.results.coverage
    assert (row["asked"], row["answered"], row["valid"]) == (200, 200, 200)
    table = run.table()
    assert (table["resp"] == table["twin"]).all()
    assert overall(run.results.estimates)["twin_difference", "stratified"].value == 0
    (path,) = run.task.write_results(tmp_path / "answers", run.answered)
    scores = run.task.item_scores(run.answered)
    assert scores.scores["p_gold"].equals(table["p_gold"])
    assert table.height == len(path.read_text().splitlines()) == scores.items.height == 100


def test_twins_without_an_answer_are_noted_and_count_as_wrong_and_failed_ones_leave_their_tuple_out(
    tmp_path,
):
    made(tmp_path, Design(1, (4,), ("Infer.normal",), 1))
    task = WorldSense(tmp_path, twins=True, limit=60)
    answers = answers_of(
        task, task.items(), "labels", lambda item, text: "" if TWIN_OF in item.data else item.gold
    )
    for items, compared in ((task.items(), 60), (task.items()[:-1], 58)):
        found = task.measure(items, "labels", answers, {"model": "m", "prompting": "p"})
        twins = len(items) - 60
        figures = overall(found.estimates)
        assert figures["accuracy", "stratified"].n == 60
        assert figures["twin_difference", "stratified"].n == compared
        assert figures["twin_difference", "stratified"].value == 1.0
        assert f"{twins} of {twins} twins got none of the allowed answers" in found.notes
        assert (found.coverage[0]["asked"], found.coverage[0]["valid"]) == (60 + twins, 60)
