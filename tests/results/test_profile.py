"""Asking every installed task at a size: what is asked, what is said first, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import Item
from probsense.models.base import Capabilities, Usage
from probsense.results.profile import SIZES, ask_all, checked_size, outlook, steps
from probsense.runs.evaluate import Terms
from probsense.tasks.base import Method
from support.run_fakes import Clerk, Flaky, Quiz


@dataclass(frozen=True)
class Sized(Quiz):
    """A quiz that has sizes.

    Parameters
    ----------
    n, seed, twins, name, version, methods
        As they are.
    """

    name: str = "sized"
    profile_options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "quick": {"n": 6},
        "standard": {"n": 12},
        "full": {"n": 24},
    }


@dataclass(frozen=True)
class Wordy(Quiz):
    """A quiz that needs texts.

    Parameters
    ----------
    n, seed, twins, name, version, methods
        As they are.
    """

    name: str = "wordy"
    methods: Sequence[Method] = ("sample",)


class NeedsFile(Quiz):
    """A quiz that needs a file."""

    name = "file"

    def items(self) -> list[Item]:
        raise InputError("no such file", path=Path("mine.csv"))


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Install these tasks and no others."""

    def install(**tasks: Any) -> None:
        monkeypatch.setattr("probsense.results.profile.task_types", lambda: tasks)
        for module in ("runs.evaluate", "tasks.registry"):
            monkeypatch.setattr(f"probsense.{module}.task_options", lambda name: {"seed": None})
        monkeypatch.setattr("probsense.runs.evaluate.load_task", lambda name, **given: tasks[name](**given))

    return install


def test_the_sizes_of_a_task_are_its_own_and_a_task_without_sizes_has_its_defaults(
    installed,
):
    installed(quiz=Quiz, sized=Sized)
    for size, expected in zip(SIZES, (6, 12, 24), strict=True):
        planned, left_out = steps([Clerk()], size, Terms(4, None), timed=False)
        assert [(step.plan.task.name, step.forecast.wanted) for step in planned] == [
            ("quiz", 20),
            ("sized", expected),
        ]
        assert [step.plan.task.options["seed"] for step in planned] == [4, 4]
        assert not left_out


def test_what_a_model_cannot_do_is_a_line_with_the_reason(installed):
    installed(wordy=Wordy, quiz=Quiz, file=NeedsFile)
    chooser = Clerk("chooser:", capabilities=Capabilities(score=True))
    planned, left_out = steps([Clerk(), chooser], "quick", Terms(store=None), timed=False)
    assert [(step.plan.task.name, step.plan.model.name) for step in planned] == [
        ("wordy", "clerk:"),
        ("quiz", "clerk:"),
        ("quiz", "chooser:"),
    ]
    assert left_out == [
        "File was not asked: mine.csv: no such file.",
        "Wordy of chooser: was not asked: wordy asks by sample, and chooser: can answer none of them.",
    ]


def test_time_is_told_by_asking_some_and_cost_without_asking(installed, tmp_path):
    @dataclass
    class Timed(Clerk):
        @property
        def usage(self) -> Usage:
            return Usage(seconds=6.0 * len(self.asked))

    installed(quiz=Quiz)
    slow, priced = Timed(), Flaky("priced:", price=1.0)
    planned = [
        *steps([slow], "quick", Terms(store=tmp_path / "a.db"))[0],
        *steps([priced], "quick", Terms(store=tmp_path / "b.db"))[0],
    ]
    assert planned[0].seconds == pytest.approx(17 * 6.0)
    assert planned[1].seconds is None
    assert (len(slow.asked), priced.asked) == (3, [])
    assert outlook(planned).splitlines() == [
        "quiz, clerk:: 17 requests, about 0:01:42",
        "quiz, priced:: 20 requests, at most 20 requests, 200 tokens, cost 20.0000",
        "in all: 37 requests, about 0:01:42 and more, cost at most 20.0000",
    ]


def test_a_profile_resumes_and_repeats_nothing(installed, tmp_path, capsys):
    installed(sized=Sized, quiz=Quiz)
    store, clerk = tmp_path / "a.db", Clerk()
    planned, _ = steps([clerk], "quick", Terms(store=store), timed=False)
    runs, _ = ask_all(planned, Terms(store=store, quiet=False))
    assert [run.record.task for run in runs] == ["sized", "quiz"]
    assert "2 of 2: quiz, clerk:\n" in capsys.readouterr().err
    number = len(clerk.asked)
    again, _ = steps([clerk], "quick", Terms(store=store))
    assert "sized, clerk:: answered in the store" in outlook(again)
    ask_all(again, Terms(store=store, quiet=True))
    assert len(clerk.asked) == number


def test_a_model_that_fails_does_not_keep_the_others_from_being_asked(installed):
    installed(quiz=Quiz)
    planned, _ = steps([Flaky("broken:", share=1.0), Clerk()], "quick", Terms(store=None))
    runs, (line,) = ask_all(planned, Terms(store=None, quiet=True))
    assert [run.model for run in runs] == ["clerk:"]
    assert line.startswith("Quiz of broken: was not asked: broken: answered nothing: ")
    with pytest.raises(ProbSenseError, match="nothing was answered: Quiz of broken: was not asked"):
        ask_all(planned[:1], Terms(store=None, quiet=True))


def test_a_budget_holds_for_models_with_prices_alone(installed):
    installed(quiz=Quiz)
    planned, _ = steps(
        [Flaky("priced:", price=1.0, share=0.0), Clerk()], "quick", Terms(store=None), timed=False
    )
    (priced, free), _ = ask_all(planned, Terms(0, None, True, 5.0))
    assert priced.covered["answered"] < 10
    assert free.covered["answered"] == 20


def test_an_unknown_size_names_the_others():
    with pytest.raises(InputError, match=r"no size 'quik'; did you mean 'quick'\? \(expected one of quick,"):
        checked_size("quik")
