"""Difficulty as a dial: what is recorded of every trial, what can be chosen, and what that leaves matched."""

from __future__ import annotations

import bz2
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate.design import Design, cells, count_trials, depths
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.generator import generate
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.generate.wording import agreeable, draw_asides
from probsense.tasks.worldsense.questions.format import DIFFICULTY
from probsense.tasks.worldsense.questions.trials import read_trials, read_trials_by_line
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, verdict, worlds
from probsense.tasks.worldsense.text.parse import parse_text
from support.worldsense import Record, records_of

ALL = tuple(PROBLEMS)
NORMAL = ("Infer.normal", "Consist.normal", "Compl.normal")
STORIES = tuple(name for name in ALL if name not in ("Infer.trivial", "Infer.parallel", "Compl.trivial"))
FEW = load_skins("test")[-4:]
"""Two order skins, and two of lines."""


def claims_of(record: Record, question: ParsedQuestion) -> list[Claim]:
    """The claims whose answer the facts give, read off the text: for Consist the inserted sentence."""
    if question.kind == "consist":
        named = [record["objects"].index(name) for name in question.names]
        args = tuple(int(i) for i in record["query"].strip("()").split(","))
        return [
            fact
            for fact in question.facts
            if tuple(named[i] for i in fact.args) in (args, (args[0], *args[:0:-1]))
        ][:1]
    return list(question.claims[:1])


def told_depth(record: Record) -> int | None:
    """The depth of one trial by brute force, from its text alone (but for which sentence of Consist is asked for)."""
    question = parse_text(record["text"])
    if not question.stated:
        return 0
    (claim,) = claims_of(record, question)
    facts = list(question.facts)
    if question.kind == "consist":
        facts.remove(claim)
    n = len(question.names)
    for k in range(1, len(facts) + 1):
        for chosen in combinations(facts, k):
            if verdict(worlds(n, chosen, question.lines), claim) in ("yes", "no"):
                return k
    return None


def test_what_is_recorded_is_what_the_text_shows() -> None:
    for records in generate(Design(5, (3, 4, 5), ALL, skins=FEW)):
        depths_told = [told_depth(record) for record in records]
        first = records[0]
        for record in records:
            question = parse_text(record["text"])
            assert record["facts"] == (len(question.facts) if question.stated else 0)
            assert record["depth"] == max(d for d in depths_told if d is not None), record
            assert record["distractors"] == len(question.distractors) == 0
            manner = ("ordered", "one") if first["problemname"] == "Infer.trivial" else ("shuffled", "mixed")
            assert (record["telling"], record["wordings"]) == manner
        if first["problemname"] in NORMAL:
            assert {d for d in depths_told if d is not None} == {first["depth"]}


def test_trivial_problems_read_one_sentence_or_a_list() -> None:
    problems = ("Infer.trivial", "Consist.trivial")
    found = {(r["problemname"], r["depth"]) for r in records_of(Design(1, problems=problems, skins=FEW))}
    assert found == {("Infer.trivial", 0), ("Consist.trivial", 1)}


def test_the_chosen_depth_is_the_depth_of_every_tuple() -> None:
    design = Design(2, (5, 7), NORMAL, 2, FEW, depths=(2, 3))
    found: Counter[tuple[Any, ...]] = Counter()
    for records in generate(design):
        assert {told_depth(r) for r in records} - {None} == {records[0]["depth"]}
        fields = ("problemname", "problemsize", "skin", "qskin", "depth")
        found[tuple(records[0][field] for field in fields)] += 1
    planned = Counter((c.problem, c.size, c.skin.name, c.qskin, c.depth) for c in cells(design))
    assert found == Counter({cell: 2 * count for cell, count in planned.items()})
    assert {(cell[0], cell[1], cell[4]) for cell in found} == {
        (name, size, number) for name in NORMAL for size in (5, 7) for number in (2, 3)
    }
    assert len(records_of(design)) == count_trials(design)


def test_depths_are_those_that_are_drawn() -> None:
    for size, rare in ((4, set[int]()), (5, set[int]()), (6, {5})):
        design = Design(4, (size,), NORMAL, 8, FEW[:2])
        found: dict[str, set[int]] = defaultdict(set)
        for record in records_of(design):
            found[record["problemname"]].add(record["depth"])
        for name in NORMAL:
            assert set(depths(design, name, size)) - found[name] <= rare, (name, size)
            assert set(depths(design, name, size)) >= found[name], (name, size)


def test_a_depth_that_no_story_has_is_refused_with_those_that_there_are() -> None:
    said = r"no Infer\.normal of size 4 and depth 5.*size 4: 2, 3; size 6: 2, 3, 4, 5"
    with pytest.raises(InputError, match=said):
        Design(sizes=(4, 6), problems=NORMAL, depths=(2, 5))
    with pytest.raises(InputError, match=r"no Compl\.normal of size 3 and depth 1.*size 3: none"):
        Design(sizes=(3,), problems=("Compl.normal",), depths=(1,))
    with pytest.raises(InputError, match=r"depths are chosen for Infer\.trivial.*Infer\.normal"):
        Design(problems=("Infer.trivial",), depths=(1,))


