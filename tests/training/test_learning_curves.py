"""A small version of the learning curves, on the packaged model."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path

import pytest

import probsense
from exams import (
    HELD_OUT,
    KINDS,
    LEARNT,
    REGIMES,
    TEST,
    TRAINED,
    Exam,
    exams,
    lessons_of,
    right_answers,
    split_kinds,
)
from learning_curves import save, train
from probsense.tasks.worldsense.generate.design import MATCHED
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.text.form import question_form
from probsense.tasks.worldsense.text.logic import answer
from probsense.tasks.worldsense.text.parse import parse_text
from probsense.tasks.worldsense.text.templates import Skins
from train_tiny import load

SOME = (*KINDS[:3], KINDS[3]._replace(skins=TEST[:2]))
TINY = Path(probsense.__file__).parent / "models" / "small" / "tiny"


@pytest.fixture(scope="module")
def sets() -> list[Exam]:
    return exams(SOME, 16, 150)


def test_exams_hold_out_names_sizes_structures_and_skins(sets: list[Exam]) -> None:
    assert [(exam.regime, exam.kind) for exam in sets] == [
        (regime, kind) for regime in ("published", "matched-1") for kind in SOME
    ]
    assert not set(LEARNT.names) & set(HELD_OUT.names)
    assert {skin.name for skin in TEST}.isdisjoint(skin.name for skin in load_skins("train"))
    for exam in sets:
        grammars = [Skins(exam.kind.skins)]
        for text, gold, _ in exam.trials:
            question = parse_text(text, grammars)
            assert answer(question) == gold
            assert len(question.names) in exam.kind.sizes
            ternary = sum(fact.relation == "between" for fact in question.facts)
            assert (ternary > 1) == (exam.kind.complexities == (2,)) or exam.regime == "matched-1"


def test_only_the_published_regime_can_be_had_by_counting(sets: list[Exam]) -> None:
    for exam in sets:
        if exam.regime == "published":
            assert exam.ceiling.value > 0.75
        else:
            assert exam.ceiling.value < 0.5 + 4 * exam.ceiling.stderr + 0.01


@pytest.mark.parametrize("regime", REGIMES)
def test_lessons_have_the_sizes_of_training(regime: str) -> None:
    texts = [text for ((text, _),) in islice(lessons_of(regime, 0), 200)]
    assert not [name for name in HELD_OUT.names if any(name in text for text in texts)]
    sizes = {int(size) for text in texts for size in re.findall(r"\b\d\b", text.splitlines()[0])}
    assert sizes == set(TRAINED.sizes)


def test_forms_and_skins_are_held_out_apart() -> None:
    trained, kinds = split_kinds(0.3, 0)
    lessons = [text for ((text, _),) in islice(lessons_of(MATCHED, 0, trained), 600)]
    met = {question_form(parse_text(text, [Skins(trained.skins)])) for text in lessons}
    found = exams([kind._replace(skins=kind.skins[:2]) for kind in kinds], 60, 60, [MATCHED])
    assert [exam.kind.name for exam in found] == [
        "forms met, other names",
        "forms held out, other names",
        "forms met, test skins",
        "forms held out, test skins",
    ]
    for exam in found:
        asked = {question_form(parse_text(text, [Skins(exam.kind.skins)])) for text, *_ in exam.trials}
        assert bool(asked & met) == exam.kind.name.startswith("forms met")


def test_padding_changes_no_answer(sets: list[Exam]) -> None:
    model, tokenizer = load(TINY)
    questions = [(text, gold) for text, gold, _ in sets[0].trials[:8] + sets[3].trials[:8]]
    together = right_answers(model, tokenizer, questions, 16)
    assert together == right_answers(model, tokenizer, questions, 1)
    assert 0 < sum(together) < 16


def test_an_arm_sits_exams_before_on_the_way_and_at_the_end(sets: list[Exam], tmp_path: Path) -> None:
    some = [exam._replace(trials=exam.trials[:40]) for exam in sets[::4]]
    found = [list(train("matched-1", TINY, some, 2, 1, 4, 0)) for _ in range(2)]
    assert found[0] == found[1]
    assert [row["questions"] for row in found[0]] == [0, 0, 4, 4, 8, 8]
    assert {row["exam"] for row in found[0]} == set(REGIMES)
    assert all(row["low"] <= row["value"] <= row["high"] for row in found[0])
    save(tmp_path, found[0])
    assert json.loads((tmp_path / "learning-curves.json").read_text()) == found[0]
    drawn = (tmp_path / "learning-curves.svg").read_text()
    assert all(f"asked: {regime}" in drawn for regime in REGIMES)


def test_the_guide_has_the_numbers_of_the_file() -> None:
    docs = Path(__file__).parents[2] / "docs"
    guide = (docs / "worldsense.md").read_text()
    found = json.loads((docs / "learning-curves.json").read_text())
    last = [row for row in found if row["questions"] == 48_000 and row["kind"] == "other names"]
    assert len(last) == 4
    for row in last:
        value = f"{100 * row['value']:.1f}"
        if row["trained on"] == row["exam"]:
            assert f"{value} % ({100 * row['low']:.1f}–{100 * row['high']:.1f})" in guide
        elif row["trained on"] == "published":
            assert f"`matched-1` ({value} %)" in guide
    assert all(f"{100 * row['ceiling']:.1f} %" in guide for row in last[:2])
