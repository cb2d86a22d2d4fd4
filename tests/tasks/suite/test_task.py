"""Suites as a task: the text that is fed, the distributions, the figures."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.runs.evaluate import evaluate
from probsense.show.charts import task_charts
from probsense.tasks.results import Results
from probsense.tasks.suite.task import Suite
from probsense.tasks.suite.words import WORDS, queries_table
from support.drawing import HOSTILE, drawn, tips

Answer = Callable[[Any, Any], Any]
Logprob = Callable[[str], float]

TEXTS = {"p": "Instructions.\n", "q": "Few shots:\nice -> cold\nfire -> hot"}
CONTEXTS = [("Snow falls.", 1), ("A stove is lit.", 0), ("Nobody knows.", -1)]
QUERIES = ["warm", "cold\nas ice", " neither"]


def write(folder: Path) -> Path:
    """Two prompts with two tests each."""
    for prompt, text in TEXTS.items():
        (folder / f"{prompt}.txt").write_text(text, encoding="utf-8")
        for test, contexts in (("a", CONTEXTS), ("b", CONTEXTS[:1])):
            content = {
                "pretext": "",
                "context": [{"text": text, "expected": expected} for text, expected in contexts],
                "posttext": "It gets:" if test == "a" else "",
                "queries": QUERIES,
            }
            (folder / f"{prompt}_{test}.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path)


def measured(task: Suite, answer: Answer) -> Results:
    """What the answers of one model amount to."""
    items = task.questions
    return task.measure(items, "options", answer(task, items), {"model": "m", "prompting": "options"})


def original_text(prompt: str, *parts: str) -> str:
    """What is before the query, as ProbSem joins it: prompt, text and query by line breaks."""
    return "\n".join([TEXTS[prompt], "\n".join(part for part in parts if part != ""), ""])


def test_the_text_that_is_fed(folder):
    task = Suite(["p", "q"], ["a", "b"], input_dir=folder)
    expected = {
        f"{prompt}/{test}/{number}": ScoreRequest(
            original_text(prompt, text, "It gets:" if test == "a" else ""), tuple(QUERIES)
        )
        for prompt in "pq"
        for test, contexts in (("a", CONTEXTS), ("b", CONTEXTS[:1]))
        for number, (text, _) in enumerate(contexts)
    }
    asked = {item.id: task.requests(item, "options", {}) for item in task.questions}
    assert list(asked) == list(expected)
    assert all(requests == [expected[name]] for name, requests in asked.items())
    assert all(requests[0].item == name for name, requests in asked.items())


def test_a_neutral_prefix_is_asked_once_and_ends_its_line(folder):
    task = Suite("p", "a", input_dir=folder, neutral="Answer:", rule="pmi")
    asked = [task.requests(item, "options", {}) for item in task.questions]
    assert {requests[1] for requests in asked} == {ScoreRequest("Answer:\n", tuple(QUERIES))}
    bare = Suite("p", "a", input_dir=folder, neutral="")
    assert bare.requests(bare.questions[0], "options", {})[1] == ScoreRequest("", tuple(QUERIES))


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("temp", [0.25, 1.0, 3.0])
def test_distributions_against_the_sums_written_out(folder, answer, character_logprob, norm, temp):
    task = Suite("q", ["a", "b"], input_dir=folder, norm=norm, temp=temp)
    frame = task.distributions(task.questions, answer(task, task.questions))
    rows = iter(frame.rows(named=True))
    for test, contexts, post in (("a", CONTEXTS, "It gets:"), ("b", CONTEXTS[:1], "")):
        for text, _ in contexts:
            before = original_text("q", text, post)
            logps = []
            for query in QUERIES:
                whole = before + query
                tokens = [character_logprob(whole[: i + 1]) for i in range(len(before), len(whole))]
                logps.append(sum(tokens) / len(tokens) if norm else sum(tokens))
            total = sum(math.exp(x / temp) for x in logps)
            for query, logp in zip(QUERIES, logps, strict=True):
                row = next(rows)
                assert (row["prompt"], row["test"], row["query"]) == ("q", test, query)
                assert row["text"] == (f"{text}\n{post}" if post else text)
                assert row["logp"] == pytest.approx(logp, rel=0, abs=1e-12)
                assert row["score"] == pytest.approx(math.exp(logp / temp) / total, rel=0, abs=1e-12)
    assert next(rows, None) is None


def test_the_figures_leave_out_what_has_no_expected_query(folder, answer):
    task = Suite(["p", "q"], ["a", "b"], input_dir=folder)
    found = measured(task, answer)
    table = found.table
    assert table is not None
    assert table["suite"].to_list() == ["p a"] * 3 + ["p b"] + ["q a"] * 3 + ["q b"]
    assert table["gold"].to_list() == [1, 0, None, 1] * 2
    right = [row["resp"] == row["gold"] for row in table.drop_nulls("gold").rows(named=True)]
    accuracy = {
        e.by.get("problem"): e for e in found.estimates if e.measure == "accuracy" and e.by["view"] == "sum"
    }
    assert list(accuracy) == [None, "p a", "p b", "q a", "q b"]
    assert accuracy[None].value == pytest.approx(sum(right) / 6)
    assert accuracy[None].n == accuracy[None].clusters == 6
    assert accuracy["q a"].value == pytest.approx(sum(right[3:5]) / 2)
    assert [row["with_gold"] for row in found.coverage] == [6]
    assert any("2 of 8 items have no right option" in note for note in found.notes)


def test_the_packaged_example_is_asked_without_a_prompt_and_says_so():
    run = evaluate("suite", "random:1", store=None, quiet=True)
    assert len(run.items) == 9
    assert {item.data["prompt"] for item in run.items} == {"everyday"}
    assert any("example suite" in note for note in run.results.notes)
    assert len(evaluate("suite", "random:1", store=None, quiet=True, limit=4).items) == 4


def test_the_options_record_what_was_asked_for(folder):
    task = Suite(["p", "q", "p"], "a", input_dir=folder, temp=2, rule="pmi", neutral="So:", limit=4, seed=7)
    again = Suite(**task.options)
    assert again.options == task.options
    assert list(again.questions) == list(task.questions)
    assert json.loads(json.dumps(task.options)) == task.options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": "p"}, "without a test .*one of the tests a, b"),
        ({"prompt": "x"}, "without a test .*the name of a test"),
        ({"test": "a"}, "without a prompt"),
        ({"temp": 0}, "temperature 0"),
        ({"temp": math.nan}, "temperature nan"),
        ({"rule": "best"}, "no such rule: 'best'"),
        ({"rule": "partial"}, "compares suffixes"),
        ({"rule": "pmi"}, "neutral prefix"),
        ({"rule": "sum", "norm": True}, "norm means the rule 'token'"),
    ],
)
def test_what_cannot_be_is_refused(folder, options, message):
    with pytest.raises(InputError, match=message):
        Suite(**{"input_dir": folder} | options)
    assert Suite(norm=True, rule="token").rule == Suite(norm=True).rule == "token"


def test_table_and_chart_have_the_distribution_of_each_context_whatever_is_expected():
    columns = ["suite", "context", "text", "model", "query", "score"]
    rows = [
        ("s", context, text, model, query, score)
        for context, text in (("c1", "Milk\nturns."), ("c2", f"Cars {HOSTILE}."))
        for model, first in (("a", 0.25), ("b", 0.5))
        for query, score in (("in the fridge", first), (HOSTILE, 1 - first))
    ]
    tables = {"queries": pl.DataFrame(rows, schema=columns, orient="row")}
    table = queries_table(tables, 6)
    assert table.columns[1:] == ("a", "b")
    assert table.rows[:2] == (("Milk turns.", "", ""), ("  in the fridge", "25.0", "50.0"))
    assert table.rows[2][1:] == ("75.0", "50.0")
    assert (len(table.rows), table.title) == (6, "Probabilities of queries in %")
    assert queries_table(tables, 1).title.endswith("(--full shows 1 more)")
    (chart,) = task_charts([], tables, WORDS)
    assert "a, in the fridge: 25.0 %" in tips(drawn(chart)[0])
