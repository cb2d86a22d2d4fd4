"""``probsense reproduce``."""

from __future__ import annotations

import json

from support.command import Probsense, assert_refused

ASK = ("run", "winogrande", "--model", "random:1", "--limit", 12, "-q")


def test_a_run_of_a_store_that_moves_ends_with_1(probsense: Probsense) -> None:
    probsense(*ASK, "--name", "first")
    done = probsense("reproduce", "first", "--model", "random:2", "-q")
    assert done.code == 1
    assert "within the former interval" in done.out
    assert " before, " in done.out.splitlines()[1]
    assert "note: model: seed was 1, and is 2" in done.err
    found = json.loads(probsense("reproduce", "first", "--model", "random:2", "-q", "--json").out)
    (one,) = found["reproduced"]
    assert not one["same"]
    assert one["counts"]["equal"] == 0
    assert {figure["verdict"] for figure in one["figures"]} <= {"interval", "apart", "missing"}


def test_what_is_no_result_is_refused(probsense: Probsense) -> None:
    assert_refused(probsense("reproduce", "nothing"), "probsense.db")
