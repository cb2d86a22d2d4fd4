"""Generated sets: the invariants I1 to I12 of the specification."""

from __future__ import annotations

import ast
import bz2
import hashlib
import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate import MATCHED, PUBLISHED, REGIMES
from probsense.tasks.worldsense.generate.files import training_blocks, write_testset, write_training
from probsense.tasks.worldsense.generate.problems import (
    PROBLEMS,
    STANDARD,
    TRAINING,
    Cell,
    Variant,
    infer_extrema,
)
from probsense.tasks.worldsense.generate.sets import Design, cells, count_trials, generate
from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.questions.format import DIFFICULTY, FORM
from probsense.tasks.worldsense.text.logic import answer
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.verbs import generate as make_set
from support.worldsense import Record, gold, records_of, true_in

ALL = tuple(PROBLEMS)


@pytest.fixture(scope="module", params=REGIMES)
def design(request):
    return Design(seed=11, problems=ALL, tuples=2, regime=request.param)


@pytest.fixture(scope="module")
def tuples(design):
    return list(generate(design))


def digest_of(design: Design) -> str:
    """The digest of a set with the fields of the published format only, without keys."""
    found = hashlib.sha256()
    left_out = ("Key", *DIFFICULTY, FORM)
    for records in generate(design):
        whole = [{k: v for k, v in record.items() if k not in left_out} for record in records]
        found.update(json.dumps(whole).encode())
    return found.hexdigest()


def facts_of(record: Record) -> tuple[tuple[Any, ...], ...]:
    return tuple(ast.literal_eval(record["descr"]))


def query_of(record: Record) -> tuple[Any, ...]:
    return tuple(ast.literal_eval(record["query"].removeprefix("i")))


@cache
def models_of(facts: tuple[tuple[int, ...], ...], n: int, one_more: bool = False) -> list[tuple[int, ...]]:
    """The orders of n things, and of -1 where there is one more, in which facts hold."""
    things = (*range(n), -1) if one_more else range(n)
    return [order for order in permutations(things) if all(true_in(order, fact) for fact in facts)]


def test_stories_have_the_models_they_should(design, tuples):
    """I1, I2, I4: one model, but several for Compl.normal, and one again without the inserted fact."""
    more = {MATCHED: 4, PUBLISHED: 0}[design.regime]
    for record in (r for t in tuples[::4] for r in t if r["problemname"] != "Infer.parallel"):
        facts, query, n = facts_of(record), query_of(record), record["problemsize"]
        if record["problemname"].startswith("Consist"):
            assert n <= len(facts) <= n + more
            place = facts.index(query)
            assert len(models_of(facts[:place] + facts[place + 1 :], n)) == 1
        elif record["problemname"] == "Compl.normal":
            assert len(models_of(facts, n)) >= 2
            assert more == 4 or len(models_of(facts, n)) < n
            assert -1 not in query
            assert not record["query"].startswith("i")
        else:
            assert len(models_of(facts, n)) == 1
            assert n - 1 <= len(facts) <= n - 1 + more


def test_tuples_are_whole(tuples):
    """I6: golds, constant fields, distinct texts and keys; no question comes twice."""
    for records in tuples:
        first = records[0]
        golds = ["3", "2", "1"] if first["problemname"] == "Compl.normal" else first["expectedresp"]
        assert [gold(record) for record in records] == golds
        for field in ("tuple_ID", "problemname", "objects", "problemsize", "skin", "qskin", "complexity"):
            assert all(record[field] == first[field] for record in records)
    every = [record for records in tuples for record in records]
    assert len({r["text"] for r in every}) == len({r["Key"] for r in every}) == len(every)
    assert all(-(2**63) <= record["Key"] < 2**63 for record in every)
    assert len({records[0]["tuple_ID"] for records in tuples}) == len(tuples)


def test_cells_are_equally_filled(design, tuples):
    """I7; of Compl.normal, the matched regime draws the complexity."""
    drawn = {"Compl.normal"} if design.regime == MATCHED else set()
    fields = ("problemname", "problemsize", "skin", "qskin", "complexity")
    found = Counter(
        tuple(t[0][field] for field in fields) for t in tuples if t[0]["problemname"] not in drawn
    )
    planned = Counter()
    for c in cells(design):
        if c.problem not in drawn:
            planned[c.problem, c.size, c.skin.name, c.qskin, f"Complexity_{c.complexity}"] += 2
    assert found == planned
    assert sum(map(len, tuples)) == count_trials(design)
    assert drawn or set(found.values()) == {2}


