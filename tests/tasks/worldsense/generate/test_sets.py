"""Generated sets: the invariants I1 to I12 of the specification."""

from __future__ import annotations

import ast
import bz2
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import chisquare

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate import MATCHED, PUBLISHED, REGIMES
from probsense.tasks.worldsense.generate.files import training_blocks, write_testset, write_training
from probsense.tasks.worldsense.generate.problems import PROBLEMS, STANDARD, TRAINING
from probsense.tasks.worldsense.generate.sets import Design, cells, count_trials, generate
from probsense.tasks.worldsense.questions.format import DIFFICULTY, FORM
from probsense.tasks.worldsense.text.logic import answer
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.verbs import generate as make_set
from support.worldsense import Record, gold, records_of, true_in

ALL = tuple(PROBLEMS)


@pytest.fixture(scope="module", params=REGIMES)
def design(request: pytest.FixtureRequest) -> Design:
    return Design(seed=11, problems=ALL, tuples=2, regime=request.param)


@pytest.fixture(scope="module")
def tuples(design: Design) -> list[list[Record]]:
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


def answer_by_descr(record: Record) -> str:
    """The gold by plain enumeration over the record's own facts (not for parallel lines)."""
    n, facts, query = record["problemsize"], facts_of(record), query_of(record)
    if record["query"].startswith("i"):
        return "3"
    if record["problemname"].startswith("Consist"):
        return "POSSIBLE" if models_of(facts, n) else "IMPOSSIBLE"
    if isinstance(query[1], bool):
        truths = {order[0 if query[1] else -1] == query[0] for order in models_of(facts, n)}
    else:
        truths = {true_in(order, query) for order in models_of(facts, n, -1 in query)}
    if record["problemname"].startswith("Infer"):
        return str(truths.pop()).upper() if len(truths) == 1 else "undecided"
    return "3" if len(truths) == 2 else "1" if truths.pop() else "2"


@cache
def models_of(facts: tuple[tuple[int, ...], ...], n: int, one_more: bool = False) -> list[tuple[int, ...]]:
    """The orders of n things, and of -1 where there is one more, in which facts hold."""
    things = (*range(n), -1) if one_more else range(n)
    return [order for order in permutations(things) if all(true_in(order, fact) for fact in facts)]


def test_labels_hold_by_plain_enumeration_of_the_facts(tuples: list[list[Record]]) -> None:
    """I1 to I3, on the records' facts."""
    checked = 0
    for record in (r for t in tuples[::4] for r in t if r["problemname"] != "Infer.parallel"):
        assert answer_by_descr(record) == gold(record), record
        checked += 1
    assert checked > 1000


def test_stories_have_the_models_they_should(design: Design, tuples: list[list[Record]]) -> None:
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


def test_the_text_states_the_facts_of_the_record(tuples: list[list[Record]]) -> None:
    """I5: the facts in the text are those of ``descr``, in order."""
    for record in (
        r for t in tuples for r in t if r["problemname"] not in ("Infer.trivial", "Infer.parallel")
    ):
        question = packaged_reader().read(record["text"])

        def named(args: tuple[int, ...], names: Any) -> tuple[Any, ...]:
            words = [names[i] for i in args]
            return tuple(words) if len(words) == 2 else (words[0], frozenset(words[1:]))

        told = [named(fact.args, question.names) for fact in question.facts]
        assert told == [named(fact, record["objects"]) for fact in facts_of(record)]


def test_tuples_are_whole(tuples: list[list[Record]]) -> None:
    """I6: golds, constant fields, distinct texts and keys."""
    for records in tuples:
        first = records[0]
        assert [gold(r) for r in records] == {
            "Compl.normal": ["3", "2", "1"],
        }.get(first["problemname"], first["expectedresp"])
        for field in ("tuple_ID", "problemname", "objects", "problemsize", "skin", "qskin", "complexity"):
            assert all(r[field] == first[field] for r in records)
        assert len({r["text"] for r in records}) == len({r["Key"] for r in records}) == len(records)
        assert all(-(2**63) <= r["Key"] < 2**63 for r in records)
        assert set(first["expectedresp"]) == {gold(r) for r in records}
    keys = [r["Key"] for t in tuples for r in t]
    assert len(set(keys)) == len(keys)
    assert len({t[0]["tuple_ID"] for t in tuples}) == len(tuples)


