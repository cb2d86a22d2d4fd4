from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.interop.lm_eval.reader import read_lm_eval
from support.run_fakes import kept_of


def sample(number: int, acc: float, **more: Any) -> dict[str, Any]:
    """As version 0.4.13 writes it with --log_samples."""
    return {
        "doc_id": number,
        "doc": {"question": f"Which is {number}?", "choices": ["one", "two"], "label": 0},
        "target": "0",
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": " one"}},
        "resps": [[["-0.5", "False"]], [["-0.25", "False"]]],
        "filtered_resps": [["-0.5", "False"], ["-0.25", "False"]],
        "filter": "none",
        "metrics": ["acc", "brier_score"],
        "doc_hash": "c4fc",
        "prompt_hash": "96d8",
        "target_hash": "5fec",
        "acc": acc,
        "brier_score": [0, "[0.55 0.44]"],
        **more,
    }


def write(path: Path, samples: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in samples))
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "org__model"


NAME = "samples_toy_2026-11-20T19-05-17.585877.jsonl"


def test_a_task(folder):
    (found,) = read_lm_eval(write(folder / NAME, [sample(0, 1.0), sample(1, 0.0)]))
    assert (found.name, found.task, found.measures) == ("org__model", "toy", ("acc",))
    assert found.scores["acc"].to_list() == [1, 0]
    known = found.items.select("item", "cluster", "part", "gold", "label", "text")
    assert known.row(1) == ("toy/1", "toy/1", "toy", "0", "1", "Which is 1?")
    assert found.notes == ("not compared, because not all values are numbers: brier_score",)


def test_filters_are_measures_of_their_own(folder):
    rows = [
        sample(k, 0, filter=sieve, metrics=["exact_match"], exact_match=score, filtered_resps=["seven"])
        for sieve, score in (("strict", False), ("flexible", True))
        for k in (0, 1)
    ]
    (found,) = read_lm_eval(write(folder / NAME, rows))
    assert found.measures == ("exact_match,strict", "exact_match,flexible")
    assert found.scores.row(0) == (0, 1)
    assert found.items["label"].to_list() == ["seven"] * 2


def test_files_from_before_metrics_were_named(folder):
    old = sample(0, 1.0, acc_norm=0.0)
    for key in ("metrics", "filter", "doc_hash"):
        del old[key]
    assert read_lm_eval(write(folder / NAME, [old]))[0].measures == ("acc", "acc_norm")


def test_a_folder_has_the_newest_of_each_task(folder):
    for task, date, acc in (("a", "2026-01-02", 1), ("a", "2026-01-01", 0), ("b_c", "2026-01-01", 0)):
        write(folder / f"samples_{task}_{date}T00-00-00.5.jsonl", [sample(0, acc)])
    (found,) = read_lm_eval(folder)
    assert found.task == "lm-eval"
    assert found.items["item"].to_list() == ["a/0", "b_c/0"]
    assert found.items["part"].to_list() == ["a", "b_c"]
    assert found.scores["acc"].to_list() == [1, 0]


def test_what_is_no_unicode_is_replaced(folder):
    (found,) = read_lm_eval(write(folder / NAME, [sample(0, 1.0, doc={"question": "\ud800?"}, target=3)]))
    assert found.items["text"].to_list() == ["??"]
    assert found.items["gold"].to_list() == ["3"]


@pytest.fixture(scope="module")
def run():
    return ps.evaluate("winogrande", "random:1", limit=6, quiet=True, store=None)


def own(run: ps.Run, **changed: Any) -> list[dict[str, Any]]:
    """Make the samples that our task would leave of a run."""
    return [
        sample(
            number,
            0.0,
            doc={"id": item, "text": "So?", "probsense": kept},
            metrics=["acc", "acc_stderr"],
            acc_stderr=None,
        )
        for number, (item, kept) in enumerate(kept_of(run, **changed).items())
    ]


def test_in_a_folder_each_of_our_tasks_is_a_run_beside_the_others(run, folder):
    write(folder / NAME, own(run))
    write(folder / NAME.replace("toy", "other"), [sample(0, 1.0)])
    ours, others = read_lm_eval(folder)
    assert (ours.name, ours.detail, ours.task) == ("org__model", "options", "winogrande")
    level = ps.compare(ours, run).levels
    assert level[0].value == level[1].value == run.summary()[0].value
    assert level[0].clusters == len({item.cluster for item in run.items}) < len(run.items)
    assert (others.task, others.items["part"].to_list()) == ("lm-eval", ["other"])


FAULTS = {
    "empty": ([], "is empty"),
    "no doc": ([{"Key": 1, "resp": "TRUE"}], "line 1: not a sample"),
    "twice": ([sample(0, 1), sample(0, 0)], "line 2: document 0 comes again"),
    "no metric": ([{k: v for k, v in sample(0, 1).items() if k != "acc"}], "line 1: lacks its metric 'acc'"),
    "no number": ([sample(0, 1, metrics=["brier_score"])], "no measure has numbers alone"),
    "no list": ([sample(0, 1, metrics=7)], "line 1: metrics is 7"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(folder, fault):
    samples, said = FAULTS[fault]
    with pytest.raises(InputError, match=said):
        read_lm_eval(write(folder / NAME, samples))


def test_a_folder_without_samples(tmp_path):
    with pytest.raises(InputError, match="no samples found"):
        read_lm_eval(tmp_path)
