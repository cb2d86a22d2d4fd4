"""``probsense run --shard`` and ``probsense merge``."""

from __future__ import annotations

import json

from support.command import Probsense

ASK = ("run", "winogrande", "worldsense", "--model", "random", "--limit", 12)


def test_shards_end_with_the_figures_of_one_run(probsense: Probsense) -> None:
    for number in (1, 2, 3):
        done = probsense(*ASK, "--shard", f"{number}/3", "--store", f"shard-{number}.db")
        assert done.code == 0, done.err
        lines = done.out.splitlines()
        assert lines[0].startswith(f"winogrande, random, shard {number} of 3: ")
        assert lines[1].endswith(f"questions are answered in shard-{number}.db")
        assert f"winogrande, random, shard {number} of 3" in done.err
    one, two, three = (f"shard-{number}.db" for number in (1, 2, 3))
    said = probsense("merge", "all.db", three, one, one).out.splitlines()
    assert said[2] == f"{one}: answers 0 new, {said[1].split()[2]} known; runs 0 new"
    (last,) = json.loads(probsense("merge", "all.db", two, "--json").out)["merged"]
    assert (last["source"], last["runs"], last["known"], last["differing"]) == (two, 0, 0, 0)
    merged = probsense(*ASK, "--store", "all.db", "--json")
    assert merged.err.count("nothing to ask") == 2
    alone = probsense(*ASK, "--store", "one.db", "--json", "-q")
    for ours, theirs in zip(json.loads(merged.out)["runs"], json.loads(alone.out)["runs"], strict=True):
        assert ours["run"]["id"] == theirs["run"]["id"]
        for part in ("estimates", "coverage", "notes"):
            assert ours[part] == theirs[part]


def test_a_shard_as_json(probsense: Probsense) -> None:
    done = probsense(*ASK, "--shard", "1/20", "--json", "-q")
    document = json.loads(done.out)
    assert (document["shard"], document["store"]) == ([1, 20], "probsense.db")
    assert [run["task"] for run in document["runs"]] == ["winogrande", "worldsense"]
    for run in document["runs"]:
        assert run["asked"] == run["answered"]
        assert run["failed"] == 0