def test_cells_are_equally_filled(design: Design, tuples: list[list[Record]]) -> None:
    """I7, first half; the complexity of Compl.normal is drawn."""
    fields = ("problemname", "problemsize", "skin", "qskin", "complexity")
    found = Counter(tuple(t[0][field] for field in fields) for t in tuples)
    planned = Counter(
        (c.problem, c.size, c.skin.name, c.qskin, f"Complexity_{c.complexity}") for c in cells(design)
    )
    if design.regime == MATCHED:
        found, planned = (
            Counter({k: n for k, n in c.items() if k[0] != "Compl.normal"}) for c in (found, planned)
        )
    else:
        assert set(found.values()) == {2}
    assert found == Counter({cell: 2 * count for cell, count in planned.items()})
    assert sum(map(len, tuples)) == count_trials(design)


def test_a_standard_set_has_the_published_proportions() -> None:
    """Section 4.8: 52 T records for each size and skin over the six standard problems."""
    design = Design(sizes=(3, 4, 5), tuples=2)
    skins = [skin for skin in design.skins if skin.kind != "parallel"]
    assert count_trials(design) == 52 * 2 * 3 * len(skins)


def test_choices_are_as_even_as_they_should_be() -> None:
    """I7, second half: positions, gaps, arity and direction of wording, by chi-square at a fixed seed."""
    records = [t[0] for t in generate(Design(4, (5,), ("Infer.normal",), 20, regime=PUBLISHED))]
    c0 = [r for r in records if r["complexity"] == "Complexity_0"]
    assert len(c0) > 500

    def even(counts: Counter[Any], kinds: int) -> None:
        assert len(counts) == kinds
        assert chisquare(list(counts.values())).pvalue > 1e-3, counts

    even(Counter(r["query_len"] for r in c0), 2)
    even(Counter(r["span"] for r in c0 if r["query_len"] == 2), 3)
    even(Counter(tuple(sorted(query_of(r))) for r in c0 if r["query_len"] == 3), 10)
    even(Counter(facts_of(r)[0] for r in c0), 4)
    skins = {skin.name: skin for skin in load_skins("test") if skin.kind != "parallel"}
    wordings: Counter[bool] = Counter()
    for record in c0:
        facts = record["text"].split(": ", 1)[1].split("\n")[0]
        a, b = (record["objects"][i] for i in facts_of(record)[0])
        wordings[facts.startswith(skins[record["skin"]].forward.format(a=a, b=b))] += 1
    even(wordings, 2)
    c1 = [r for r in records if r["complexity"] == "Complexity_1"]
    even(Counter(next(f for f in facts_of(r) if len(f) == 3)[0] for r in c1), 3)


def test_no_answer_shows_in_the_words(design: Design, tuples: list[list[Record]]) -> None:
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


def test_no_answer_shows_in_the_arity(design: Design, tuples: list[list[Record]]) -> None:
    """I8: within problem, size and arity every gold is equally frequent; in the matched regime, but for chance."""
    golds: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for record in (r for t in tuples for r in t):
        golds[record["problemname"], record["problemsize"], record["query_len"]][gold(record)] += 1
    for form, counts in golds.items():
        if design.regime == MATCHED and form[0].endswith(".normal"):
            both = [counts["1"] + counts["2"], 2 * counts["3"]] if "3" in counts else [*counts.values()]
            assert chisquare(both).pvalue > 1e-3, (form, counts)
            continue
        assert len(set(counts.values())) == 1, (form, counts)
        assert set(counts) == set(PROBLEMS[form[0]].answers)


def test_normal_problems_ask_for_nothing_stated(tuples: list[list[Record]]) -> None:
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


def test_the_same_seed_gives_identical_bytes(tmp_path: Path) -> None:
    """I11."""
    designs = [Design(seed, (3, 4), ALL, skins=load_skins("test")[-5:]) for seed in (3, 3, 4)]
    for name, design in zip("abc", designs, strict=True):
        assert write_testset(tmp_path / name, design) == count_trials(design)
    a, b, c = ((tmp_path / name / "trials.jsonl.bz2").read_bytes() for name in "abc")
    assert a == b != c


def test_the_keys_of_sets_of_one_seed_differ_where_the_questions_do() -> None:
    sets = [Design(0, (size,), ("Infer.normal",)) for size in (4, 5, 4)]
    keys = [{record["Key"] for records in generate(design) for record in records} for design in sets]
    assert keys[0] == keys[2]
    assert not keys[0] & keys[1]
    assert len(keys[0]) == count_trials(sets[0])


