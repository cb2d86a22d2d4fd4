"""Winograd schemas as a task: what is asked, what every view says, and the worked examples of the field."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.analysis.distributions.option_views import RULES
from probsense.core.errors import InputError
from probsense.core.records import Item, Request, Response, ScoreRequest, ScoreResponse
from probsense.runs.evaluate import evaluate
from probsense.tasks.results import Results
from probsense.tasks.winogrande.task import Winogrande
from support.scored import option

Answer = Callable[[Any, Any], Any]
SKY = {
    "qID": "sky",
    "sentence": "The sky is _ and etc.",
    "option1": "blue",
    "option2": "yellow-pink",
    "answer": "1",
}


def task_of(folder: Path, *records: dict[str, str], **options: Any) -> Winogrande:
    path = folder / "schemas.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return Winogrande(path, **options)


def test_one_request_gives_option_partial_and_full(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY)
    (item,) = task.items()
    assert task.requests(item, "options", {}) == [
        ScoreRequest("The sky is", (" blue", " yellow-pink"), " and etc.")
    ]
    assert task.requests(item, "options", {})[0].item == "sky"


def test_a_neutral_prefix_is_asked_besides(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY, neutral="It is", rule="pmi")
    (item,) = task.items()
    assert task.requests(item, "options", {})[1] == ScoreRequest("It is", (" blue", " yellow-pink"))
    task = task_of(tmp_path, SKY, neutral="")
    assert task.requests(item, "options", {})[1] == ScoreRequest("", (" blue", " yellow-pink"))


def one_row(task: Winogrande, response: ScoreResponse) -> dict[str, Any]:
    (item,) = task.items()
    answers: dict[Request, Response] = {task.requests(item, "options", {})[0]: response}
    (row,) = table_of(task.measure([item], "options", answers, {"model": "m"})).rows(named=True)
    return dict(row)


def table_of(measured: Results) -> pl.DataFrame:
    assert measured.table is not None
    return measured.table


def measured(task: Winogrande, answers: Mapping[Request, Response]) -> Results:
    return task.measure(task.items(), "options", answers, {"model": "m"})


def test_the_worked_example_where_mean_and_product_disagree(tmp_path: Path) -> None:
    """GPT-2 XL in bfloat16: "mean" is the view mean_prob, "mult" the view sum (the scoring specification)."""
    blue = 0.09228515625
    pink = (0.00066375732421875, 0.003448486328125, 0.00115966796875, 0.96484375)
    response = ScoreResponse((option(" blue", [blue], [0.5]), option(" yellow-pink", pink, [0.5])))
    by_mean, by_product = (task_of(tmp_path, SKY, rule=rule) for rule in ("mean_prob", "sum"))
    assert one_row(by_mean, response)["resp"] == 1
    assert one_row(by_product, response)["resp"] == 0
    mean = sum(pink) / 4
    assert mean == pytest.approx(0.24252891540527344, rel=0, abs=1e-15)
    assert one_row(by_mean, response)["margin"] == pytest.approx(mean - blue, rel=0, abs=1e-12)
    assert math.prod(pink) == pytest.approx(2.56e-9, rel=1e-2)
    p_gold = blue / (blue + math.prod(pink))
    assert one_row(by_product, response)["p_gold"] == pytest.approx(p_gold, rel=0, abs=1e-12)


def test_every_view_against_the_sums_written_out(
    answer: Answer, character_logprob: Callable[[str], float]
) -> None:
    task = Winogrande(neutral="Answer:", rule="full")
    table = table_of(measured(task, answer(task, task.items())))
    for item, row in zip(task.items(), table.iter_rows(named=True), strict=True):
        scored: dict[str, list[float]] = {view: [] for view in RULES}
        for told in item.data["options"]:
            before, after = item.data["sentence"].split("_")
            shown = f" {told}" if before else told
            whole, start, end = before + told + after, len(before.rstrip(" ")), len(before + told)
            own = [character_logprob(whole[: i + 1]) for i in range(start, end)]
            rest = [character_logprob(whole[: i + 1]) for i in range(end, len(whole))]
            neutral = [character_logprob("Answer:" + shown[: i + 1]) for i in range(len(shown))]
            scored["sum"].append(sum(own))
            scored["token"].append(sum(own) / len(own))
            scored["char"].append(sum(own) / len(shown))
            scored["byte"].append(sum(own) / len(shown.encode()))
            scored["mean_prob"].append(sum(map(math.exp, own)) / len(own))
            scored["partial"].append(sum(rest))
            scored["full"].append(sum(own) + sum(rest))
            scored["pmi"].append(sum(own) - sum(neutral))
        for view, (a, b) in scored.items():
            gold = int(item.gold)
            assert row[f"resp.{view}"] == int(b > a), (item.id, view)
            difference = (a, b)[1 - gold] - (a, b)[gold]
            assert row[f"p_gold.{view}"] == pytest.approx(1 / (1 + math.exp(difference)), rel=0, abs=1e-12)
        assert row["resp"] == row["resp.full"]


def test_the_figures_count_twins_as_one(answer: Answer) -> None:
    task = Winogrande()
    done = measured(task, answer(task, task.items()))
    table = table_of(done)
    found = {e.by["view"]: e for e in done.estimates if e.measure == "accuracy"}
    assert next(iter(found)) == "partial"
    assert set(found) == set(RULES) - {"pmi"}
    assert all((e.n, e.clusters, e.chance) == (60, 30, 0.5) for e in found.values())
    right = (table["resp.sum"] == table["gold"]).sum()
    assert found["sum"].value == pytest.approx(right / 60)
    assert done.coverage[0]["clusters"] == 30


def test_schemas_without_an_answer_count_in_no_figure(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY | {"answer": ""})
    row = one_row(task, ScoreResponse((option("a", [0.5], [0.5]),) * 2))
    assert row["gold"] is None
    run = evaluate(task, "random:1", store=None, quiet=True)
    assert run.summary() == []
    assert any("no right option" in note for note in run.results.notes)


def test_a_limit_keeps_twins_together() -> None:
    def names(items: Any) -> list[str]:
        return [item.id for item in items]

    drawn: list[list[Item]] = [list(Winogrande(limit=11, seed=seed).items()) for seed in (0, 0, 1)]
    assert names(drawn[0]) == names(drawn[1]) != names(drawn[2])
    assert len(drawn[0]) == 10
    assert len({item.cluster for item in drawn[0]}) == 5


def test_the_options_record_what_was_asked_for(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY, rule="pmi", neutral="So:", seed=3)
    again = Winogrande(**task.options)  # type: ignore[arg-type]
    assert again.options == task.options
    assert list(again.items()) == list(task.items())
    assert json.loads(json.dumps(task.options)) == task.options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "mult"}, "no such rule: 'mult'"),
        ({"rule": "pmi"}, "neutral prefix"),
        ({"limit": 0}, "a limit of 0"),
        ({"limit": 1}, "below one whole cluster"),
        ({"data": "nowhere.jsonl"}, "no such file"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Winogrande(**options).items()


@pytest.mark.parametrize("rule", ["partial", "full"])
def test_a_rule_of_the_rest_needs_a_rest(tmp_path: Path, rule: str) -> None:
    bare = SKY | {"sentence": "The sky is _"}
    with pytest.raises(InputError, match="nothing follows the blank of 'sky'"):
        task_of(tmp_path, bare, rule=rule).items()
    task = task_of(tmp_path, bare, rule="sum")
    run = evaluate(task, "random:1", store=None, quiet=True)
    assert "resp.partial" not in run.table().columns


def test_the_packaged_schemas_are_asked_without_a_file_and_the_run_says_so() -> None:
    run = evaluate("winogrande", "random:1", store=None, quiet=True)
    assert len(run.items) == 60
    assert any("example schemas were asked" in note for note in run.results.notes)
