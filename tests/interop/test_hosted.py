"""Tests of answers that another program recorded."""

from __future__ import annotations

from typing import Any

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.interop.hosted import answered_again, task_again
from support.run_fakes import asked_by, kept_of

OPTIONS = {"limit": 12, "problems": ["Infer.normal"]}


@pytest.fixture(scope="module", params=["options", "labels", "sample"])
def run(request):
    return ps.evaluate("worldsense", "oracle:", method=request.param, quiet=True, store=None, **OPTIONS)


def recorded(run: ps.Run) -> dict[str, Any]:
    return {item: kept["answers"] for item, kept in kept_of(run).items()}


def test_recorded_answers_give_the_estimates_of_the_run(run):
    again = answered_again(asked_by(run), recorded(run), run.model)
    # Text that stands for no number equals itself; NaN would not.
    assert [repr(one) for one in again.results.estimates] == [repr(one) for one in run.summary()]


def test_some_items_can_be_missing(run):
    some = dict([*recorded(run).items()][:3])
    assert [item.id for item in answered_again(asked_by(run), some).items] == [*some]


def test_answers_that_do_not_fit_are_refused(run):
    found = recorded(run)
    first = next(iter(found))
    for wrong, said in (
        ({**found, "nobody": []}, "no item 'nobody'"),
        ({**found, first: []}, "lacks the answer"),
        ({**found, first: [*found[first], *found[first]]}, "more answers"),
    ):
        with pytest.raises(InputError, match=said):
            answered_again(asked_by(run), wrong)
    with pytest.raises(InputError, match="asked by version 7 of worldsense"):
        task_again(asked_by(run)._replace(version=7))