@pytest.mark.parametrize("second", [write_testset, write_training])
@pytest.mark.parametrize("first", [write_testset, write_training])
def test_a_folder_holds_one_set(
    first: Callable[..., int], second: Callable[..., int], tmp_path: Path
) -> None:
    design = Design(0, (3,), ("Infer.normal",))
    first(tmp_path, design)
    described = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="a data set is already there"):
        second(tmp_path, design)
    assert (tmp_path / "manifest.json").read_bytes() == described


def test_the_published_regime_draws_as_ever() -> None:
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
def test_sets_of_twelve_things_are_drawn_and_read(tmp_path: Path, problems: Sequence[str]) -> None:
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
def test_any_design_audits_clean(
    seed: int, sizes: set[int], problems: set[str], skins: str, regime: str
) -> None:
    few = tuple(skin for skin in load_skins(skins) if skin.kind in ("temporal", "parallel"))[2:]
    for record in records_of(
        Design(seed, tuple(sorted(sizes)), tuple(sorted(problems)), skins=few, regime=regime)
    ):
        assert answer(packaged_reader().read(record["text"])) == gold(record)


def test_training_sets_have_the_published_form(tmp_path: Path) -> None:
    """Section 6: one user message and the plain gold."""
    design = Design(
        seed=2, problems=tuple(p for p in TRAINING if p != "Infer.parallel"), skins=load_skins("train")
    )
    assert write_training(tmp_path, design) == count_trials(design)
    lines = bz2.decompress((tmp_path / "training.jsonl.bz2").read_bytes()).splitlines()
    assert len(lines) == count_trials(design)
    for line in lines[:200]:
        record = json.loads(line)
        (message,) = record["dialog_history"]["messages"]
        assert set(record) == {"dialog_history", "target_message"}
        assert message["role"] == "user"
        assert answer(packaged_reader().read(message["content"])) == record["target_message"]
    pairs = [pair for block in training_blocks(design) for pair in block]
    stories = [text.split("\n")[0] for text, _ in pairs]
    together = sum(a == b for a, b in pairwise(stories))
    assert together < len(pairs) / 20


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
        ({"regime": PUBLISHED, "sizes": (5,), "depths": (2,)}, "depth 2.*the regime matched"),
    ],
)
def test_impossible_designs_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Design(**changes)


def test_too_few_names_are_said() -> None:
    skin = replace(load_skins("test")[0], names=load_skins("test")[0].names[:5])
    Design(sizes=(4,), skins=(skin,))
    with pytest.raises(InputError, match=r"has 5 names; .* of size 5 needs 6"):
        Design(sizes=(5,), skins=(skin,))
    with pytest.raises(InputError, match=r"has 12 names; Compl\.trivial of size 12 needs 13"):
        Design(3, (12,), ("Compl.trivial",), skins=load_skins("test")[-4:])


def test_an_interrupted_write_leaves_no_set(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_testset(tmp_path, Design(), stop)
    assert not list(tmp_path.glob("*trials*"))
    assert not (tmp_path / "manifest.json").exists()


@pytest.mark.parametrize("problems", ["standard", "all", "all,Infer.ordered"])
def test_training_sets_have_every_problem_that_they_are_asked_for(tmp_path: Path, problems: str) -> None:
    chosen = STANDARD if problems == "standard" else tuple(PROBLEMS)
    made = make_set(tmp_path, sizes=[3], problems=problems.split(","), training=True)
    design = Design(0, (3,), (*chosen, "Infer.ordered"), skins=load_skins("train"))
    assert made.trials == count_trials(design)
    lines = bz2.decompress((tmp_path / "training.jsonl.bz2").read_bytes()).splitlines()
    texts = {json.loads(line)["dialog_history"]["messages"][0]["content"] for line in lines}
    assert texts == {text for block in training_blocks(design) for text, _ in block}


def test_no_two_trials_of_a_set_are_the_same() -> None:
    design = Design(seed=0, sizes=(3,), problems=ALL, tuples=40, skins=load_skins("test")[-4:])
    texts = [record["text"] for record in records_of(design)]
    assert len(texts) == count_trials(design)
    assert len(set(texts)) == len(texts)


def test_more_tuples_than_there_are_is_one_clear_line() -> None:
    skin = replace(load_skins("test")[0], names=load_skins("test")[0].names[:3])
    design = Design(sizes=(3,), problems=("Infer.trivial",), tuples=40, skins=(skin,))
    with pytest.raises(
        InputError,
        match=r"too few different questions of Infer\.trivial of size 3 in skin .*fewer tuples",
    ):
        list(generate(design))
