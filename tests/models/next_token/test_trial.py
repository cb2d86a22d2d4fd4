"""A verdict about a network is kept, as long as nothing changes on which it depends."""

import math

import pytest
import torch

from probsense.models.next_token.trial import Verdict, branching_sequences, compare, kept_verdict


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Trial:
    """Counts the trials."""

    def __init__(self, verdict):
        self.verdict, self.count = verdict, 0

    def __call__(self):
        self.count += 1
        return self.verdict


@pytest.mark.parametrize(
    "verdict", [Verdict(True), Verdict(False, "its attention is not told of its window")]
)
def test_a_network_is_tried_once(cache, verdict):
    trial = Trial(verdict)
    assert kept_verdict({"weights": "a", "dtype": "float32"}, trial) == verdict
    assert kept_verdict({"weights": "a", "dtype": "float32"}, trial) == verdict
    assert trial.count == 1
    kept_verdict({"weights": "b", "dtype": "float32"}, trial)
    kept_verdict({"weights": "a", "dtype": "float16"}, trial)
    assert trial.count == 3


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"passed": 1, "reason": ""}', '{"passed": true', "\0"])
def test_a_damaged_verdict_is_made_again(cache, text):
    trial = Trial(Verdict(False, "so"))
    kept_verdict({"weights": "a"}, trial)
    (path,) = cache.glob("verdicts/*.json")
    path.write_text(text)
    for _ in range(2):
        assert kept_verdict({"weights": "a"}, trial) == Verdict(False, "so")
    assert trial.count == 2


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "file"))
    trial = Trial(Verdict(True))
    assert kept_verdict({}, trial) == kept_verdict({}, trial) == Verdict(True)
    assert trial.count == 2


def test_a_branch_without_numbers_is_noticed_wherever_it_stands():
    sequences = branching_sequences(16)
    alone = [torch.full((len(ids), 16), -math.log(16)) for ids in sequences]
    assert compare([lambda _: alone], sequences, alone, 1e-4) == Verdict(True)
    for place in range(len(alone)):
        found = [rows * (math.nan if i == place else 1.0) for i, rows in enumerate(alone)]
        for noise in (0.0, 0.05):
            verdict = compare([lambda _, found=found: found], sequences, alone, 1e-4, noise)
            assert verdict.reason == "branches side by side give other numbers (by nan nats)"
