"""The file of answers by itself: what is added stays, and two processes agree."""

from __future__ import annotations

from contextlib import closing

from probsense.studies.collect.participants import Person, assign, new_token
from probsense.studies.collect.storage import Storage
from support.studies.taking import START, make_study


def start(storage: Storage, participant: str = "", token: str | None = None) -> Person | None:
    study = storage.study()
    return storage.start(
        token or new_token(),
        (participant, "", ""),
        lambda loads, person: assign(study, loads, person),
        START,
        study.abandon_after,
    )


def test_the_file_is_its_owners(tmp_path):
    with closing(Storage.open(tmp_path / "new" / "a.db")):
        assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()} == {0o600}


def test_nothing_is_added_after_the_end(tmp_path):
    storage = Storage.open(None)
    storage.begin(make_study(tmp_path), START)
    person = start(storage)
    storage.add_answer(person.number, "1", {"q1": "yes"}, START)
    storage.end(person.number, "completion", START + 1)
    storage.end(person.number, "timed_out", START + 2)
    storage.add_answer(person.number, "1", {"q1": "no"}, START + 3)
    assert [given.values for given in storage.all_answers()] == [{"q1": "yes"}]
    assert (storage.people()[0].end, storage.people()[0].ended_at) == ("completion", START + 1)


def test_two_processes_give_no_place_twice(tmp_path):
    one = Storage.open(tmp_path / "answers.db")
    one.begin(make_study(tmp_path, per_item=3, per_person=2), START)
    two = Storage.open(tmp_path / "answers.db")
    found = [start(storage) for _ in range(5) for storage in (one, two)]
    assert sum(person is not None for person in found) == 5  # 9 places, by twos
    assert one.loads(START, 30) == two.loads(START, 30) == {"0/0": 3, "0/1": 3, "0/2": 3}


def test_what_was_asked_and_the_secret_stay(tmp_path):
    study = make_study(tmp_path)
    one = Storage.open(tmp_path / "answers.db")
    one.begin(study, START)
    key = one.key
    one.begin(study, START)
    one.begin(make_study(tmp_path, per_item=9), START)
    one.close()
    two = Storage.open_known(tmp_path / "answers.db")
    assert two.key == key
    assert two.study().blocks[0].per_item == 9


def test_waiting_for_the_disk_where_there_is_nothing_to_wait_for(tmp_path, monkeypatch):
    waited = []
    monkeypatch.setattr("os.fsync", waited.append)
    Storage.open(None).sync()
    storage = Storage.open(tmp_path / "answers.db")
    storage.begin(make_study(tmp_path), START)
    assert waited == []
    storage.sync()
    assert len(waited) == 1
    (tmp_path / "answers.db-wal").unlink()
    storage.sync()
    assert len(waited) == 1
