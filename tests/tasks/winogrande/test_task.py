"""Winograd schemas: how they are read and asked, what every view says, and the worked examples of the field."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.option_views import RULES
from probsense.core.errors import InputError
from probsense.core.records import Item, Request, Response, ScoreRequest, ScoreResponse
from probsense.runs.evaluate import evaluate
from probsense.tasks.results import Results
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


def test_one_request_gives_option_partial_and_full(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY)
    (item,) = task.questions
    assert task.requests(item, "options", {}) == [
        ScoreRequest("The sky is", (" blue", " yellow-pink"), " and etc.")
    ]
    assert task.requests(item, "options", {})[0].item == "sky"


def test_a_neutral_prefix_is_asked_besides(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY, neutral="It is", rule="pmi")
    (item,) = task.questions
    assert task.requests(item, "options", {})[1] == ScoreRequest("It is", (" blue", " yellow-pink"))
    task = task_of(tmp_path, SKY, neutral="")
    assert task.requests(item, "options", {})[1] == ScoreRequest("", (" blue", " yellow-pink"))


def one_row(task: Winogrande, response: ScoreResponse) -> dict[str, Any]:
    (item,) = task.questions
    answers: dict[Request, Response] = {task.requests(item, "options", {})[0]: response}
    (row,) = table_of(task.measure([item], "options", answers, {"model": "m"})).rows(named=True)
    return dict(row)


def table_of(measured: Results) -> pl.DataFrame:
    assert measured.table is not None
    return measured.table


def measured(task: Winogrande, answers: Mapping[Request, Response]) -> Results:
    return task.measure(task.questions, "options", answers, {"model": "m"})


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
    table = table_of(measured(task, answer(task, task.questions)))
    for item, row in zip(task.questions, table.iter_rows(named=True), strict=True):
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
    done = measured(task, answer(task, task.questions))
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

    drawn: list[list[Item]] = [list(Winogrande(limit=11, seed=seed).questions) for seed in (0, 0, 1)]
    assert names(drawn[0]) == names(drawn[1]) != names(drawn[2])
    assert len(drawn[0]) == 10
    assert len({item.cluster for item in drawn[0]}) == 5


def test_the_options_record_what_was_asked_for(tmp_path: Path) -> None:
    task = task_of(tmp_path, SKY, rule="pmi", neutral="So:", seed=3)
    again = Winogrande(**task.options)  # type: ignore[arg-type]
    assert again.options == task.options
    assert list(again.questions) == list(task.questions)
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
        len(Winogrande(**options).questions)


@pytest.mark.parametrize("rule", ["partial", "full"])
def test_a_rule_of_the_rest_needs_a_rest(tmp_path: Path, rule: str) -> None:
    bare = SKY | {"sentence": "The sky is _"}
    with pytest.raises(InputError, match="nothing follows the blank of 'sky'"):
        len(task_of(tmp_path, bare, rule=rule).questions)
    task = task_of(tmp_path, bare, rule="sum")
    run = evaluate(task, "random:1", store=None, quiet=True)
    assert "resp.partial" not in run.table().columns


def test_the_packaged_schemas_are_asked_without_a_file_and_the_run_says_so() -> None:
    run = evaluate("winogrande", "random:1", store=None, quiet=True)
    assert len(run.items) == 60
    assert any("example schemas were asked" in note for note in run.results.notes)


GOOD = {
    "qID": "x-1",
    "sentence": "Ann met Bob, as _ had hoped.",
    "option1": "Ann",
    "option2": "Bob",
    "answer": "2",
}


def write(folder: Path, *records: Any) -> Path:
    path = folder / "schemas.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("A is B because _ is C.", ("A is B because", " ", " is C.")),
        ("_ is C, not B.", ("", "", " is C, not B.")),
        (" _ is C.", ("", " ", " is C.")),
        ("Two blanks:  _ x", ("Two blanks: ", " ", " x")),
        ("He said “_!”", ("He said “", "", "!”")),
        ("on a line\n_ ends", ("on a line\n", "", " ends")),
        ("It is _", ("It is", " ", "")),
    ],
)
def test_a_space_before_the_blank_belongs_to_the_option(sentence: str, parts: tuple[str, str, str]) -> None:
    assert split(sentence) == parts


@given(st.text(), st.text(), st.text(min_size=1))
def test_the_sentence_is_fed_as_it_is(before: str, after: str, option: str) -> None:
    before, after = before.replace("_", ""), after.replace("_", "")
    prefix, join, suffix = split(f"{before}_{after}")
    assert prefix + join + option + suffix == before + option + after
    assert join == (" " if before.endswith(" ") else "")


def test_an_item_a_line_and_twins_share_a_cluster(tmp_path: Path) -> None:
    records = [
        GOOD,
        GOOD | {"qID": "x-2", "answer": "1"},
        GOOD | {"qID": "y-3", "answer": ""},
        {key: value for key, value in GOOD.items() if key != "answer"} | {"qID": "z"},
    ]
    items = list(read_schemas(write(tmp_path, *records)))
    assert [item.id for item in items] == ["x-1", "x-2", "y-3", "z"]
    assert [item.cluster for item in items] == ["x", "x", "y-3", "z"]
    assert [item.gold for item in items] == ["1", "0", "", ""]
    assert items[0].data == {"sentence": GOOD["sentence"], "options": ["Ann", "Bob"]}


def test_there_may_be_more_than_two_options(tmp_path: Path) -> None:
    (item,) = read_schemas(write(tmp_path, {"option3": "the dog"} | GOOD | {"answer": "3"}))
    assert item.data["options"] == ["Ann", "Bob", "the dog"]
    assert item.gold == "2"


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"option2": None}, ("option2 is empty",)),
        ({"qID": None}, ("qID is empty",)),
        ({"option4": "x"}, ("the options are ['Ann', 'Bob', '', 'x']", "at least two texts")),
        ({"answer": "3"}, ("answer is '3'", "its number from 1 on")),
        ({"answer": "0"}, ("answer is '0'", "the text of an option")),
        ({"sentence": "Ann met Bob."}, ("0 times", "exactly one")),
        ({"sentence": "_ met _."}, ("2 times", "exactly one")),
        ({"option2": "Ann"}, ("two options are the same",)),
        ({"option2": " "}, ("option2 is ' '",)),
        ({"qID": "x-1"}, ("qID x-1 again, first on line 1",)),
    ],
)
def test_faults_are_named_with_their_line(
    tmp_path: Path, changes: dict[str, Any], parts: tuple[str, ...]
) -> None:
    bad = {key: value for key, value in (GOOD | {"qID": "y"} | changes).items() if value is not None}
    path = write(tmp_path, GOOD, bad)
    with pytest.raises(InputError) as raised:
        list(read_schemas(path))
    for part in (f"{path}, line 2: ", *parts):
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "holds no rows"),
        ("{oops", "line 1: not valid JSON"),
        ("[1]", "a JSON object"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: str, part: str) -> None:
    with pytest.raises(InputError, match=part):
        list(read_schemas(write(tmp_path, content)))


ITEMS = list(read_schemas(PACKAGED))


def pairs() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in ITEMS:
        found[item.cluster].append(item)
    return found


def test_thirty_twin_pairs_side_by_side() -> None:
    assert len(ITEMS) == 60
    assert [item.id for item in ITEMS] == [f"{name}-{n}" for name in pairs() for n in (1, 2)]


def test_twins_differ_in_one_word_behind_the_blank_and_in_their_answer() -> None:
    for first, second in pairs().values():
        a, b = (item.data["sentence"].split(" ") for item in (first, second))
        assert len(a) == len(b)
        (place,) = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        assert place > next(i for i, word in enumerate(a) if "_" in word)
        assert first.data["options"] == second.data["options"]
        assert {first.gold, second.gold} == {"0", "1"}


def test_both_options_stand_in_the_sentence() -> None:
    for item in ITEMS:
        first, second = item.data["options"]
        assert first not in second
        assert second not in first
        assert all(option in item.data["sentence"] for option in (first, second)), item.id


def test_answers_are_balanced_by_number_by_twin_and_by_order_of_mention() -> None:
    assert Counter(item.gold for item in ITEMS) == {"0": 30, "1": 30}
    assert Counter((item.id[-1], item.gold) for item in ITEMS) == Counter(
        {(n, gold): 15 for n in "12" for gold in "01"}
    )
    mentioned_first = [
        min(item.data["options"], key=item.data["sentence"].index) == item.data["options"][int(item.gold)]
        for item in ITEMS
    ]
    assert sum(mentioned_first) == 30


def test_no_two_are_alike() -> None:
    assert len({item.data["sentence"].lower() for item in ITEMS}) == 60
    assert len({frozenset(item.data["options"]) for item in ITEMS}) == 30
    stories = [frozenset(a.data["sentence"].lower().split()) for a, _ in pairs().values()]
    for i, a in enumerate(stories):
        for b in stories[:i]:
            assert len(a & b) / len(a | b) < 0.5


def test_a_sentence_may_begin_with_its_blank() -> None:
    assert any(item.data["sentence"].startswith("_") for item in ITEMS)
