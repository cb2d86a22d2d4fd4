"""Difficulty as a dial: what is recorded of every trial, what can be chosen, and what that leaves matched."""

from __future__ import annotations

import bz2
import json
from collections import Counter, defaultdict
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate.files import unmatched, write_testset
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import Design, cells, count_trials, depths, generate
from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.questions.format import DIFFICULTY
from probsense.tasks.worldsense.questions.trials import read_trials
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, depth, verdict, worlds
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from support.worldsense import Record, records_of

ALL = tuple(PROBLEMS)
NORMAL = ("Infer.normal", "Consist.normal", "Compl.normal")
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
    question = packaged_reader().read(record["text"])
    if not question.stated:
        return 0
    (claim,) = claims_of(record, question)
    facts = list(question.facts)
    if question.kind == "consist":
        facts.remove(claim)
    return brute(len(question.names), facts, claim, question.lines)


def test_what_is_recorded_is_what_the_text_shows() -> None:
    for records in generate(Design(5, (3, 4, 5), ALL, skins=FEW)):
        depths_told = [told_depth(record) for record in records]
        for record in records:
            question = packaged_reader().read(record["text"])
            assert record["facts"] == (len(question.facts) if question.stated else 0)
            assert record["depth"] == max(d for d in depths_told if d is not None), record
        if records[0]["problemname"] in NORMAL:
            assert {d for d in depths_told if d is not None} == {records[0]["depth"]}


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
    with pytest.raises(InputError, match=r"no Infer\.normal of size 4 and depth 5 \(expected one of 2, 3\)"):
        Design(sizes=(4, 6), problems=NORMAL, depths=(2, 5))
    for problem, size in (("Compl.normal", 3), ("Infer.trivial", 4)):
        with pytest.raises(
            InputError, match=rf"no {problem} of size {size} and depth 1.*regime matched, Infer"
        ):
            Design(sizes=(size,), problems=(problem,), depths=(1,))


def test_what_is_chosen_stands_in_the_manifest(tmp_path: Path) -> None:
    design = Design(1, (4, 5), NORMAL, skins=FEW, depths=(2, 3))
    write_testset(tmp_path, design)
    document = json.loads((tmp_path / "manifest.json").read_text())
    assert document["depths"] == [2, 3]
    assert document["unmatched"] == json.loads(json.dumps([asdict(row) for row in unmatched(design)]))


def test_difficulty_is_read_back_and_computed_where_it_is_not_recorded(tmp_path: Path) -> None:
    write_testset(tmp_path / "own", Design(6, (3, 4, 5), ALL, skins=FEW))
    own = read_trials(tmp_path / "own")
    assert not own.select(DIFFICULTY).null_count().sum_horizontal().item()
    lines = bz2.decompress((tmp_path / "own" / "trials.jsonl.bz2").read_bytes()).splitlines()
    records = [json.loads(line) for line in lines]
    (tmp_path / "bare").mkdir()
    path = tmp_path / "bare" / "trials.jsonl"
    path.write_text("".join(json.dumps(r | dict.fromkeys(DIFFICULTY)) + "\n" for r in records))
    bare = read_trials(path.parent)
    assert bare.select("facts", "depth").equals(own.select("facts", "depth"))
    path.write_text("".join(json.dumps(r | {"descr": [[0, 1]], "facts": None}) + "\n" for r in records))
    unknown = read_trials(path.parent)
    assert unknown["facts"].null_count() == unknown.height


def test_a_run_asks_what_was_chosen_and_its_table_says_so() -> None:
    cells = {"sizes": [4], "problems": ["Infer.normal"], "depths": [2, 3], "tuples": 2, "limit": 112}
    found = ps.evaluate("worldsense", "oracle:", store=None, quiet=True, **cells)
    assert found.task.options["depths"] == [2, 3]
    table = found.table()
    # There are 14 skins and 2 wordings, so this limit takes one tuple of each cell.
    assert table.group_by("depth").len().sort("depth").rows() == [(2, 56), (3, 56)]
    assert table["p_gold"].min() > 0.99


def test_an_existing_set_has_its_own_difficulty(tmp_path: Path) -> None:
    write_testset(tmp_path, Design(6, (4,), ("Infer.normal",), skins=FEW, depths=(3,)))
    with pytest.raises(InputError, match=r"depths describe fresh questions"):
        WorldSense(tmp_path, depths=(3,))
    assert {item.data["depth"] for item in WorldSense(tmp_path).items()} == {3}


def brute(n: int, facts: list[Claim], claim: Claim, lines: bool = False) -> int | None:
    if verdict(worlds(n, facts, lines), claim) not in ("yes", "no"):
        return None
    return next(
        k
        for k in range(len(facts) + 1)
        for chosen in combinations(facts, k)
        if verdict(worlds(n, chosen, lines), claim) in ("yes", "no")
    )


@st.composite
def stories(draw: st.DrawFn) -> tuple[int, list[Claim], Claim]:
    """Facts that hold in the order 0, 1, ..., some of which may follow from others, and any claim."""
    n = draw(st.integers(3, 6))
    pairs, triples = list(combinations(range(n), 2)), list(combinations(range(n), 3))
    true = [before(*pair) for pair in pairs] + [between(m, a, b) for a, m, b in triples]
    facts = draw(st.lists(st.sampled_from(true), min_size=1, max_size=8))
    relation = draw(st.sampled_from(["before", "between", "outside", "first", "last"]))
    arity = {"before": 2, "between": 3, "outside": 3}.get(relation, 1)
    return n, facts, Claim(relation, tuple(draw(st.permutations(range(n)))[:arity]))


@given(stories())
def test_depth_is_the_size_of_the_smallest_subset_that_decides(story: tuple[int, list[Claim], Claim]) -> None:
    assert depth(*story) == brute(*story)


@pytest.mark.parametrize("turned", [0, 2])
def test_lines_are_joined_link_by_link(turned: int) -> None:
    links = [Claim("perpendicular" if i == turned else "parallel", (i, i + 1)) for i in range(4)]
    for claim in (Claim("parallel", (3, 0)), Claim("perpendicular", (3, 0))):
        assert depth(5, links, claim, lines=True) == brute(5, links, claim, lines=True) == 3
    assert depth(5, links[1:], Claim("parallel", (3, 0)), lines=True) is None


def test_foreign_claims_have_no_depth() -> None:
    assert depth(3, [before(0, 1)], Claim("foreign", (0, 1))) is None
