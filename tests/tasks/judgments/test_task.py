"""Judgments as a task: what is asked, and what the answers become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import polars as pl
import pytest

from probsense.analysis.agreement.groups import FEATURES
from probsense.analysis.distributions.label_mass import dirichlet_interval
from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, LabelResponse, SampleRequest, SampleResponse
from probsense.models.small import random
from probsense.tasks.base import Answered
from probsense.tasks.judgments.questions.answers import MAX_TOKENS
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.statements import PACKAGED, read_statements
from probsense.tasks.judgments.questions.wordings import packaged_ways
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py
PUBLISHED = packaged_ways().wording({})


@pytest.fixture
def statements(tmp_path):
    path = tmp_path / "statements.csv"
    path.write_text("statement\nWater is wet.\nThe moon is a lamp.\nBlue is nicer than red.\n")
    return path


def test_a_statement_is_asked_about_by_each_question(statements):
    task = Judgments(statements, trials=7, seed=3)
    items = task.questions
    assert [item.id for item in items][:4] == ["0-q1", "0-q2", "0-q3", "1-q1"]
    assert [item.cluster for item in items] == [str(i) for i in range(3) for _ in range(3)]
    (request,) = task.requests(items[1], "labels", {})
    prompt = PUBLISHED.prompt("q2", "Water is wet.")
    assert request == LabelRequest(prompt, PUBLISHED.labels)
    assert request.item == "0-q2"
    (texts,) = task.requests(items[1], "sample", {})
    assert texts == SampleRequest(prompt, n=7, max_tokens=MAX_TOKENS, temperature=1.0, seed=3)


TEXTS = ("Yes.", "  **no**, not at all", "yes and no", "Well", "", "yesterday", "Maybe", "?")
ENDS = [float(end[0]) for end in dirichlet_interval([3, 1, 4])]
TOP = LabelResponse({"yes": 0.5, "no": 0.25}, 0.25, "topk", bounds={"yes": (0.4, 0.8), "no": (0.0, 0.5)})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (LabelResponse({"yes": 0.5, "no": 0.2}, 0.3), (0.5, 0.2, 0.3, None, None, None, "exact")),
        (TOP, (0.5, 0.25, 0.25, None, 0.4, 0.8, "topk")),  # what is beyond the top tokens may be anything
        (SampleResponse(TEXTS), (0.375, 0.125, 0.5, 8, *ENDS, "sampled")),
    ],
)
def test_answers_go_into_the_table(statements, answer, expected):
    method = "labels" if isinstance(answer, LabelResponse) else "sample"
    task = Judgments(statements, questions=["q1"], trials=8)
    given = {request: answer for item in task.questions for request in task.requests(item, method, {})}
    table = task.measure(task.questions, method, given, {"model": "m", "prompting": method}).table
    assert table is not None
    assert table.columns[3:10] == ["p_yes", "p_no", "p_other", "n", "low_yes", "high_yes", "source"]
    assert table.row(0)[3:10] == expected


def test_the_statements_may_tell_what_most_people_say(tmp_path, ask):
    path = tmp_path / "s.csv"
    path.write_text("statement,most\nWater is wet.,agree\nThe moon is a lamp.,disagree\nBlue.,divided\n")
    answered = ask(Judgments(path), random.load("1"))
    whole = [e for e in answered.results.estimates if "feature" not in e.by]
    scores = {(e.measure, e.by["model"]): e for e in whole if e.method == "statement bootstrap"}
    assert {model for _, model in scores} == {"random:1", "baseline: always yes"}
    table = answered.results.table
    assert table is not None
    q1 = table.filter(pl.col("question") == "q1")["p_yes"].to_list()
    consensus = scores["consensus", "random:1"]
    assert (consensus.n, consensus.value) == (2, ((q1[0] > 0.5) + (q1[1] < 0.5)) / 2)
    assert "random:1: what most people say is the column “most” of the statements" in answered.results.notes
    assert Judgments(path).item_scores(answered).scores.columns[0] == "majority_agreement"


def test_answers_give_the_models_own_estimates(statements, ask):
    measured = ask(Judgments(statements), random.load("1")).results
    found = {(e.measure, e.by.get("question")): e for e in measured.estimates if "feature" not in e.by}
    table = measured.table
    assert table is not None
    q1 = table.filter(pl.col("question") == "q1")
    assert found["yes_mass", "q1"].value == pytest.approx(q1["p_yes"].mean(), abs=1e-12)
    assert found["yes_rate", "q1"].value == pytest.approx((q1["p_yes"] > q1["p_no"]).mean(), abs=1e-12)
    assert found["other_rate", "q2"].value == 0
    assert 0 <= found["group_commonsensicality", None].value <= 1
    counts = {f"answers_q{i}": 3 for i in (1, 2, 3)} | {f"other_first_q{i}": 0 for i in (1, 2, 3)}
    assert measured.coverage == [{"asked": 9, "statements": 3, **counts}]
    assert (measured.notes, measured.tables) == ([], {})


def test_answers_that_are_written_are_read_as_they_are(statements, tmp_path, ask):
    task = Judgments(statements)
    answered = ask(task, random.load("1"))
    assert task.write_results(None, answered) == []
    (path,) = task.write_results(tmp_path / "out", answered)
    assert path == tmp_path / "out" / "random-1_ratings.csv"
    table = answered.results.table
    assert table is not None
    assert read_ratings(path).frame.drop("model").equals(table.select(table.columns[1:6]))
    assert pl.read_csv(path).columns == ["model", *table.columns[1:9]]


def test_what_cannot_be_is_refused_before_anything_is_asked():
    wrong = {"questions": ["q9"], "trials": 0, "other": "splt", "labels": ["ja"]}
    said = "no such question: 'q9'", "0 trials", "no such policy", "--labels 'ja'"
    for (name, value), message in zip(wrong.items(), said, strict=True):
        with pytest.raises(InputError, match=message):
            Judgments(**{name: value})


def test_the_packaged_statements_are_balanced_and_say_that_nobody_was_asked(ask):
    found = read_statements(PACKAGED)
    assert Counter(found["most"]) == {"agree": 16, "disagree": 16, "divided": 16}
    assert all(set(found[feature.column]) == {0, 1} for feature in FEATURES)
    assert len(Judgments().questions) == 144
    measured = ask(Judgments(limit=30), random.load("1")).results
    assert any(said.endswith("which nobody has tested by asking people") for said in measured.warnings)
    assert any("example statements were asked" in note for note in measured.notes)


@pytest.mark.reference
def test_no_packaged_statement_is_a_published_one(reference_data):
    published = pl.read_parquet(reference_data / "judgments" / "statements.parquet")["statement"]
    own = read_statements(PACKAGED)["statement"]
    assert not set(own.str.to_lowercase()) & set(published.str.to_lowercase())
