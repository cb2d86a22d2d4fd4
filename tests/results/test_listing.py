"""Lists of runs."""

import pytest

import probsense as ps
from probsense.results.listing import COLUMNS, listed_runs, runs_table
from probsense.results.part import parts_of_runs
from probsense.results.profile_rows import profile_entries
from probsense.runs.store.store import Store


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PROBSENSE_CACHE", str(folder))
    return folder


def test_each_run_has_the_first_entry_of_its_profile(tmp_path):
    store = tmp_path / "a.db"
    done = [
        ps.evaluate("winogrande", "random", limit=4, store=store, quiet=True),
        ps.evaluate("worldsense", "random", limit=12, store=store, quiet=True),
        ps.evaluate("suite", "random", limit=6, store=store, quiet=True),
    ]
    for _ in range(2):  # the second time from the results that the store keeps
        table = ps.list_runs(store)
        assert table.columns == [*COLUMNS]
        assert table["run"].to_list() == [run.id for run in done]
        assert table["answered"].to_list() == [len(run.items) for run in done]
        for run, row in zip(done, table.iter_rows(named=True), strict=True):
            entry = profile_entries(parts_of_runs([run]))[0]
            assert (row["measure"], row["value"]) == (entry.row.title, entry.estimate.value)
    with Store.open(store) as opened:
        assert all(opened.results(run.id)[0] for run in done)


def test_what_is_unfinished_or_unknown_has_no_estimate(tmp_path):
    store = tmp_path / "a.db"
    ps.evaluate("winogrande", "random", limit=20, store=store, quiet=True)
    ps.evaluate("suite", "random", limit=6, store=store, quiet=True)
    with Store.open(store) as opened, opened._writing() as db:
        db.execute("DELETE FROM responses WHERE rowid <= 5")
        db.execute("UPDATE runs SET finished = NULL WHERE task = 'winogrande'")
        db.execute("UPDATE runs SET task = 'gone' WHERE task = 'suite'")
    interrupted, gone = listed_runs([store])
    assert [interrupted[name] for name in ("items", "answered", "measure", "value")] == [20, 15, None, None]
    assert (gone["answered"], gone["measure"]) == (None, None)
    cells = [row[4:] for row in runs_table([interrupted, gone]).rows]
    assert [cell[0] for cell in cells] == ["15 of 20", f"– of {gone['items']}"]
    assert [cell[2] for cell in cells] == ["unfinished", "–"]


def test_a_second_list_reads_no_answers(tmp_path, monkeypatch):
    store = tmp_path / "a.db"
    ps.evaluate("winogrande", "random", limit=4, store=store, quiet=True)
    first = listed_runs([store])
    with Store.open(store) as opened, opened._writing() as db:
        db.execute("DELETE FROM responses")
    assert listed_runs([store]) == first
    monkeypatch.setattr("probsense.runs.run.version", lambda name: "another")
    (anew,) = listed_runs([store])
    assert (anew["answered"], anew["measure"]) == (0, None)