def test_no_answer_shows_in_the_words(design, tuples):
    """I8: variants that share a story have the same bag of words, but where other things are asked about."""
    for records in tuples:
        problem = records[0]["problemname"]
        if problem in ("Infer.extrema", "Infer.parallel"):
            continue
        if design.regime == MATCHED and problem.endswith(".normal"):
            continue
        pair = [r for r in records if gold(r) != "3"]
        bags = [Counter(re.findall(r"\w+", r["text"])) for r in pair]
        assert bags[0] == bags[1], records


def test_normal_problems_ask_for_nothing_stated(tuples):
    """I9; with three entities, where every decidable pair of Compl.normal is a stated one, not in its words."""
    for record in (r for t in tuples for r in t if r["problemname"].endswith(".normal")):
        stated, query = [*facts_of(record)], query_of(record)
        if record["problemname"].startswith("Consist"):
            stated.remove(query)
        plain = {(f[0], *sorted(f[1:])) if len(f) == 3 else f for f in stated}
        asked = (query[0], *sorted(query[1:])) if len(query) == 3 else query
        if record["problemname"] == "Compl.normal" and record["problemsize"] == 3:
            story, question = record["text"].split("\n", 1)
            first = re.search(r"(?:\(1\)|1 if) (.+?), (?:\(2\)|2 if)", question)
            assert first is not None
            assert first[1] not in story
        else:
            assert asked not in plain, record


def test_the_keys_of_sets_of_one_seed_differ_where_the_questions_do():
    sets = [Design(0, (size,), ("Infer.normal",)) for size in (4, 5, 4)]
    keys = [{record["Key"] for records in generate(design) for record in records} for design in sets]
    assert keys[0] == keys[2]
    assert not keys[0] & keys[1]
    assert len(keys[0]) == count_trials(sets[0])


@pytest.mark.parametrize("second", [write_testset, write_training])
@pytest.mark.parametrize("first", [write_testset, write_training])
def test_a_folder_holds_one_set(first, second, tmp_path):
    design = Design(0, (3,), ("Infer.normal",))
    first(tmp_path, design)
    described = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="a data set is already there"):
        second(tmp_path, design)
    assert (tmp_path / "manifest.json").read_bytes() == described


def test_the_published_regime_draws_as_ever():
    """The digests are those of the generator before it knew of regimes."""
    design = Design(7, (3, 4, 5, 6), ALL, regime=PUBLISHED)
    assert digest_of(design) == "f95d089e1d78ca2cc7da822eca8ce11f36b94f14aeefa43b1a177ce57082f4ca"
    problems = ("Infer.normal", "Consist.normal", "Infer.ordered")
    lessons = Design(7, (3, 4, 5), problems, skins=load_skins("train"), regime=PUBLISHED)
    blocks = "".join(map(json.dumps, training_blocks(lessons)))
    digest = hashlib.sha256(blocks.encode()).hexdigest()
    assert digest == "888b110a11e66f2d2c08abafe87a96a46bd5d6141a4702c10cf606d144264f9b"


@pytest.mark.parametrize(
    "problems",
    [
        ("Infer.trivial", "Consist.normal", "Infer.extrema"),
        pytest.param([name for name in ALL if name != "Compl.trivial"], marks=pytest.mark.slow),
    ],
    ids=["few problems", "many problems"],
)
def test_sets_of_twelve_things_are_drawn_and_read(tmp_path, problems):
    design = Design(3, (9, 12), tuple(problems), skins=load_skins("test")[-4:])
    assert write_testset(tmp_path, design) == count_trials(design)
    audited = audit_folder(tmp_path)
    assert (audited.parsed, audited.wrong) == (count_trials(design), ())


@settings(max_examples=15)
@given(
    st.integers(0, 2**63 - 1),
    st.sets(st.integers(3, 10), min_size=1, max_size=2),
    st.sets(st.sampled_from(ALL), min_size=1, max_size=3),
    st.sampled_from(["test", "train"]),
    st.sampled_from(REGIMES),
)
def test_any_design_audits_clean(seed, sizes, problems, skins, regime):
    few = tuple(skin for skin in load_skins(skins) if skin.kind in ("temporal", "parallel"))[2:]
    for record in records_of(
        Design(seed, tuple(sorted(sizes)), tuple(sorted(problems)), skins=few, regime=regime)
    ):
        assert answer(packaged_reader().read(record["text"])) == gold(record)


