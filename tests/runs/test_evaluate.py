"""Tests of a run from end to end."""

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz

pytestmark = pytest.mark.usefixtures("installed")


def test_asking_again_asks_nothing(tmp_path, capsys):
    store = tmp_path / "store.db"
    first = evaluate(Quiz(), Clerk(), store=store)
    again = evaluate(Quiz(), Clerk(name="alias:"), store=store)
    assert capsys.readouterr().out == ""
    assert (again.id, again.asked, again.reused) == (first.id, 0, 20)
    assert again.record.finished == first.record.finished
    assert again.table().equals(first.table())
    assert again.summary()[0].by["model"] == "alias:"


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("quizz", {}, "no such task: 'quizz'; did you mean 'quiz'"),
        ("quiz", {"limit": 3}, "the task 'quiz' takes no option 'limit'"),
        ("quiz", {"seed": -1}, r"the seed -1 \(expected 0 or more\)"),
        ("quiz", {"m": 3}, "takes no option 'm'.*one of n, seed"),
        (Quiz(), {"limit": 3}, "the option 'limit' needs the task by its name"),
        (Quiz(n=0), {}, "quiz has no items"),
    ],
)
def test_wrong_use(task, options, message, tmp_path):
    with pytest.raises(InputError, match=message):
        evaluate(task, "random", store=tmp_path / "store.db", quiet=True, **options)
    assert not (tmp_path / "store.db").exists()


@pytest.mark.parametrize("method", ["options", "sample"])
def test_a_run_is_measured_again_without_its_model(tmp_path, method):
    store = tmp_path / "store.db"
    run = evaluate("quiz", Clerk(), n=25, twins=True, method=method, store=store, quiet=True)
    assert run.method == method
    again = load_run(run.id[:10], store=store)
    assert again.table().equals(run.table())
    assert again.summary() == run.summary()
    assert (again.asked, again.reused, again.record) == (0, run.asked, run.record)


def test_a_run_that_cannot_be_measured_again(tmp_path):
    store = tmp_path / "store.db"
    with pytest.raises(InputError, match="no such store"):
        load_run("a", store=store)
    with Store.open(store) as opened:
        old, new = Quiz(version=7), Quiz()
        made = opened.start_run(old, old.items(), "options", 0, Clerk()).id
        cut = opened.start_run(new, new.items(), "options", 0, Clerk()).id
    with pytest.raises(InputError, match="made by version 7 of quiz, and this is version 1"):
        load_run(made, store=store)
    with pytest.raises(ProbSenseError, match="lacks 20 answers; run its command again"):
        load_run(cut, store=store)
