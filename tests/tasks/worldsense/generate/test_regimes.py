"""The matched regime: many forms, and nothing that counting could learn from them, be it by heart."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace

import pytest

from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import unmatched
from probsense.tasks.worldsense.generate.matched import NORMAL
from probsense.tasks.worldsense.generate.sets import Design, cells, draw_tuples, generate
from probsense.tasks.worldsense.measures.shortcuts import shortcuts
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.verbs import generate as generate_folder
from support.worldsense import questions_of, records_of

ERRORS = 3.5
"""What chance may add, in standard errors."""


@pytest.mark.parametrize(
    ("sizes", "tuples"),
    [((4, 5), 5), pytest.param((4, 5, 6, 7), 40, marks=pytest.mark.slow)],
    ids=["few trials", "many trials"],
)
def test_counting_reaches_one_half_on_fresh_trials(sizes, tuples):
    """In contrast to those of the published regime.

    Within one set, what is learned by heart from some tuples is missing from the others: less than one half.
    """
    for cell in shortcuts(questions_of(records_of(Design(100, sizes, NORMAL, tuples)))):
        for value, error, _ in cell.reached.values():
            assert value - 0.5 <= ERRORS * error, (cell.problem, value, error)
    for cell in shortcuts(questions_of(records_of(Design(1, (4, 5), NORMAL[:1], 2, regime=PUBLISHED)))):
        assert all(cell.reached[name].value > 0.7 for name in ("wins and losses", "wins, losses and first"))


ALL_OF_IT = "times named, wins and losses, what is named first"
ALL_LEFT = {(name, 3): ALL_OF_IT for name in NORMAL}
UNMATCHED = [
    (NORMAL, (3, 5), ALL_LEFT),
    (
        NORMAL,
        (4,),
        {("Compl.normal", 4): "times named, wins and losses of the things that are not asked about"},
    ),
    (
        ("Infer.parallel",),
        (3,),
        {("Infer.parallel", 3): "how often lines are called parallel and perpendicular"},
    ),
    (("Infer.trivial", "Infer.extrema"), (4,), {("Infer.extrema", 4): ALL_OF_IT}),
]


@pytest.mark.parametrize(("problems", "sizes", "left"), UNMATCHED)
def test_what_cannot_be_matched_is_said(tmp_path, problems, sizes, left):
    design = Design(1, sizes, tuple(problems))
    rows = tuple(f"{problem}, size {size}: {counts}" for (problem, size), counts in left.items())
    assert (unmatched(design), unmatched(replace(design, regime=PUBLISHED))) == (rows, ())
    made = generate_folder(tmp_path, seed=1, sizes=sizes, problems=problems)
    assert [f"  {row}" for row in rows] == str(made).splitlines()[-len(rows) :]
    document = json.loads((tmp_path / "manifest.json").read_text())
    assert tuple(document["unmatched"]) == made.to_json()["unmatched"] == rows
    told = {"regime": "matched", "trials": made.trials, "seed": 1, "sizes": [*sizes], "problems": [*problems]}
    assert {name: document[name] for name in told} == told


def test_infer_and_consist_share_a_story_and_compl_does_not():
    for drawn in draw_tuples(Design(3, (5,), NORMAL, skins=load_skins("test")[:4])):
        one, other, *_ = (
            [f for f in v.facts if drawn.cell.problem != "Consist.normal" or f != v.claim]
            for v in drawn.variants
        )
        assert one == other or drawn.cell.problem == "Compl.normal"


def test_a_set_draws_as_ever():
    found = hashlib.sha256()
    for records in generate(Design(5, (4, 5, 6), NORMAL, skins=load_skins("test")[:4])):
        found.update(json.dumps([{k: v for k, v in one.items() if k != "Key"} for one in records]).encode())
    assert found.hexdigest() == "3fa6a25a60b2c4c79e2d3540fb976ce40bc0b1cef617615cd25a633fe6187dbf"


def test_what_cannot_be_matched_is_drawn_as_published():
    skins = load_skins("test")[:3]
    for chosen in (
        {"sizes": (3,), "problems": NORMAL},
        {"sizes": (4,), "problems": ("Infer.trivial", "Infer.extrema")},
    ):
        one, other = (
            records_of(Design(4, skins=skins, **chosen, **regime)) for regime in ({}, {"regime": PUBLISHED})
        )
        assert one == other


def test_each_problem_and_size_has_as_many_tuples_whatever_its_complexities():
    found = Counter((cell.problem, cell.size) for cell in cells(Design(problems=NORMAL)))
    published = cells(Design(problems=NORMAL, regime=PUBLISHED))
    assert found == Counter((cell.problem, cell.size) for cell in published)
    kinds = {cell.complexity for cell in cells(Design(problems=("Infer.normal",), sizes=(4,)))}
    assert kinds == {2}
