"""Responders that count, beside a slow and obvious version of each; and the ceilings that they set."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import SIZES, Design
from probsense.tasks.worldsense.measures.accuracy import estimates
from probsense.tasks.worldsense.measures.shortcuts import (
    ENOUGH,
    FOLDS,
    NO_CEILINGS,
    TABLES,
    Asked,
    Counts,
    Key,
    Score,
    Shortcut,
    answer_by_table,
    audit_shortcuts,
    ceiling_notes,
    design_ceilings,
    folder_ceilings,
    score,
    view,
    whole_tuples,
)
from probsense.tasks.worldsense.questions.trials import Trial
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.verbs import audit
from questions.ceilings import ceiling
from support.worldsense import accuracy_of, questions_of, records_of, rows_of, table


@pytest.fixture(scope="module")
def trials():
    return questions_of(records_of(Design(seed=2, problems=tuple(PROBLEMS), regime=PUBLISHED)))


def of(trials: Sequence[Asked], problem: str, size: int) -> list[Asked]:
    return [trial for trial in trials if (trial.problem, trial.size) == (problem, size)]


# The slow versions ------------------------------------------------------------------------------------------------


def slow_counts(question: ParsedQuestion, thing: int) -> Counts:
    facts = question.facts if question.stated else ()
    binary = [f for f in facts if f.relation == "before"]
    return Counts(
        sum(f.args[0] == thing for f in binary)
        + sum(thing in f.args for f in facts if f.relation == "parallel"),
        sum(f.args[1] == thing for f in binary)
        + sum(thing in f.args for f in facts if f.relation == "perpendicular"),
        sum(f.args[0] == thing for f in facts if f.relation == "between"),
        sum(thing in f.args[1:] for f in facts if f.relation == "between"),
    )


def slow_table(trials: Sequence[Asked], keys: Sequence[Key]) -> list[float]:
    fold = {}
    for trial in trials:
        fold.setdefault(trial.tuple_id, len(fold) % FOLDS)
    answers = []
    for trial in trials:
        answer = 0.5
        for key in keys:
            vote = 0.0
            for other in trials:
                same = key(view(other.question)) == key(view(trial.question))
                if fold[other.tuple_id] != fold[trial.tuple_id] and same:
                    weight = 0.25 if other.gold in ("1", "2") else 0.5
                    vote += weight if other.gold in ("TRUE", "POSSIBLE", "1", "2") else -weight
            if vote:
                answer = float(vote > 0)
        answers.append(answer)
    return answers


# ------------------------------------------------------------------------------------------------------------------


def test_views_hold_what_the_story_says(trials):
    for trial in trials[::2]:
        question = trial.question
        seen = view(question)
        if not question.claims:
            assert list(seen.counts) == sorted(slow_counts(question, i) for i in range(question.size))
            assert seen.counts_of_first == slow_counts(question, 0)
            assert seen.first == sum(seen.counts_of_first)
            continue
        claim = question.claims[0]
        expected = [slow_counts(question, i) for i in claim.args]
        if len(expected) == 3:
            expected[1:] = sorted(expected[1:])
        assert (seen.relation, list(seen.counts)) == (claim.relation, expected)
        if len(claim.args) == 2:
            assert claim.args[seen.first] == min(claim.args)
        if claim.args:
            assert (seen.first == 0) == (claim.args[0] == min(claim.args))
            assert seen.counts_of_first == slow_counts(question, min(claim.args))


def reached(cell: Sequence[Asked], keys: Sequence[Key]) -> Score:
    """What a table of counts reaches."""
    return score(cell, answer_by_table(cell, [view(trial.question) for trial in cell], keys))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("problem", ["Infer.normal", "Consist.normal", "Compl.normal", "Infer.parallel"])
def test_tables_score_as_the_slow_version(trials, name, problem):
    cell = of(trials, problem, 4)[:60]
    slow = accuracy_of(cell, slow_table(cell, TABLES[name]))
    assert reached(cell, TABLES[name]) == pytest.approx(slow, nan_ok=True)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_a_table_learns_only_from_other_folds(codes):
    """Both answers of a tuple have its code: votes cancel out, so nothing can be learned, and nothing is unlearned."""
    question = ParsedQuestion("infer", ("a",), (), (Claim("first", (0,)),), 1)
    cell = [
        Asked("Infer.normal", 3, str(i), label, question)
        for i in range(len(codes))
        for label in ("TRUE", "FALSE")
    ]
    for known in ([code for code in codes for _ in range(2)], range(len(cell))):
        keys = iter(known)
        assert reached(cell, [lambda seen, keys=keys: next(keys)]).value == 0.5


def test_the_ceiling_is_never_below_a_constant_answer():
    assert Shortcut("Compl.normal", 4, {"never": Score(0.4, 0.1, 9)}).ceiling == (0.5, 0.1, 9)


def test_the_verb_prints_a_row_a_cell_and_its_json(tmp_path):
    write_testset(tmp_path, Design(5, (3,), ("Compl.normal", "Infer.normal"), regime=PUBLISHED))
    found = audit(tmp_path, shortcuts=True)
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["problem", "Infer.normal", "Compl.normal"]
    assert lines[4].endswith("  1.000 ± 0.000")
    document = json.loads(json.dumps(found.to_json()))
    assert document["trials"] == document["parsed"]
    compl = document["cells"][1]
    assert compl["ceiling"]["value"] == compl["reached"]["times named"]["value"] == 1


def test_a_tuple_that_is_not_understood_is_left_out_as_a_whole():
    text = "3 men: A is taller than B and B is taller than C.\nNothing is asked."
    trial = Trial("Infer.normal", 3, "t", "TRUE", 1, text, ("A", "B", "C"))
    assert whole_tuples([trial], packaged_reader()) == []


def ceiling_table(known: Mapping[tuple[str, int], Score]) -> pl.DataFrame:
    rows = [(*cell, *one) for cell, one in known.items()]
    return pl.DataFrame(rows, NO_CEILINGS.schema, orient="row")


def ceilings_of(known: pl.DataFrame) -> dict[tuple[str, int], Score]:
    return {(problem, size): Score(*own) for problem, size, *own in known.rows()}


@pytest.mark.parametrize("tuples", [8, 9])
def test_a_set_has_the_ceilings_of_its_audit_where_it_has_enough_tuples(tmp_path, tuples, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "kept"))
    write_testset(tmp_path, Design(0, (3, 4), ("Infer.normal",), tuples, load_skins("test")[:2], PUBLISHED))
    cells = {(cell.problem, cell.size): cell.ceiling for cell in audit_shortcuts(tmp_path).cells}
    assert {score.tuples for score in cells.values()} == {12 * tuples}  # 100 are enough
    for _ in range(2):
        assert ceilings_of(folder_ceilings(tmp_path)) == (cells if tuples == 9 else {})


def test_a_fresh_set_has_the_ceilings_of_its_regime():
    found, matched = (ceilings_of(design_ceilings(Design(regime=one))) for one in (PUBLISHED, "matched"))
    assert found["Infer.normal", 3].value == matched["Infer.normal", 3].value == 1
    assert found["Infer.normal", 4].value == pytest.approx(0.886, abs=0.05)  # docs/worldsense.md
    assert matched["Infer.normal", 4].value < 0.55
    assert matched["Compl.normal", 4] == ceiling("matched", "Compl.normal", 4)  # as measured
    # Of twelve things and one more, the test skins have no names.
    assert {*found} == {*matched} == {*product(PROBLEMS, SIZES)} - {("Compl.trivial", 12)}
    assert design_ceilings(Design(problems=("Infer.normal",), depths=(2,))).is_empty()


def test_notes_say_where_a_ceiling_is_missing():
    known = {("Infer.normal", 3): Score(1.0, 0.0, 200)}
    one = ceiling_table(known)
    assert ceiling_notes(NO_CEILINGS, []) == ceiling_notes(one, known) == []
    (none,) = ceiling_notes(NO_CEILINGS, known)
    assert none.startswith("no shortcut ceiling is known: it takes 100 tuples of a problem and size")
    (left,) = ceiling_notes(one, [*known, ("Compl.normal", 4), ("Infer.normal", 5), ("Infer.normal", 4)])
    assert "of Infer.normal of size 4, 5; Compl.normal of size 4: it takes 100" in left


CELLS = st.dictionaries(
    st.tuples(st.sampled_from(["Infer.normal", "Infer.trivial", "Infer.extrema"]), st.integers(3, 6)),
    st.builds(Score, st.floats(0.5, 1), st.floats(0, 0.1), st.just(ENOUGH)),
    min_size=1,
)


@settings(max_examples=20)
@given(CELLS, st.integers(3, 9))
def test_the_ceiling_of_an_average_is_the_average_of_ceilings(cells, unknown):
    """It is unknown where one of them is."""
    known = ceiling_table({cell: one for cell, one in cells.items() if cell[1] != unknown})
    rows = rows_of([cell for cell in cells for _ in range(2)], lambda row: "TRUE")
    for e in estimates(table(rows), known):
        own = [
            (problem, one)
            for (problem, size), one in cells.items()
            if problem == e.by.get("problem", problem) and size == e.by.get("size", size)
        ]
        sizes = {size for problem, size in cells if e.by.get("problem", problem) == problem}
        if e.chance != 0.5 or unknown in {e.by.get("size", unknown)} & sizes:
            assert math.isnan(e.shortcut_ceiling)
            continue
        count = Counter(problem for problem, _ in own)
        weights = [1 / len(count) / count[problem] for problem, _ in own]
        value = sum(w * one.value for w, (_, one) in zip(weights, own, strict=True))
        error = math.hypot(*(w * one.stderr for w, (_, one) in zip(weights, own, strict=True)))
        assert (e.shortcut_ceiling, e.shortcut_stderr) == pytest.approx((value, error))
