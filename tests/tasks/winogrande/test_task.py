"""Winograd schemas: how they are read and asked, what every view says, and the worked examples of the field."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.analysis.distributions.option_views import RULES
from probsense.core.errors import InputError
from probsense.core.records import Item, Request, Response, ScoreRequest, ScoreResponse
from probsense.runs.evaluate import evaluate
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas, split
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


def test_one_request_gives_option_partial_and_full(tmp_path):
    task = task_of(tmp_path, SKY)
    (item,) = task.questions
    assert task.requests(item, "options", {}) == [
        ScoreRequest("The sky is", (" blue", " yellow-pink"), " and etc.")
    ]
    assert task.requests(item, "options", {})[0].item == "sky"


@pytest.mark.parametrize("neutral", ["It is", ""])
def test_a_neutral_prefix_is_asked_besides(tmp_path, neutral):
    task = task_of(tmp_path, SKY, neutral=neutral, rule="pmi")
    (item,) = task.questions
    assert task.requests(item, "options", {})[1] == ScoreRequest(neutral, (" blue", " yellow-pink"))
    again = Winogrande(**task.options)
    assert (again.options, list(again.questions)) == (task.options, [item])
    assert json.loads(json.dumps(task.options)) == task.options


def measured(task: Winogrande, answers: Mapping[Request, Response]) -> Any:
    return task.measure(task.questions, "options", answers, {"model": "m"})


def one_row(task: Winogrande, response: ScoreResponse) -> dict[str, Any]:
    answers = {task.requests(task.questions[0], "options", {})[0]: response}
    (row,) = measured(task, answers).table.rows(named=True)
    return dict(row)


def test_the_worked_example_where_mean_and_product_disagree(tmp_path):
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


def test_the_figures_count_twins_as_one(answer):
    task = Winogrande()
    done = measured(task, answer(task, task.questions))
    table = done.table
    found = {e.by["view"]: e for e in done.estimates if e.measure == "accuracy"}
    assert next(iter(found)) == "partial"
    assert set(found) == set(RULES) - {"pmi"}
    assert all((e.n, e.clusters, e.chance) == (60, 30, 0.5) for e in found.values())
    right = (table["resp.sum"] == table["gold"]).sum()
    assert found["sum"].value == pytest.approx(right / 60)
    assert done.coverage[0]["clusters"] == 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "mult"}, "no such rule: 'mult'"),
        ({"rule": "pmi"}, "neutral prefix"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        len(Winogrande(**options).questions)


@pytest.mark.parametrize("rule", ["partial", "full"])
def test_a_rule_of_the_rest_needs_a_rest(tmp_path, rule):
    bare = SKY | {"sentence": "The sky is _"}
    with pytest.raises(InputError, match="nothing follows the blank of 'sky'"):
        len(task_of(tmp_path, bare, rule=rule).questions)
    task = task_of(tmp_path, bare, rule="sum")
    run = evaluate(task, "random:1", store=None, quiet=True)
    assert "resp.partial" not in run.table().columns


def test_the_packaged_schemas_are_asked_without_a_file_and_the_run_says_so():
    run = evaluate("winogrande", "random:1", store=None, quiet=True)
    assert len(run.items) == 60
    assert any("example schemas were asked" in note for note in run.results.notes)
    assert len({item.cluster for item in Winogrande(limit=11).questions}) == 5


@settings(max_examples=10)
@given(st.text(), st.text(), st.text(min_size=1))
def test_the_sentence_is_fed_as_it_is(before, after, option):
    before, after = before.replace("_", ""), after.replace("_", "")
    prefix, join, suffix = split(f"{before}_{after}")
    assert prefix + join + option + suffix == before + option + after
    assert join == (" " if before.endswith(" ") else "")


GOOD = {
    **{"qID": "x-1", "sentence": "Ann met Bob, as _ had hoped."},
    **{"option1": "Ann", "option2": "Bob", "answer": "2"},
}


def test_an_item_a_line_and_twins_share_a_cluster(tmp_path):
    """What has no answer counts in no figure; there may be more than two options."""
    bare = {key: value for key, value in GOOD.items() if key != "answer"}
    more = [
        {"qID": "x-2", "answer": "1"},
        {"qID": "y-3", "answer": ""},
        {"qID": "w", "option3": "us", "answer": "3"},
    ]
    task = task_of(tmp_path, *(GOOD | {"option3": ""} | one for one in [{}, *more]), bare | {"qID": "z"})
    items = task.questions
    assert [item.id for item in items] == ["x-1", "x-2", "y-3", "w", "z"]
    assert [item.cluster for item in items] == ["x", "x", "y-3", "w", "z"]
    assert [item.gold for item in items] == ["1", "0", "", "2", ""]
    assert items[0].data == {"sentence": GOOD["sentence"], "options": ["Ann", "Bob"]}
    assert items[3].data["options"] == ["Ann", "Bob", "us"]
    run = evaluate(task_of(tmp_path, bare), "random:1", store=None, quiet=True)
    assert (run.summary(), run.table()["gold"].to_list()) == ([], [None])
    assert any("no right option" in note for note in run.results.notes)


ITEMS = list(read_schemas(PACKAGED))


def pairs() -> dict[str, list[Item]]:
    found = defaultdict(list)
    for item in ITEMS:
        found[item.cluster].append(item)
    return found


def test_twins_differ_in_one_word_behind_the_blank_and_in_their_answer():
    assert [item.id for item in ITEMS] == [f"{name}-{n}" for name in pairs() for n in (1, 2)]
    for first, second in pairs().values():
        a, b = (item.data["sentence"].split(" ") for item in (first, second))
        (place,) = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        assert place > next(i for i, word in enumerate(a) if "_" in word)
        assert first.data["options"] == second.data["options"]
        assert {first.gold, second.gold} == {"0", "1"}
        assert all(told in item.data["sentence"] for item in (first, second) for told in item.data["options"])
