"""The benchmark for an accelerator runs, here on a CPU and a model for trials."""

import time

import gpu


def test_a_trial_runs(tmp_path, capsys):
    sets = gpu.workloads()
    gpu.make("trial", {title: sets[title] for title in ("few-shot", "statements")}, "float32", tmp_path)
    asked = "hf", str(tmp_path), "trial", "float32", ["few-shot", "statements"], 2
    found = gpu.measure(*asked, until=time.time() + 100)
    assert [row["workload"] for row in found] == ["few-shot", "statements"]
    for row in found:
        assert row["computed"] == row["unique"] < row["naive"]
        assert 0 < row["of_peak"] < 1
        assert len(row["scores"]) == row["requests"]
    assert gpu.measure(*asked, until=0) == []
    gpu.show("trial", {"hf": found})
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()[-2:]]
    assert rows == [["few-shot", "hf", "8"], ["statements", "hf", "12"]]
