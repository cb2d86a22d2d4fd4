"""Judgments as a task: what is asked, and what the answers become."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.analysis.agreement.groups import FEATURES
from probsense.core.errors import InputError
from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
)
from probsense.models.small import random
from probsense.tasks.base import Answered
from probsense.tasks.judgments.questions.answers import MAX_TOKENS
from probsense.tasks.judgments.questions.statements import PACKAGED, read_statements
from probsense.tasks.judgments.questions.wordings import packaged_ways
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py
BY = {"model": "m", "prompting": "labels"}
LINES = "statement\nWater is wet.\nThe moon is a lamp.\nBlue is nicer than red.\n"


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "statements.csv"
    path.write_text(LINES)
    return path


def answers(task: Judgments, method: Any, answer: Callable[[Any], Response]) -> dict[Request, Response]:
    return {
        request: answer(request) for item in task.questions for request in task.requests(item, method, {})
    }


def first_row(task: Judgments, method: Any, given: dict[Request, Response]) -> dict[str, Any]:
    table = task.measure(task.questions, method, given, BY).table
    assert table is not None
    return table.row(0, named=True)


def test_a_statement_is_asked_about_by_each_question(statements: Path) -> None:
    task = Judgments(statements)
    items = task.questions
    assert [item.id for item in items][:4] == ["0-q1", "0-q2", "0-q3", "1-q1"]
    assert [item.cluster for item in items] == [str(i) for i in range(3) for _ in range(3)]
    (request,) = task.requests(items[1], "labels", {})
    published = packaged_ways().wording({})
    assert request == LabelRequest(published.prompt("q2", "Water is wet."), published.labels)
    assert request.item == "0-q2"


def test_texts_are_asked_for_as_often_as_there_are_trials(statements: Path) -> None:
    task = Judgments(statements, questions=["q2"], trials=7, seed=3)
    (request,) = task.requests(task.questions[0], "sample", {})
    assert request == SampleRequest(
        packaged_ways().wording({}).prompt("q2", "Water is wet."),
        n=7,
        max_tokens=MAX_TOKENS,
        temperature=1.0,
        seed=3,
    )


def test_label_mass_goes_into_the_table_as_it_is(statements: Path) -> None:
    task = Judgments(statements, questions=["q1"])
    given = answers(task, "labels", lambda _: LabelResponse({"yes": 0.5, "no": 0.2}, 0.3))
    row = first_row(task, "labels", given)
    assert (row["p_yes"], row["p_no"], row["p_other"]) == (0.5, 0.2, 0.3)
    assert (row["n"], row["low_yes"], row["source"]) == (None, None, "exact")


@pytest.mark.parametrize("yes", [(0.5, 0.75), (0.4, 0.8)])
def test_what_is_beyond_the_top_tokens_may_be_anything(statements: Path, yes: tuple[float, float]) -> None:
    task = Judgments(statements, questions=["q1"])
    said = LabelResponse({"yes": 0.5, "no": 0.25}, 0.25, "topk", bounds={"yes": yes, "no": (0.0, 0.5)})
    row = first_row(task, "labels", answers(task, "labels", lambda _: said))
    assert (row["low_yes"], row["high_yes"]) == yes


def test_texts_are_counted_by_their_first_word(statements: Path) -> None:
    texts = ("Yes.", "  **no**, not at all", "yes and no", "Well", "", "yesterday", "Maybe", "?")
    task = Judgments(statements, questions=["q1"], trials=8)
    given = answers(task, "sample", lambda _: SampleResponse(texts))
    row = first_row(task, "sample", given)
    assert (row["p_yes"], row["p_no"], row["p_other"], row["n"]) == (0.375, 0.125, 0.5, 8)
    assert 0 < row["low_yes"] < 0.375 < row["high_yes"] < 1


def test_words_of_another_language_count(tmp_path: Path, statements: Path) -> None:
    wording = tmp_path / "wording.yaml"
    wording.write_text('q1: "Да или нет? {statement}"\n"yes": [да]\n"no": [нет]\n')
    task = Judgments(statements, wording=wording, trials=3)
    assert [item.id for item in task.questions] == ["0-q1", "1-q1", "2-q1"]
    given = answers(task, "sample", lambda _: SampleResponse(("Да!", "нет", "yes")))
    row = first_row(task, "sample", given)
    assert row["p_yes"] == row["p_no"] == row["p_other"] == pytest.approx(1 / 3, abs=1e-12)


def test_a_limit_keeps_the_questions_about_a_statement_together() -> None:
    items = Judgments(limit=10).questions
    assert len(items) == 9
    assert set(Counter(item.cluster for item in items).values()) == {3}
    assert Judgments(limit=10, seed=1).questions != items


def test_the_statements_may_tell_what_most_people_say(tmp_path: Path, ask: Asked) -> None:
    path = tmp_path / "s.csv"
    path.write_text("statement,most\nWater is wet.,agree\nThe moon is a lamp.,disagree\nBlue.,divided\n")
    answered = ask(Judgments(path), random.load("1"))
    whole = [e for e in answered.results.estimates if "feature" not in e.by]
    scores = {(e.measure, e.by["model"]): e for e in whole if e.method == "statement bootstrap"}
    assert {model for _, model in scores} == {"random:1", "baseline: always yes"}
    consensus = scores["consensus", "random:1"]
    table = answered.results.table
    assert table is not None
    q1 = table.filter(pl.col("question") == "q1")["p_yes"].to_list()
    assert (consensus.n, consensus.value) == (2, ((q1[0] > 0.5) + (q1[1] < 0.5)) / 2)
    assert "what most people say is the column “most” of the statements" in answered.results.notes
    assert Judgments(path).item_scores(answered).scores.columns[0] == "majority_agreement"
    majority = tmp_path / "m.csv"
    majority.write_text("statement_id,majority\n0,0\n1,1\n2,1\n")
    other = ask(Judgments(path, majority=majority), random.load("1")).results
    assert not any("column “most”" in note for note in other.notes)
    path.write_text("statement,most\nBlue is nicer.,divided\n")
    assert "consensus" not in {e.measure for e in ask(Judgments(path), random.load("1")).results.estimates}


def test_answers_give_the_models_own_estimates(statements: Path, ask: Asked) -> None:
    measured = ask(Judgments(statements), random.load("1")).results
    found = {(e.measure, e.by.get("question")): e for e in measured.estimates if "feature" not in e.by}
    table = measured.table
    assert table is not None
    q1 = table.filter(pl.col("question") == "q1")
    assert found["yes_mass", "q1"].value == pytest.approx(q1["p_yes"].mean(), abs=1e-12)
    assert found["yes_mass", "q1"].by == {"model": "random:1", "prompting": "labels", "question": "q1"}
    assert found["yes_rate", "q1"].value == pytest.approx((q1["p_yes"] > q1["p_no"]).mean(), abs=1e-12)
    assert found["other_rate", "q2"].value == 0
    assert 0 <= found["group_commonsensicality", None].value <= 1
    assert ("commonsensicality", None) not in found
    by_question = {"answers_q1": 3, "answers_q2": 3, "answers_q3": 3}
    none = {"other_first_q1": 0, "other_first_q2": 0, "other_first_q3": 0}
    assert measured.coverage == [{"asked": 9, "statements": 3, **by_question, **none}]
    assert measured.notes == []
    assert measured.tables == {}


def test_answers_are_written_only_if_somebody_asks_for_files(
    statements: Path, tmp_path: Path, ask: Asked
) -> None:
    task = Judgments(statements)
    answered = ask(task, random.load("1"))
    assert task.write_results(None, answered) == []
    (path,) = task.write_results(tmp_path / "out", answered)
    assert path == tmp_path / "out" / "random-1_ratings.csv"
    majority = tmp_path / "majority.csv"
    majority.write_text("statement_id,majority\n0,1\n1,0\n2,1\n")
    analysis = task.analyse(ratings=[path], majority=majority, draws=2)
    own = ask(Judgments(statements, majority=majority), random.load("1")).results
    for measure in ("consensus", "awareness", "yes_mass"):
        ours, theirs = (
            [e.value for e in found.estimates if e.measure == measure and e.by["model"] == "random:1"]
            for found in (analysis.results, own)
        )
        assert ours
        assert ours == theirs[: len(ours)]


def test_the_options_record_what_was_asked_for(statements: Path) -> None:
    task = Judgments(statements, questions=["q1"], trials=3, other="wrong", limit=2, seed=9)
    assert json.loads(json.dumps(task.options)) == task.options
    again = Judgments(**task.options)  # type: ignore[arg-type]
    assert again.options == task.options
    assert list(again.questions) == list(task.questions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data": "nowhere.csv"}, "no such file"),
        ({"questions": ["q9"]}, "no such question: 'q9'"),
        ({"questions": []}, "each at most once"),
        ({"trials": 0}, "0 trials"),
        ({"limit": 0}, "a limit of 0"),
        ({"other": "splt"}, "no such policy"),
        ({"wording": "nowhere.yaml"}, "no such file"),
        ({"humans": ["a.csv"], "majority": "b.csv"}, "one of them"),
        ({"humans": ["nowhere.csv"]}, "no such file"),
        ({"majority": "nowhere.csv"}, "no such file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        len(Judgments(**options).questions)


def test_the_packaged_statements_are_balanced_and_have_every_feature_and_category() -> None:
    found = read_statements(PACKAGED)
    assert found.height == 48
    assert Counter(found["most"]) == {"agree": 16, "disagree": 16, "divided": 16}
    for feature in FEATURES:
        assert set(found[feature.column]) == {0, 1}
    assert found["category"].n_unique() == 13
    assert found["statement"].str.ends_with(".").all()
    assert len(Judgments().questions) == 144


@pytest.mark.reference
def test_no_packaged_statement_is_a_published_one(reference_data: Path) -> None:
    published = pl.read_parquet(reference_data / "judgments" / "statements.parquet")["statement"]
    own = read_statements(PACKAGED)["statement"]
    assert not set(own.str.to_lowercase()) & set(published.str.to_lowercase())


def test_the_package_says_that_nobody_was_asked(ask: Asked) -> None:
    measured = ask(Judgments(limit=30), random.load("1")).results
    assert any(said.endswith("which nobody has tested by asking people") for said in measured.warnings)
    assert any("example statements were asked" in note for note in measured.notes)