@pytest.mark.parametrize("problems", ["standard", "all", "all,Infer.ordered"])
def test_training_sets_have_the_published_form(tmp_path, problems):
    """Section 6: one user message and the plain gold, of every problem that was asked for, siblings apart."""
    chosen = STANDARD if problems == "standard" else tuple(PROBLEMS)
    made = make_set(tmp_path, sizes=[3], problems=problems.split(","), training=True)
    design = Design(0, (3,), (*chosen, "Infer.ordered"), skins=load_skins("train"))
    pairs = [pair for block in training_blocks(design) for pair in block]
    assert made.trials == count_trials(design) == len(pairs)
    lines = bz2.decompress((tmp_path / "training.jsonl.bz2").read_bytes()).splitlines()
    for line, (text, label) in zip(lines, pairs, strict=True):
        message = {"role": "user", "content": text}
        assert json.loads(line) == {"dialog_history": {"messages": [message]}, "target_message": label}
    stories = [text.split("\n")[0] for text, _ in pairs]
    assert sum(a == b for a, b in pairwise(stories)) < len(pairs) / 20


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": (2,)}, "size 2"),
        ({"sizes": (13,)}, "size 13.*sizes 3 to 12"),
        ({"sizes": ()}, "sizes are empty"),
        ({"sizes": (3, 3)}, "repeated"),
        ({"problems": ("Infer.hard",)}, "no problem 'Infer.hard'"),
        ({"tuples": 0}, "0 tuples"),
        ({"seed": -1}, "seed -1"),
        ({"regime": "wild"}, "no regime 'wild'.*matched or published"),
        ({"problems": ("Infer.parallel",), "skins": load_skins("test")[:2]}, "no skin of kind parallel"),
        ({"skins": load_skins("parallel")}, "no skin of kind scalar"),
        ({"depths": (2, 2)}, "depths are empty or repeated"),
        ({"sizes": (4, 6), "depths": (2, 5)}, r"no Infer\.normal of size 4 and depth 5 .*expected 2, 3"),
        (
            {"sizes": (3,), "problems": ("Compl.normal",), "depths": (1,)},
            "depth 1 .*the regime matched, Infer",
        ),
        ({"problems": ("Infer.trivial",), "depths": (1,)}, "no Infer.trivial of size 4 and depth 1"),
        ({"regime": PUBLISHED, "sizes": (5,), "depths": (2,)}, "depth 2.*the regime matched"),
    ],
)
def test_impossible_designs_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        Design(**changes)


def test_too_few_names_are_said():
    skin = replace(load_skins("test")[0], names=load_skins("test")[0].names[:5])
    Design(sizes=(4,), skins=(skin,))
    with pytest.raises(InputError, match=r"has 5 names; .* of size 5 needs 6"):
        Design(sizes=(5,), skins=(skin,))
    with pytest.raises(InputError, match=r"has 12 names; Compl\.trivial of size 12 needs 13"):
        Design(3, (12,), ("Compl.trivial",), skins=load_skins("test")[-4:])


def test_an_interrupted_write_leaves_no_set(tmp_path):
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_testset(tmp_path, Design(), stop)
    assert not list(tmp_path.glob("*trials*"))
    assert not (tmp_path / "manifest.json").exists()


def test_more_tuples_than_there_are_is_one_clear_line():
    skin = replace(load_skins("test")[0], names=load_skins("test")[0].names[:3])
    design = Design(sizes=(3,), problems=("Infer.trivial",), tuples=40, skins=(skin,))
    said = r"too few different questions of Infer\.trivial of size 3 in skin .*fewer tuples"
    with pytest.raises(InputError, match=said):
        list(generate(design))


def test_a_label_that_the_solver_denies_stops_everything(monkeypatch):
    def mistaken(draws: Draws, cell: Cell) -> list[Variant]:
        one, other = infer_extrema(draws, cell)
        return [one._replace(gold=other.gold), other._replace(gold=one.gold)]

    monkeypatch.setitem(TRAINING, "Infer.extrema", TRAINING["Infer.extrema"]._replace(build=mistaken))
    with pytest.raises(RuntimeError, match=r"tuple of skin .* got gold (TRUE, not FALSE|FALSE, not TRUE)"):
        list(generate(Design(problems=("Infer.extrema",))))
