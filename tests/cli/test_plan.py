"""``probsense plan``: goals, pilots, the curve, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import probsense as ps
from support.command import Probsense, assert_refused


def test_sentence_comes_first_and_json_says_the_same(probsense: Probsense) -> None:
    """A table follows; the document has every number."""
    words = ("plan", "winogrande", "--width", ".1", "--difference", ".1", "--studies", "50", "--quiet")
    done = probsense(*words)
    assert done.code == 0
    assert done.err == ""
    sentence = done.out.splitlines()[0]
    assert sentence.startswith("Winogrande: ")
    assert "show a difference of 10.0 points with 80 % power" in sentence
    document = json.loads(probsense(*words, "--json").out)
    assert document["sentences"] == [sentence]
    assert document["task"] == "winogrande"
    assert document["assumed"]["shared"] == 0.3


def test_pilot_tells_what_to_assume(probsense: Probsense) -> None:
    """The accuracy of a run replaces the usual one, and the user's own goes before it."""
    run = ps.evaluate("winogrande", "random:1", limit=30, quiet=True)
    (accuracy,) = [e.value for e in run.summary() if e.measure == "accuracy" and e.by["view"] == "partial"]
    words = ("plan", "winogrande", "--width", ".2", "--pilot", run.id[:8], "--studies", "50", "--json", "-q")
    document = json.loads(probsense(*words).out)
    assert document["assumed"]["accuracy"] == pytest.approx(accuracy)
    assert "one pilot does not tell" in document["notes"][0]
    document = json.loads(probsense(*words, "--accuracy", ".9").out)
    assert document["assumed"]["accuracy"] == 0.9
    assert ps.plan("winogrande", width=0.2, pilot=run, studies=50, quiet=True).found[0].for_width


def test_curve_is_drawn(probsense: Probsense, tmp_path: Path) -> None:
    """In the format of its ending; ``ps.chart`` makes the same."""
    done = probsense("plan", "suite", "--width", ".2", "--figure", "plan.svg", "--studies", "50", "-q")
    assert done.code == 0
    assert (tmp_path / "plan.svg").read_text().startswith("<svg")
    plan = ps.plan("suite", width=0.2, studies=50, quiet=True)
    assert ps.chart(plan, "plan").to_dict()["description"]
    with pytest.raises(ps.InputError, match=r"a plan has no chart 'accuracy' \(expected plan\)"):
        ps.chart(plan, "accuracy")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("worldsense",), "neither a width nor a difference"),
        (("worldsense", "--width", "3"), "a width of 3 (expected above 0 and below 1; 3 points are 0.03)"),
        (("worldsense", "--width", ".1", "--acuracy", ".5"), "--acuracy"),
        (("worldsense", "--width", ".1", "--raters", "5"), "--raters"),
        (("nothing", "--width", ".1"), "no such task: 'nothing'"),
        (("suite", "--width", ".1", "--pilot", "somewhere"), "somewhere"),
        (("suite", "--width", ".1", "--figure", "plan.doc"), "plan.doc ends in no known format"),
    ],
)
def test_wrong_use_is_one_line(probsense: Probsense, words: tuple[str, ...], message: str) -> None:
    """With the exit code 2."""
    assert_refused(probsense("plan", *words, "--quiet"), message)


def test_pilot_of_another_task_is_refused(probsense: Probsense) -> None:
    """The message names both tasks."""
    run = ps.evaluate("suite", "random:1", limit=3, quiet=True)
    done = probsense("plan", "winogrande", "--width", ".1", "--pilot", run.id[:8], "-q")
    assert_refused(done, f"the pilot {run.id[:8]} is a run of suite (expected runs of winogrande)")


def test_options_of_another_plan_are_refused() -> None:
    """In Python, too."""
    with pytest.raises(ps.InputError, match="the plan of suite takes no option 'raters'"):
        ps.plan("suite", width=0.1, raters=5)
