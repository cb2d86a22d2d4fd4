"""Tests of the store: answers, runs, and files that are no stores."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
    request_key,
    response_to_json,
)
from probsense.models.base import Finding
from probsense.models.registry import fingerprint
from probsense.runs.store.database import network_file_system
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz

MODEL = fingerprint(Clerk())
ONE = TokenLogprobs((-1.5,), ("ü",), 3, 4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
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
def test_keys_are_those_of_the_first_stores(request_: Request, key: str) -> None:
    """A change here makes every stored text be asked for again."""
    assert request_key(request_) == key


def test_the_first_answer_stays(store: Store) -> None:
    one, two = SampleResponse(("one",)), SampleResponse(("two",))
    assert store.put(MODEL, [("a", one)]) == {"a": one}
    assert store.put(MODEL, [("a", two), ("b", two)]) == {"a": one, "b": two}
    assert store.get(MODEL, ["b", "a"]) == {"a": one, "b": two}
    assert store.get("0" * 32, ["a"]) == {}  # those of another model


def test_what_the_server_said_of_itself_stays_with_the_answer(store: Store) -> None:
    said = {"model": "large-2", "system_fingerprint": "fp_1", "seed": 3}
    plain = SampleResponse(("one",))
    assert response_to_json(plain) == '{"texts":["one"]}'
    served = [
        SampleResponse(("one",), said),
        LabelResponse({"yes": 1.0}, 0.0, server=said),
        ScoreResponse((OptionScore(ONE, ONE, True),), said),
    ]
    assert plain == served[0]  # it is no part of the answer
    answers = {str(i): answer for i, answer in enumerate(served)}
    assert store.put(MODEL, [*answers.items()]) == answers
    found = store.get(MODEL, [*answers, "of no request"])
    assert found == answers
    assert [answer.server for answer in found.values()] == [said] * 3


def test_failures_are_kept_beside_answers(store: Store) -> None:
    one, two = Failure("HTTP 503", 5), Failure("timed out \ud800", 2)
    assert store.put(MODEL, [("a", one), ("b", one)]) == {"a": one, "b": one}
    assert store.put(MODEL, [("a", two)]) == {"a": two}
    assert store.failures(MODEL, ["a", "b", "c"]) == {"a": Failure("timed out ?", 2), "b": one}
    assert store.put(MODEL, [("a", SampleResponse(("yes",)))]) == {"a": SampleResponse(("yes",))}
    assert store.put(MODEL, [("a", one), ("b", two)]) == {"a": SampleResponse(("yes",)), "b": two}
    assert store.get(MODEL, ["a", "b"]) == {"a": SampleResponse(("yes",))}
    assert store.failures(MODEL, ["a", "b"])["a"] == Failure("timed out ?", 2)  # it did not fail again
    assert store.failures("0" * 32, ["a"]) == {}


def test_the_last_examination_of_a_model_is_kept_with_its_run(store: Store) -> None:
    class Examined(Clerk):
        findings = (
            Finding("echo", True, "log-probabilities of the prompt came back", {"tokens": 7}),
            Finding("same twice", False, "two answers differ"),
            Finding("BOS", None, "none is added"),
        )

    assert store.findings(begin(store)) == []
    model = Examined()
    run = store.start_run(Quiz(), Quiz().items(), "options", 0, model).id
    assert store.findings(run) == list(Examined.findings)
    model.findings = Examined.findings[:1]  # type: ignore[assignment]
    store.start_run(Quiz(), Quiz().items(), "options", 0, model)
    assert store.findings(run) == list(Examined.findings[:1])


@pytest.mark.parametrize("bad", [LabelResponse({"a": math.nan}, 0.5), SampleResponse(("\ud800",))])
def test_a_batch_is_kept_whole_or_not_at_all(store: Store, bad: Response) -> None:
    with pytest.raises(ValueError, match=r"JSON compliant|surrogates"):
        store.put(MODEL, [("a", SampleResponse(("one",))), ("b", bad)])
    assert store.get(MODEL, ["a", "b"]) == {}


def test_a_store_stays_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "store.db"
    with Store.open(path) as store:
        run = begin(store)
        store.put(MODEL, [("a", SampleResponse(("one",)))])
    with Store.open(path, create=False) as store:
        assert store.get(MODEL, ["a"]) == {"a": SampleResponse(("one",))}
        assert [record.id for record in store.runs()] == [run]
    assert [p.name for p in path.parent.iterdir()] == ["store.db"]


def test_other_words_are_another_run(store: Store) -> None:
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


def test_items_come_back_in_order(store: Store) -> None:
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
def test_what_cannot_be_a_store(path: str, create: bool, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=said):
        Store.open(tmp_path / path, create=create)
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_damaged_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        begin(store)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\0" * (len(content) - 4096))
    with pytest.raises(InputError, match="malformed"), Store.open(path) as store:
        begin(store, seed=1)


def test_many_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    for turn in range(5):
        ready = Barrier(6)

        def make(path: Path = tmp_path / f"{turn}.db", ready: Barrier = ready) -> str:
            ready.wait()
            with Store.open(path) as store:
                return begin(store)

        with ThreadPoolExecutor(6) as pool:
            made = [pool.submit(make) for _ in range(6)]
        assert len({future.result() for future in made}) == 1


MOUNTS = """\
overlay / overlay rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sda /home/local ext4 rw 0 0
share /mnt/my\\040share cifs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp/a.db", ""),
        ("/home/me/a.db", "nfs4"),
        ("/home/local/a.db", ""),
        ("/homes/a.db", ""),
        ("/mnt/my share/x/a.db", "cifs"),
    ],
)
def test_the_innermost_mount_counts(tmp_path: Path, path: str, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert network_file_system(Path(path), mounts) == kind
