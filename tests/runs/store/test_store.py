"""Tests of the store: answers, runs, and files that are no stores."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from probsense.core.errors import InputError
from probsense.core.records import (
    Failure,
    Item,
    LabelRequest,
    LabelResponse,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    request_key,
)
from probsense.models.registry import fingerprint
from probsense.runs.store.database import network_file_system
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz

MODEL = fingerprint(Clerk())


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        begin(opened)
        yield opened


def begin(store: Store, quiz: Quiz | None = None, seed: int = 0) -> str:
    quiz = quiz or Quiz()
    return store.start_run(quiz, quiz.items(), "options", seed, Clerk()).id


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        (ScoreRequest("a", (" b", " c"), " d"), "00b345000cff5a98b6d0ef434ecea176"),
        (LabelRequest("a", (("yes", ("yes",)), ("no", ("no",)))), "7580296db35657c7f56140540c2bc9af"),
        (SampleRequest("a", n=2), "facb9e46822249e28d116eac47744c10"),
    ],
)
def test_keys_are_those_of_the_first_stores(request_, key):
    """A change here makes every stored text be asked for again."""
    assert request_key(request_) == key


def test_the_first_answer_stays(store):
    one, two = SampleResponse(("one",)), SampleResponse(("two",))
    assert store.put(MODEL, [("a", one)]) == {"a": one}
    assert store.put(MODEL, [("a", two), ("b", two)]) == {"a": one, "b": two}
    assert store.get(MODEL, ["b", "a"]) == {"a": one, "b": two}
    assert store.get("0" * 32, ["a"]) == {}  # those of another model


def test_failures_are_kept_beside_answers(store):
    one, two = Failure("HTTP 503", 5), Failure("timed out \ud800", 2)
    assert store.put(MODEL, [("a", one), ("b", one)]) == {"a": one, "b": one}
    assert store.put(MODEL, [("a", two)]) == {"a": two}
    assert store.failures(MODEL, ["a", "b", "c"]) == {"a": Failure("timed out ?", 2), "b": one}
    assert store.put(MODEL, [("a", SampleResponse(("yes",)))]) == {"a": SampleResponse(("yes",))}
    assert store.put(MODEL, [("a", one), ("b", two)]) == {"a": SampleResponse(("yes",)), "b": two}
    assert store.get(MODEL, ["a", "b"]) == {"a": SampleResponse(("yes",))}
    assert store.failures(MODEL, ["a", "b"])["a"] == Failure("timed out ?", 2)  # it did not fail again
    assert store.failures("0" * 32, ["a"]) == {}


@pytest.mark.parametrize("bad", [LabelResponse({"a": math.nan}, 0.5), SampleResponse(("\ud800",))])
def test_a_batch_is_kept_whole_or_not_at_all(store, bad):
    with pytest.raises(ValueError, match=r"JSON compliant|surrogates"):
        store.put(MODEL, [("a", SampleResponse(("one",))), ("b", bad)])
    assert store.get(MODEL, ["a", "b"]) == {}


def test_other_words_are_another_run(store):
    ids = {
        begin(store),
        begin(store, seed=1),
        begin(store, Quiz(n=21)),
        begin(store, Quiz(version=2)),
        begin(store, Quiz(name="other")),
        store.start_run(Quiz(), Quiz().items(), "sample", 0, Clerk()).id,
        store.start_run(Quiz(), Quiz().items()[::-1], "options", 0, Clerk()).id,
    }
    assert len(ids) == 7
    assert {record.id for record in store.runs()} == ids


def test_items_come_back_in_order(store):
    items = [Item(f"i{k % 7}-{k}", "c", "ü", {"key": 2**62 + k, "list": [None, 0.1]}) for k in range(100)]
    items.append(items[0])
    run = store.start_run(Quiz(), items, "options", 0, Clerk())
    assert store.items(run) == items


@pytest.mark.parametrize(
    ("path", "create", "said"),
    [
        ("none.db", False, r"none\.db: no such store"),
        (".", True, "not a file"),
        ("file/store.db", True, "cannot be used as a store"),
    ],
)
def test_what_cannot_be_a_store(path, create, said, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=said):
        Store.open(tmp_path / path, create=create)
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_damaged_store(tmp_path):
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        begin(store)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\0" * (len(content) - 4096))
    with pytest.raises(InputError, match="malformed"), Store.open(path) as store:
        begin(store, seed=1)


def test_the_innermost_mount_counts(tmp_path):
    mounts = tmp_path / "mounts"
    lines = ("overlay / overlay", "s:/home /home nfs4", "/dev/sda /home/local ext4", "s /my\\040share cifs")
    mounts.write_text("".join(f"{line} rw 0 0\n" for line in lines))
    known = {"/tmp/a": "", "/home/me/a": "nfs4", "/home/local/a": "", "/homes/a": "", "/my share/x/a": "cifs"}
    assert {path: network_file_system(Path(path), mounts) for path in known} == known
    assert network_file_system(tmp_path / "a.db", tmp_path / "none") == ""


def test_many_may_make_the_same_store_at_once(tmp_path):
    for turn in range(5):
        ready = Barrier(6)

        def make(path: Path = tmp_path / f"{turn}.db", ready: Barrier = ready) -> str:
            ready.wait()
            with Store.open(path) as store:
                return begin(store)

        with ThreadPoolExecutor(6) as pool:
            made = [pool.submit(make) for _ in range(6)]
        assert len({future.result() for future in made}) == 1
