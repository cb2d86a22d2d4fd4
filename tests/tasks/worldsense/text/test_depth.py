"""Difficulty as a dial: what is recorded of every trial, what can be chosen, and what that leaves matched."""

from __future__ import annotations

import bz2
import json
from collections import Counter
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import Design, generate
from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.questions.format import DIFFICULTY, FORM
from probsense.tasks.worldsense.questions.trials import read_trials
from probsense.tasks.worldsense.text.logic import Claim, depth, verdict, worlds
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from support.worldsense import Record

ALL = tuple(PROBLEMS)
NORMAL = ("Infer.normal", "Consist.normal", "Compl.normal")
FEW = load_skins("test")[-4:]
"""Two order skins, and two of lines."""


def told_depth(record: Record) -> int | None:
    """The depth of one trial by brute force, from its text, but for which sentence of Consist is asked for."""
    question = packaged_reader().read(record["text"])
    if not question.stated:
        return 0
    facts, asked = list(question.facts), question.claims[:1]
    if question.kind == "consist":
        named = [record["objects"].index(name) for name in question.names]
        query = [int(thing) for thing in record["query"].strip("()").split(",")]
        told = ([named[thing] for thing in fact.args] for fact in facts)
        place = next(n for n, args in enumerate(told) if args in (query, [query[0], *query[:0:-1]]))
        asked = (facts.pop(place),)
    return brute(len(question.names), facts, asked[0])


def test_what_is_recorded_is_what_the_text_shows():
    for records in generate(Design(5, (3, 4, 5), ALL, skins=FEW)):
        depths_told = [told_depth(record) for record in records]
        for record in records:
            question = packaged_reader().read(record["text"])
            assert record["facts"] == (len(question.facts) if question.stated else 0)
            assert record["depth"] == max(d for d in depths_told if d is not None), record
        if records[0]["problemname"] in NORMAL:
            assert {d for d in depths_told if d is not None} == {records[0]["depth"]}


def test_the_chosen_depth_is_the_depth_of_every_tuple():
    found = Counter()
    for records in generate(Design(2, (5, 7), NORMAL, 1, FEW[:1], depths=(2, 3))):
        assert {told_depth(r) for r in records} - {None} == {records[0]["depth"]}
        found[tuple(records[0][field] for field in ("problemname", "problemsize", "depth"))] += 1
    assert {*found} == {*product(NORMAL, (5, 7), (2, 3))}
    assert len({*found.values()}) == 2  # Compl.normal has one complexity, the others three


def test_difficulty_and_form_are_read_back_and_computed_where_they_are_not_recorded(tmp_path):
    write_testset(tmp_path, Design(6, (3, 4, 5), ALL, skins=FEW))
    own = read_trials(tmp_path).select("problem", *DIFFICULTY, FORM)
    assert not own.null_count().sum_horizontal().item()
    packed, plain = tmp_path / "trials.jsonl.bz2", tmp_path / "trials.jsonl"
    records = [json.loads(line) for line in bz2.decompress(packed.read_bytes()).splitlines()]
    packed.unlink()
    plain.write_text("".join(json.dumps(r | dict.fromkeys((*DIFFICULTY, FORM))) + "\n" for r in records))
    # Of lines, a record says which are linked, but not how.
    known = pl.when(pl.col("problem") != "Infer.parallel").then(FORM)
    assert (
        read_trials(tmp_path).select("problem", *DIFFICULTY, FORM).equals(own.with_columns(known.alias(FORM)))
    )
    plain.write_text("".join(json.dumps(r | {"descr": "?", "facts": None}) + "\n" for r in records))
    assert read_trials(tmp_path)["facts"].null_count() == len(records)


def brute(n: int, facts: list[Claim], claim: Claim) -> int | None:
    if verdict(worlds(n, tuple(facts)), claim) not in ("yes", "no"):
        return None
    return next(
        k
        for k in range(1, len(facts) + 1)
        for chosen in combinations(facts, k)
        if verdict(worlds(n, chosen), claim) in ("yes", "no")
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
def test_depth_is_the_size_of_the_smallest_subset_that_decides(story):
    assert depth(*story) == brute(*story)


@pytest.mark.parametrize("turned", [0, 2])
def test_lines_are_joined_link_by_link(turned):
    links = [Claim("perpendicular" if i == turned else "parallel", (i, i + 1)) for i in range(4)]
    for claim in (Claim("parallel", (3, 0)), Claim("perpendicular", (3, 0))):
        assert depth(5, links, claim) == brute(5, links, claim) == 3
    assert depth(5, links[1:], Claim("parallel", (3, 0))) is None
    assert depth(3, [before(0, 1)], Claim("foreign", (0, 1))) is None