def test_complexities_are_chosen_where_there_are_several() -> None:
    found = defaultdict(set)
    for record in records_of(Design(1, (4,), ALL, skins=FEW, complexities=(2,))):
        found[record["problemname"]].add(record["complexity"])
    several = {name for name in ALL if len(PROBLEMS[name].complexities) > 1}
    assert found.pop("Compl.normal") >= {"Complexity_1"}
    several.discard("Compl.normal")
    assert found == {
        name: {"Complexity_2" if name in several else "Complexity_0"} for name in ALL if name in found
    }


def test_an_ordered_story_goes_from_one_end_to_the_other() -> None:
    ways: Counter[bool] = Counter()
    for record in records_of(Design(1, (6,), STORIES, 3, FEW[:2], telling="ordered")):
        assert record["telling"] == "ordered"
        facts = [sorted(int(i) for i in fact.split(",")) for fact in record["descr"][2:-2].split("),(")]
        ahead = all(one <= other for one, other in pairwise(facts))
        back = [[-i for i in reversed(fact)] for fact in facts]
        assert ahead or all(one <= other for one, other in pairwise(back)), record
        ways[ahead] += 1
    assert 0.4 < ways[True] / ways.total() < 0.6


def test_where_distractors_have_no_place_there_are_none() -> None:
    problems = ("Infer.trivial", "Compl.trivial", "Infer.parallel")
    design = Design(1, (4,), problems, skins=FEW, distractors=2)
    assert all(record["distractors"] == 0 for record in records_of(design))
    assert records_of(design) == records_of(replace(design, distractors=0))


@given(st.integers(3, 9), st.integers(1, 8), st.integers(0, 2**32), st.data())
def test_distractors_never_contradict_each_other(n: int, count: int, seed: int, data: st.DataObject) -> None:
    things = data.draw(st.permutations(range(n)))
    alike = (tuple(things[:2]),)
    count = min(count, n * (n - 1) // 2)
    assert agreeable(n, count, alike)
    pairs = [("{a} over {b}", "{a} under {b}"), ("{a} left of {b}", "{a} right of {b}")]
    asides = draw_asides(Draws(np.random.default_rng(seed)), pairs, n, count, alike)
    assert len(asides) == len({(pair_of(a.template, pairs), frozenset(a.args)) for a in asides}) == count
    named = Counter(thing for aside in asides for thing in aside.args)
    assert named[things[0]] == named[things[1]]
    for pair in pairs:
        facts = [
            Claim("before", a.args if a.template == pair[0] else a.args[::-1])
            for a in asides
            if a.template in pair
        ]
        assert worlds(n, facts)


def pair_of(template: str, pairs: Sequence[tuple[str, str]]) -> int:
    return next(i for i, pair in enumerate(pairs) if template in pair)


def test_difficulty_is_read_back_and_computed_where_it_is_not_recorded(tmp_path: Path) -> None:
    write_testset(tmp_path / "own", Design(6, (3, 4, 5), ALL, skins=FEW, distractors=1))
    own = read_trials(tmp_path / "own")
    assert set(own["distractors"]) == {0, 1}
    assert not own.select(DIFFICULTY).null_count().sum_horizontal().item()
    lines = bz2.decompress((tmp_path / "own" / "trials.jsonl.bz2").read_bytes()).splitlines()
    records = [json.loads(line) for line in lines]
    (tmp_path / "bare").mkdir()
    path = tmp_path / "bare" / "trials.jsonl"
    path.write_text("".join(json.dumps(r | dict.fromkeys(DIFFICULTY)) + "\n" for r in records))
    bare = read_trials(path.parent)
    assert bare.select("facts", "depth").equals(own.select("facts", "depth"))
    assert bare["telling"].null_count() == bare.height
    assert bare.equals(read_trials_by_line(path))
    path.write_text("".join(json.dumps(r | {"descr": [[0, 1]], "facts": None}) + "\n" for r in records))
    unknown = read_trials(path.parent)
    assert unknown["facts"].null_count() == unknown.height
    assert unknown.equals(read_trials_by_line(path))


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("depth", "two", "an integer"),
        ("facts", 2.5, "an integer"),
        ("telling", 3, r"telling is 3 \(expected text\)"),
    ],
)
def test_a_difficulty_of_another_kind_is_one_line(
    tmp_path: Path, field: str, value: object, expected: str
) -> None:
    records = next(generate(Design(6, (3,), ("Infer.normal",), skins=FEW)))
    path = tmp_path / "trials.jsonl"
    path.write_text("".join(json.dumps(r | {field: value}) + "\n" for r in records))
    with pytest.raises(InputError, match=expected) as caught:
        read_trials(tmp_path)
    assert "line 1" in str(caught.value)
    assert field in str(caught.value)


def test_an_existing_set_has_its_own_difficulty(tmp_path: Path) -> None:
    write_testset(tmp_path, Design(6, (4,), ("Infer.normal",), skins=FEW, telling="ordered"))
    with pytest.raises(InputError, match=r"telling, .* describe fresh questions"):
        WorldSense(tmp_path, telling="ordered")
    assert {item.data["telling"] for item in WorldSense(tmp_path).items()} == {"ordered"}
