from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.interop.lm_eval.reader import read_lm_eval, task_of


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
def folder(tmp_path: Path) -> Path:
    return tmp_path / "org__model"


NAME = "samples_toy_2026-11-20T19-05-17.585877.jsonl"


def test_a_task(folder: Path) -> None:
    (found,) = read_lm_eval(write(folder / NAME, [sample(0, 1.0), sample(1, 0.0)]))
    assert (found.name, found.task, found.measures) == ("org__model", "toy", ("acc",))
    assert found.scores["acc"].to_list() == [1, 0]
    assert found.items.row(1, named=True) == {
        "item": "toy/1",
        "cluster": "toy/1",
        "part": "toy",
        "stratum": None,
        "form": None,
        "setting": None,
        "weight": 1.0,
        "gold": "0",
        "label": "1",
        "text": "Which is 1?",
    }
    assert found.notes == ("not compared, because their values are not single numbers: brier_score",)


def test_filters_are_measures_of_their_own(folder: Path) -> None:
    rows = [
        sample(k, 0, filter=sieve, metrics=["exact_match"], exact_match=score, filtered_resps=["seven"])
        for sieve, score in (("strict", False), ("flexible", True))
        for k in (0, 1)
    ]
    (found,) = read_lm_eval(write(folder / NAME, rows))
    assert found.measures == ("exact_match,strict", "exact_match,flexible")
    assert found.scores.row(0) == (0, 1)
    assert found.items["label"].to_list() == ["seven"] * 2


def test_files_from_before_metrics_were_named(folder: Path) -> None:
    old = sample(0, 1.0, acc_norm=0.0)
    for key in ("metrics", "filter", "doc_hash"):
        del old[key]
    assert read_lm_eval(write(folder / NAME, [old]))[0].measures == ("acc", "acc_norm")


def test_a_folder_has_the_newest_of_each_task(folder: Path) -> None:
    for task, date, acc in (("a", "2026-01-02", 1), ("a", "2026-01-01", 0), ("b_c", "2026-01-01", 0)):
        write(folder / f"samples_{task}_{date}T00-00-00.5.jsonl", [sample(0, acc)])
    (found,) = read_lm_eval(folder)
    assert found.task == "lm-eval"
    assert found.items["item"].to_list() == ["a/0", "b_c/0"]
    assert found.items["part"].to_list() == ["a", "b_c"]
    assert found.scores["acc"].to_list() == [1, 0]


def test_the_task_of_a_file() -> None:
    assert task_of(Path(NAME)) == "toy"
    assert task_of(Path("samples_mmlu_law.jsonl")) == "mmlu_law"


def test_what_is_no_unicode_is_replaced(folder: Path) -> None:
    (found,) = read_lm_eval(write(folder / NAME, [sample(0, 1.0, doc={"question": "\ud800?"}, target=3)]))
    assert found.items["text"].to_list() == ["??"]
    assert found.items["gold"].to_list() == ["3"]


def own(number: int, accuracy: float | None, **more: Any) -> dict[str, Any]:
    """A sample of one of our tasks, two of which share a cluster."""
    known = {
        "task": "worldsense",
        "item": f"i{number}",
        "cluster": f"c{number // 2}",
        "part": "Infer.normal",
        "stratum": "Infer.normal 3",
        "weight": 0.25 + 0.25 * (number % 2),
        "gold": "TRUE",
        "scores": {"accuracy": accuracy, "bias": -1.0, "right": True},
        **more,
    }
    doc = {"text": "So?", "probsense": known}
    return sample(number, accuracy or 0.0, doc=doc, metrics=["acc", "acc_stderr"], acc_stderr=None)


def test_samples_of_our_own_tasks_are_those_of_a_run(folder: Path) -> None:
    file = write(folder / NAME, [own(0, 1.0), own(1, None)])
    for path in (file, folder):
        (found,) = read_lm_eval(path)
        assert (found.name, found.detail, found.task) == ("org__model", "lm-eval", "worldsense")
        assert found.measures == ("accuracy", "bias", "right")
        assert found.scores.row(1) == (None, -1, 1)
        assert found.items.select("item", "cluster", "stratum", "weight").rows() == [
            ("i0", "c0", "Infer.normal 3", 0.25),
            ("i1", "c0", "Infer.normal 3", 0.5),
        ]


def test_in_a_folder_each_of_our_tasks_keeps_its_clusters(folder: Path) -> None:
    write(folder / NAME, [own(0, 1.0), own(1, 1.0)])
    write(folder / NAME.replace("toy", "second"), [own(0, 1.0, task="frames")])
    write(folder / NAME.replace("toy", "other"), [sample(0, 1.0)])
    frames, ours, others = sorted(read_lm_eval(folder), key=lambda one: one.task == "lm-eval")
    assert {frames.task, ours.task} == {"frames", "worldsense"}
    assert ours.items["cluster"].to_list() == ["c0", "c0"] or frames.items["cluster"].to_list() == [
        "c0",
        "c0",
    ]
    assert (others.task, others.items["part"].to_list()) == ("lm-eval", ["other"])


FAULTS: dict[str, tuple[list[Any], str]] = {
    "empty": ([], "is empty"),
    "no doc": ([{"Key": 1, "resp": "TRUE"}], "line 1: not a sample"),
    "twice": ([sample(0, 1), sample(0, 0)], "line 2: document 0 comes again"),
    "no metric": ([{k: v for k, v in sample(0, 1).items() if k != "acc"}], "line 1: lacks its metric 'acc'"),
    "no number": ([sample(0, 1, metrics=["brier_score"])], "no measure is a number"),
    "no list": ([sample(0, 1, metrics=7)], "line 1: metrics is 7"),
    "another task": ([own(0, 1), own(1, 1, task="frames")], "line 2: doc.probsense.task is 'frames'"),
    "no item": ([own(0, 1, item=None)], "line 1: doc.probsense.item is nothing"),
    "no weight": ([own(0, 1, weight="much")], "line 1: doc.probsense.weight is 'much'"),
    "no score": ([own(0, 1, scores={"accuracy": "C"})], "line 1: doc.probsense.scores.accuracy is 'C'"),
    "no mapping": ([own(0, 1, scores=[1])], r"line 1: doc.probsense.scores is \[1\]"),
    "not ours": ([own(0, 1), sample(1, 1)], "line 2: a document without its item"),
    "an item twice": ([own(0, 1), own(0, 1)], "'i0' stands twice"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(folder: Path, fault: str) -> None:
    samples, said = FAULTS[fault]
    with pytest.raises(InputError, match=said):
        read_lm_eval(write(folder / NAME, samples))


def test_a_folder_without_samples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no samples found"):
        read_lm_eval(tmp_path)
