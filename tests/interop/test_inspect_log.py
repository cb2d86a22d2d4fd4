"""Tests of reading logs of inspect where inspect is not installed; tests/engines/inspect reads real ones."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.interop.inspect import log as inspect_log
from probsense.interop.inspect.log import LogReader, read_log
from support.run_fakes import kept_of

PATH = Path("logs/a.eval")


def test_a_log_needs_inspect(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK")
    with pytest.raises(
        InputError,
        match=r"a\.eval: a log of inspect, which is not installed \(expected pip install .*\[inspect\]'\)",
    ):
        read_log(path)


def test_logs_are_recognised_by_their_names(tmp_path):
    reader = LogReader()
    assert not reader.recognises(tmp_path)
    (tmp_path / "a.eval").touch()
    assert reader.recognises(tmp_path)
    assert reader.recognises(tmp_path / "a.eval")
    assert not reader.recognises(tmp_path / "a.jsonl")


def sample(number: Any, *, metadata: Any = None, **values: Any) -> SimpleNamespace:
    scores = {name: SimpleNamespace(value=one, answer="x", metadata=metadata) for name, one in values.items()}
    return SimpleNamespace(id=number, input="Why?", target=["a", "b"], scores=scores)


def read(monkeypatch: pytest.MonkeyPatch, *samples: SimpleNamespace) -> Scores:
    log = SimpleNamespace(samples=[*samples], eval=SimpleNamespace(task="quiz", model="lab/model"))
    monkeypatch.setattr(inspect_log, "_load", lambda _: log)
    return read_log(PATH)


def test_grades_numbers_and_mappings_become_measures(monkeypatch):
    found = read(
        monkeypatch,
        sample(1, match="C", judge={"tone": 3, "tact": True}, words="fine"),
        sample(2, match="P", judge={"tone": None, "tact": False}, words="C"),
        sample(3, match="N", judge={"tone": 0.5, "tact": "no"}, words="I"),
        sample(4),
    )
    assert (found.name, found.task, found.measures) == (
        "lab/model",
        "quiz",
        ("match", "judge.tone", "judge.tact"),
    )
    assert found.scores.rows() == [(1, 3, 1), (0.5, None, 0), (0, 0.5, 0)]
    assert found.items.select("item", "cluster", "gold").row(0) == ("quiz/1", "quiz/1", "a | b")
    assert found.notes == (
        "not compared, because not all values are numbers or grades: words",
        f"1 samples of {PATH} have no scores",
    )


def test_epochs_are_averaged(monkeypatch):
    found = read(
        monkeypatch, sample(1, match="C"), sample(1, match="I"), sample(2, match="C"), sample(1, match="I")
    )
    assert found.scores["match"].to_list() == [pytest.approx(1 / 3), 1]


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([], "no samples with scores"),
        ([sample(1, words="fine")], "no measure has numbers or grades alone"),
        ([sample(1, much=10**400)], "no measure has numbers or grades alone"),
    ],
)
def test_logs_without_numbers_are_refused(samples, said, monkeypatch):
    with pytest.raises(InputError, match=rf"a\.eval: .*{said}"):
        read(monkeypatch, *samples)


@pytest.fixture(scope="module")
def run():
    return ps.evaluate("winogrande", "random:1", limit=6, quiet=True, store=None)


def own(run: ps.Run, **changed: Any) -> list[SimpleNamespace]:
    """Make the samples that our scorer would leave of a run."""
    kept = kept_of(run, **changed)
    return [
        sample(item, metadata={"probsense": own}, answers={"accuracy": 1.0}) for item, own in kept.items()
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("key", ["asked", "answers"])
@given(value=JSON)
def test_damage_to_what_our_scorer_kept_is_one_line(run, monkeypatch, key, value):
    with pytest.raises(InputError, match=r"a\.eval"):
        read(monkeypatch, *own(run, **{key: value}))


@pytest.mark.parametrize(
    "asked",
    [
        ["winogrande", 99, "{}", "options"],
        ["wino", 1, "{}", "options"],
        ["winogrande", 1, "[1]", "options"],
        ["winogrande", 1, '{"limit": "x"}', "options"],
        ["winogrande", 1, "{}", "labels"],
    ],
)
def test_what_cannot_be_asked_again_is_one_line(run, monkeypatch, asked):
    with pytest.raises(InputError, match=r"a\.eval"):
        read(monkeypatch, *own(run, asked=asked))
