"""Leaderboards: who stands beside whom, in which order, and in which group."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

import probsense as ps
from probsense.core.errors import InputError
from probsense.results.comparisons import group_letters
from probsense.results.site.boards import Board, boards
from probsense.results.site.pages import board_title
from probsense.results.site.reading import read_runs

Ask = Callable[..., ps.Run]


def made(tmp_path: Path, *stores: str) -> list[Board]:
    runs, left_out = read_runs([tmp_path / store for store in stores or ("a.db",)])
    assert left_out == []
    return boards(runs)


def test_groups_and_ranks_are_those_of_compare(ask: Ask, tmp_path: Path) -> None:
    runs = [ask(f"random:{i}", i, "worldsense", limit=24) for i in range(3)]
    runs.append(ps.evaluate("worldsense", "oracle:", limit=24, store=tmp_path / "a.db", quiet=True))
    (board,) = made(tmp_path)
    found = ps.compare(*sorted(runs, key=lambda run: run.id), measure="accuracy")
    ranked = {one.model: one for one in found.ranking}
    assert board.compared == "Accuracy"
    assert len({one.groups for one in found.ranking}) > 1
    assert {row.name: (row.place.rank, row.place.groups) for row in board.rows if row.place} == {
        name: (one.rank, one.groups) for name, one in ranked.items()
    }
    assert [round(d.p_holm, 12) for d in board.differences] == [
        round(d.p_holm, 12) for d in found.differences
    ]
    values = [row.main.value for row in board.rows if row.main]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    assert group_letters((0, 1)) == "a b"


def test_a_cached_run_is_the_run(ask: Ask, tmp_path: Path) -> None:
    for task in ("worldsense", "judgments", "frames", "suite", "winogrande"):
        ask("random", 3, task)
    first, _ = read_runs([tmp_path / "a.db"])
    again, _ = read_runs([tmp_path / "a.db"])
    for one, two in zip(first, again, strict=True):
        assert one.contribution is not None
        assert two.contribution is not None
        assert two.contribution is not one.contribution
        assert one.key == two.key
        kept, read = one.contribution.to_json(), two.contribution.to_json()
        without = ("tables", "scores")
        assert {k: v for k, v in kept.items() if k not in without} == {
            k: v for k, v in read.items() if k not in without
        }
        assert [*one.contribution.replies.items()] == [*two.contribution.replies.items()]
        assert one.contribution.part.words is two.contribution.part.words
        before, after = one.contribution.part.results.tables, two.contribution.part.results.tables
        assert before.keys() == after.keys()
        for name, table in before.items():
            assert_frame_equal(table, after[name])
        for scores in ("items", "scores"):
            tables = (getattr(own.contribution.scores, scores) for own in (one, two))
            assert_frame_equal(*tables)


def test_other_questions_have_a_leaderboard_of_their_own(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1, limit=20)
    ask("two", 2, limit=20)
    ask("two", 2, limit=30)
    first, second = made(tmp_path)
    assert [row.name for row in second.rows] == ["two"]
    assert {row.name for row in first.rows} == {"one", "two"}
    assert (first.compared, second.compared) == ("Accuracy", "")
    short, long = sorted((first.slug, second.slug), key=len)
    assert short == "winogrande"
    assert long.startswith("winogrande-")
    assert [board_title(one, [first, second]) for one in (first, second)] == [
        "Winogrande, 20 questions",
        "Winogrande, 30 questions",
    ]


def test_models_are_compared_by_another_measure_where_items_have_no_score_of_the_first(
    ask: Ask, tmp_path: Path
) -> None:
    for seed in (1, 2):
        ask(f"random:{seed}", seed, "judgments", limit=12)
    (board,) = made(tmp_path)
    assert board.compared == "Majority agreement"


def test_two_ways_to_answer_the_same_questions_stand_side_by_side(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1, limit=20)
    ask("one", 1, limit=20, rule="sum")
    ask("two", 2, limit=20)
    (board,) = made(tmp_path)
    ids = sorted(row.run.record.id[:8] for row in board.rows if row.run.model == "one")
    assert sorted(row.name for row in board.rows) == sorted([f"one [{ids[0]}]", f"one [{ids[1]}]", "two"])


def test_models_of_one_name_in_two_stores_are_told_apart(
    ask: Ask, change: Callable[..., None], tmp_path: Path
) -> None:
    ask("same", 1)
    ask("same", 2, store="b.db")
    ask("same", 2, store="b.db", task="suite", input_dir="inputs")
    for store, weights in (("a.db", "aa"), ("b.db", "bb")):
        change(store, f"UPDATE models SET details = json_set(details, '$.weights', '{weights}')")
    winogrande, suite = made(tmp_path, "a.db", "b.db")
    first, second = sorted(row.name for row in winogrande.rows)
    assert first != second
    assert first.startswith("same [")
    assert suite.rows[0].name in (first, second)


def test_a_run_in_two_stores_stands_once(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1)
    (tmp_path / "b.db").write_bytes((tmp_path / "a.db").read_bytes())
    (board,) = made(tmp_path, "a.db", "b.db")
    assert len(board.rows) == 1


def test_an_unfinished_run_stands_last_with_what_it_has(
    ask: Ask, change: Callable[..., None], tmp_path: Path
) -> None:
    ask("one", 1)
    ask("two", 2)
    change(
        "a.db",
        "DELETE FROM responses WHERE fingerprint = (SELECT fingerprint FROM models WHERE name = 'one')"
        " AND rowid % 2 = 0",
        "UPDATE runs SET finished = NULL WHERE fingerprint = (SELECT fingerprint FROM models WHERE name = 'one')",
    )
    (board,) = made(tmp_path)
    last = board.rows[-1]
    assert (last.name, last.main, last.run.contribution, last.run.items) == ("one", None, None, 20)
    assert 0 < last.run.answered < 20
    assert board.rows[0].main is not None


def test_stores_without_runs_and_missing_ones_are_one_line(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1)
    with pytest.raises(InputError, match="no runs of frames"):
        read_runs([tmp_path / "a.db"], "frames")
    with pytest.raises(InputError, match=r"b\.db"):
        read_runs([tmp_path / "b.db"])
