"""``probsense run --shard`` and ``probsense merge``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ASK = ("run", "winogrande", "worldsense", "--model", "random:", "--limit", 40)


def test_shards_end_with_the_figures_of_one_run(probsense, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        done = probsense(*ASK, "--shard", f"{number}/3", "--store", f"shard-{number}.db")
        assert done.code == 0, done.err
        lines = done.out.splitlines()
        assert lines[0].startswith(f"winogrande, random:, shard {number} of 3: ")
        assert lines[1].endswith(f"questions are answered in shard-{number}.db")
        assert f"winogrande, random:, shard {number} of 3" in done.err
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


def test_a_shard_as_json(probsense) -> None:
    done = probsense(*ASK, "--shard", "1/50", "--json", "-q")
    document = json.loads(done.out)
    assert (document["shard"], document["store"]) == ([1, 50], "probsense.db")
    assert [run["task"] for run in document["runs"]] == ["winogrande", "worldsense"]
    for run in document["runs"]:
        assert run["asked"] == run["answered"]
        assert run["failed"] == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--shard", "4/3"), "'4/3' as a shard (expected number/of, from 1/8 to 8/8 for eight)"),
        (("--shard", "1/3", "--report", "a.html"), "--shard with --report, --write-results or --dry-run"),
        (("--shard", "1/3", "--dry-run"), "--shard with --report"),
    ],
)
def test_what_does_not_go(probsense, tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    done = probsense(*ASK, *more)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "probsense.db").exists()


def test_merging_what_is_not_there(probsense, tmp_path: Path) -> None:
    done = probsense("merge", "all.db", "none.db")
    assert (done.code, done.err) == (2, "probsense: none.db: no such store\n")
    assert not (tmp_path / "all.db").exists()
