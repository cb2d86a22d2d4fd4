"""Corrected scores beside scores, and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from probsense.analysis.agreement.people import People
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.coverage import notes
from probsense.tasks.judgments.measures.individuals import corrected_estimates
from probsense.tasks.judgments.people.study import Study

RULE = "baseline: true majority"


def judged(statements: int, raters: int, right: float = 0.8) -> Study:
    """People who rate every statement, and a model that mostly answers as everybody does."""
    rng = np.random.default_rng(2)
    share = rng.beta(1.5, 1, statements)
    statement, person = np.indices((statements, raters)).reshape(2, -1)
    q1, q2 = (rng.random((2, len(statement))) < share[statement]).astype(np.float64)
    yes = np.where(rng.random(statements) < right, share > 0.5, share < 0.5).astype(np.float64)
    mass = np.stack([yes, 1 - yes, np.zeros(statements)], axis=1)[None]
    people = People(statement, person, q1, q2, statements, raters)
    names = tuple(f"P{i}" for i in range(raters))
    none = np.full_like(mass, np.nan)
    second = np.where(rng.random((statements, 1)) < right - 0.5, mass[..., [1, 0, 2]], mass)
    by_question = {"q1": mass, "q2": second, "q3": none}
    return Study(("m",), np.arange(statements), by_question, "split", False, people, names)


def found(study: Study) -> dict[tuple[str, object], Estimate]:
    return {(e.measure, e.by["model"]): e for e in corrected_estimates(study, RULE)}


def test_the_ceiling_and_every_score_have_a_bounded_interval():
    estimates = found(judged(200, 15))
    names = ("commonsensicality", "consensus", "awareness")
    assert set(estimates) == {(n, RULE) for n in names} | {(f"{n}_corrected", "m") for n in names}
    assert all(0 < e.low < e.value < e.high < 1 for e in estimates.values())
    both = estimates["commonsensicality_corrected", "m"]
    one, other = (estimates[f"{name}_corrected", "m"] for name in names[1:])
    assert both.value == pytest.approx(math.sqrt(one.value * other.value), abs=1e-12)
    assert one.value - other.value > 0.1


def test_the_error_of_corrected_scores_is_the_jackknifes():
    """Each statement is left out in turn."""
    study, parts = judged(45, 12, 0.98), list[dict[tuple[str, object], Estimate]]()
    for left in range(45):
        kept, people = np.arange(45) != left, study.people
        own, place = kept[people.statement], np.cumsum(kept) - 1
        about = place[people.statement[own]], people.person[own], people.q1[own], people.q2[own]
        mass = {question: one[:, kept] for question, one in study.mass.items()}
        fewer = People(*about, 44, 12)
        parts.append(found(Study(("m",), np.arange(44), mass, "split", False, fewer, study.persons)))
    for name in ("commonsensicality_corrected", "awareness_corrected"):
        values = np.array([part[name, "m"].value for part in parts])
        jackknife = math.sqrt(44 / 45 * ((values - values.mean()) ** 2).sum())
        assert found(study)[name, "m"].stderr == pytest.approx(jackknife, rel=0.07)


def test_where_coverage_is_unknown_there_is_a_note_and_no_interval():
    for study in (judged(39, 19), judged(60, 4)):
        assert all(math.isnan(e.low) and math.isnan(e.stderr) for e in found(study).values())
        assert any("corrected scores have no interval" in note for note in notes(study))
    assert not any("no interval" in note for note in notes(judged(40, 5)))
    assert found(judged(9, 19)) == {}  # with so few statements, nothing is corrected
