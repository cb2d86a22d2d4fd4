"""What is the prompt's: models with known habits, by hand, and what a run that varies nothing says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Failure, LabelRequest, LabelResponse, SampleRequest, SampleResponse
from probsense.models.base import Batch
from probsense.models.small import random
from probsense.tasks.base import Answered
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py


class Habit:
    """Answers yes with the log odds that a function of the prompt gives; it may fail, or hardly say yes or no."""

    name = "habit:"

    def __init__(
        self,
        log_odds: Callable[[LabelRequest], float],
        *,
        fails: Callable[[LabelRequest], bool] = lambda _: False,
        mass: Callable[[LabelRequest], float] = lambda _: 0.8,
    ) -> None:
        self._log_odds, self._fails, self._mass = log_odds, fails, mass

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for i, request in enumerate(requests):
            odds, mass = math.exp(self._log_odds(request)), self._mass(request)
            said = LabelResponse({"yes": mass * odds / (1 + odds), "no": mass / (1 + odds)}, 1 - mass)
            yield [(i, Failure("no answer", 1) if self._fails(request) else said)]


def yes_first(request: LabelRequest) -> bool:
    """Whether the prompt names the word for yes before that for no."""
    places = [request.prompt.index(f'"{words[0]}"') for _, words in request.labels]
    return places[0] < places[1]


def is_letter(request: LabelRequest) -> bool:
    return len(request.labels[0][1][0]) == 1


def number(request: LabelRequest) -> int:
    """The number of the statement."""
    (found,) = re.findall(r"number (\d+)", request.prompt)
    return int(found)


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "statements.csv"
    rows = [f"It is number {i}.,{'agree' if i % 3 else 'disagree'}\n" for i in range(30)]
    path.write_text("statement,most\n" + "".join(rows))
    return path


def found(answered: Answered, measure: str, **by: Any) -> dict[str, Estimate]:
    """The estimates of a measure, by what tells them apart."""
    return {
        " ".join(str(v) for k, v in e.by.items() if k not in ("model", "prompting", *by)): e
        for e in answered.results.estimates
        if e.measure == measure and by.items() <= dict(e.by).items()
    }


def test_what_is_named_first_is_all_that_a_model_of_positions_knows(statements: Path, ask: Asked) -> None:
    # It takes the first of two letters and the second of two words. Over the five pairs of labels, yes first has the
    # effects 1, 1, −1, −1, −1: a mean of −0.2, whose square is the facet's, and the rest goes with the labels.
    task = Judgments(statements, vary=["order", "labels"], questions=["q1"])
    answered = ask(task, Habit(lambda r: 2.0 if yes_first(r) == is_letter(r) else -2.0))
    shares = {name: e.value for name, e in found(answered, "prompt_share", question="q1").items()}
    assert shares == pytest.approx(dict.fromkeys(shares, 0.0) | {"answers": 0.04, "prompt, together": 0.96})
    assert len(shares) == 9
    (flips,) = found(answered, "prompt_flips").values()
    assert flips.value == pytest.approx(0.5)
    pulls = found(answered, "prompt_pull", question="q1")
    assert pulls["answers: yes first"].value == pytest.approx(-0.4)
    assert pulls["labels: A-B"].value == pytest.approx(0)
    biases = found(answered, "prompt_bias", question="q1")
    assert biases["named first"].value == pytest.approx(-0.4)
    assert biases["“A”"].value == pytest.approx(0)
    (warning,) = [text for text in answered.results.warnings if "the prompt matters" in text]
    assert "only 0.0 % (q1) is the statement's" in warning


def test_a_model_that_likes_a_letter_has_its_bias(statements: Path, ask: Asked) -> None:
    def log_odds(request: LabelRequest) -> float:
        likes = {"A": 1.5, "B": -1.5}.get(request.labels[0][1][0], 0.0)
        return likes + 0.5 * yes_first(request)

    answered = ask(Judgments(statements, vary=["labels", "order"], questions=["q1"]), Habit(log_odds))
    biases = found(answered, "prompt_bias", question="q1")
    assert {name: e.value for name, e in biases.items()} == pytest.approx({"named first": 0.25, "“A”": 1.5})


def test_a_model_that_goes_by_the_statement_has_all_its_variance_there(statements: Path, ask: Asked) -> None:
    answered = ask(
        Judgments(statements, vary=["labels", "wording"]), Habit(lambda r: 0.3 if number(r) % 3 else -0.3)
    )
    for question in ("q1", "q2", "q3"):
        shares = found(answered, "prompt_share", question=question)
        assert shares["statement"].value == pytest.approx(1)
        assert math.isnan(shares["statement"].low)
    assert {e.value for e in found(answered, "prompt_flips").values()} == {0}
    scores = found(answered, "prompt_commonsensicality")
    assert scores[""].value == pytest.approx(1)
    assert len(scores) == 1 + 4 + 5
    assert not [text for text in answered.results.warnings if "the prompt matters" in text]


def test_a_constant_model_varies_in_nothing(statements: Path, ask: Asked) -> None:
    answered = ask(Judgments(statements, vary=["order"]), Habit(lambda _: 0.7))
    assert not found(answered, "prompt_share")
    assert {e.value for e in found(answered, "prompt_flips").values()} == {0}


def test_with_one_facet_nothing_is_left_over(statements: Path, ask: Asked) -> None:
    answered = ask(Judgments(statements, vary=["labels"], questions=["q1"]), Habit(lambda r: number(r) / 10))
    assert [*found(answered, "prompt_share", question="q1")] == ["statement", "labels", "statement × labels"]


def test_scores_by_variant_are_those_of_runs_in_that_variant(statements: Path, ask: Asked) -> None:
    # Who says yes to all with yes first, and no to all with no first, agrees with 20 and with 10 of 30.
    answered = ask(
        Judgments(statements, vary=["order"], questions=["q1"]),
        Habit(lambda r: 1.0 if yes_first(r) else -1.0),
    )
    scores = found(answered, "prompt_consensus")
    assert scores[""].value == pytest.approx(0.5)
    assert scores["answers: yes first"].value == pytest.approx(2 / 3)
    assert scores["answers: no first"].value == pytest.approx(1 / 3)
    assert scores["position: question first"].value == pytest.approx(0.5)
    # The interval over all variants holds both, those of an order only its own.
    assert scores[""].low < 1 / 3 < scores["answers: yes first"].low < 2 / 3 < scores[""].high
    assert "consensus goes from 33.3 % (no-first) to 66.7 % (as published), from variant to variant" in (
        answered.results.notes
    )


def test_all_other_results_are_those_of_a_run_that_varies_nothing(study: Any, ask: Asked) -> None:
    model = random.load("3")
    plain = ask(Judgments(study.statements, humans=[study.people]), model)
    varied = ask(Judgments(study.statements, humans=[study.people], vary=["wording", "labels"]), model)
    ours = [e for e in varied.results.estimates if not e.measure.startswith("prompt_")]
    assert [e.to_json() for e in ours] == [e.to_json() for e in plain.results.estimates]
    assert set(plain.results.notes) < set(varied.results.notes)
    rows = varied.results.table
    assert rows.height == 20 * plain.results.table.height
    first = rows.filter(pl.col("variant") == "").drop("variant", "wording", "labels")
    assert first.equals(plain.results.table)
    assert {*rows["labels"]} == {"A-B", "B-A", "agree-disagree", "true-false", "yes-no"}


def test_a_comparison_pairs_the_same_prompts(statements: Path, ask: Asked) -> None:
    plain, varied = (Judgments(statements, **options) for options in ({}, {"vary": ["order"]}))
    few, many = (task.item_scores(ask(task, Habit(number))) for task in (plain, varied))
    assert many.items.height == 4 * few.items.height
    assert set(few.items["item"]) < set(many.items["item"])
    assert "0-q1.question-first.no-first" in many.items["item"]
    joined = few.items.with_columns(few.scores).join(many.items.with_columns(many.scores), on="item")
    assert joined["majority_agreement"].equals(
        joined["majority_agreement_right"].rename("majority_agreement")
    )
    assert many.scores["majority_agreement"].null_count() == 4 * 30  # nobody knows the majority of q3


def test_a_file_of_ratings_has_the_first_variant(statements: Path, ask: Asked, tmp_path: Path) -> None:
    task = Judgments(statements, vary=["labels"], questions=["q1"])
    (path,) = task.write_results(tmp_path / "ratings", ask(task, Habit(number)))
    assert pl.read_csv(path).height == 30


def test_texts_are_read_by_the_words_of_their_variant(statements: Path, ask: Asked) -> None:
    class Writer:
        name = "writer:"

        def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
            for i, request in enumerate(requests):
                word = re.findall(r'"(\w+)"(?: for yes| or "no"|\.$)', request.prompt)[0]
                yield [(i, SampleResponse((word.upper(), "As an AI, I cannot", word)))]

    task = Judgments(statements, vary=["labels"], questions=["q1"], trials=3)
    answered = ask(task, Writer(), "sample")
    assert set(answered.results.table["p_yes"].to_list()) == {2 / 3}
    assert set(answered.results.table["p_other"].to_list()) == {1 / 3}
    assert task.answer_in(task.items()[-1], "B, of course") == "yes"
    assert task.answer_in(task.items()[-1], "yes") == ""


def test_statements_without_all_answers_count_in_none(statements: Path, ask: Asked) -> None:
    task = Judgments(statements, vary=["order"], questions=["q1"])
    model = Habit(lambda r: number(r) - 10.0, fails=lambda r: number(r) == 7 and not yes_first(r))
    answered = ask(task, model)
    assert {e.clusters for e in found(answered, "prompt_share").values()} == {29}
    (note,) = (note for note in answered.results.notes if "without an answer" in note)
    assert note == "1 statement without an answer to q1 in some variant: left out of all of them"


def test_without_the_first_variant_there_is_nothing_to_say(statements: Path, ask: Asked) -> None:
    model = Habit(number, fails=yes_first)
    measured = ask(Judgments(statements, vary=["order"], questions=["q1"]), model).results
    assert not measured.estimates
    assert measured.warnings == [
        "no answer in the first variant, on which results other than those of prompts rest"
    ]


def test_variants_that_say_next_to_nothing_are_named(statements: Path, ask: Asked) -> None:
    def shy(*spoken: str) -> Habit:
        return Habit(number, mass=lambda request: 0.8 if request.labels[0][1][0] in spoken else 0.04)

    task = Judgments(statements, vary=["labels"], questions=["q1"], other="drop")
    answered = ask(task, shy("yes", "A", "B"))
    said = "q1: in 2 of 5 variants both answers have less than 10 % of the probability of the first word"
    assert said in answered.results.warnings
    assert found(answered, "prompt_share")
    answered = ask(task, shy())
    assert not [e for e in answered.results.estimates if e.measure.startswith("prompt_")]
    assert any(text.startswith("q1: in 5 of 5 variants") for text in answered.results.warnings)


def test_too_few_statements_say_nothing_of_prompts(tmp_path: Path, ask: Asked) -> None:
    path = tmp_path / "few.csv"
    path.write_text("statement\n" + "".join(f"It is number {i}.\n" for i in range(9)))
    answered = ask(Judgments(path, vary=["order"], questions=["q1"]), Habit(number))
    assert not found(answered, "prompt_share")
    assert "what is the prompt's in answers to q1 takes 10 statements to tell" in answered.results.notes


def test_faulty_options_are_refused(statements: Path) -> None:
    with pytest.raises(InputError, match="at most 3 variants of nothing"):
        Judgments(statements, variants=3)
    with pytest.raises(InputError, match=r"at most 0 variants, of 4 \(expected at least 4"):
        Judgments(statements, vary=["order"], variants=0)
    with pytest.raises(InputError, match=r"a limit below one whole cluster \(expected at least 12\)"):
        Judgments(statements, vary=["order"], limit=3).items()


def test_charts_are_drawn(study: Any, ask: Asked) -> None:
    answered = ask(Judgments(study.statements, vary=["wording", "order"]), random.load("1"))
    for name, row in (("components", "statement × wording"), ("pulls", "position: question first")):
        table = answered.results.tables[name]
        chart = Judgments.words.charts[name]
        for rows in (table, pl.concat([table, table.with_columns(model=pl.lit("other"))])):
            assert row in json.dumps(chart.draw(rows, 700), ensure_ascii=False)
