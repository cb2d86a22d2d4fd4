"""The file of answers by itself: what is added stays, and two processes agree."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

from hypothesis import example, given
from hypothesis import strategies as st

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
    assert person is not None
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
    waited: list[int] = []
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


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["start", "end", "out", "see", "wait", "forget", "count"]),
        st.integers(1, 3),
        st.integers(0, 1),
    ),
    max_size=25,
)


@given(steps=STEPS)
@example(steps=[("start", 1, 0), ("count", 1, 0), ("forget", 1, 1)])
@example(steps=[("start", 1, 0), ("count", 1, 0), ("wait", 1, 0), ("wait", 1, 0)])
@example(steps=[("start", 1, 0), ("wait", 1, 0), ("wait", 1, 0), ("count", 1, 0), ("see", 1, 1)])
def test_people_who_count_are_counted_anew_whatever_happens_in_between(tmp_path_factory, steps):
    """Two processes that know different parts of what happened count as the tables say."""
    folder = tmp_path_factory.mktemp("loads")
    both = [Storage.open(folder / "a.db") for _ in range(2)]
    study, now = make_study(folder, per_item=90, per_person=2), START
    both[0].begin(study, now)
    for what, person, which in [*steps, ("count", 1, 0), ("count", 1, 1)]:
        storage = both[which]
        known = storage.find(person, "person")
        match what:
            case "start":
                storage.start(new_token(), ("", "", ""), lambda loads, n: assign(study, loads, n), now, 30)
            case "end" | "out" if known:
                storage.end(person, "completion" if what == "end" else "screened_out", now)
            case "see" if known:
                storage.add_answer(person, "1", {"q1": "yes"}, now)
            case "wait":
                now += 20 * 60_000
            case "forget" if known:
                storage.forget(person, now)
        if what == "count":
            counting = [
                one
                for one in storage.people()
                if one.end == "completion" or (one.end is None and one.seen >= now - 30 * 60_000)
            ]
            assert storage.loads(now, 30) == Counter(key for one in counting for key in one.keys)
    for storage in both:
        storage.close()
