"""Who gets which questions: balanced, with the fewest people, by the seed."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from probsense.studies.collect.participants import (
    Person,
    assign,
    choose,
    new_token,
    people_needed,
    shown_order,
)
from probsense.studies.collect.storage import Storage
from support.studies.taking import CHECK, START, make_study

counts = st.integers(1, 12)


@given(
    loads=st.lists(st.integers(0, 6), min_size=1, max_size=12) | counts.map(lambda n: [0] * n),
    most=counts,
    wanted=counts,
    seed=counts,
)
def test_the_fewest_people_that_can_do_it(loads, most, wanted, seed):
    """They keep questions that began alike alike; the researcher's page says their number."""
    lacking = [max(wanted - load, 0) for load in loads]
    least = max(max(lacking), -(-sum(lacking) // min(most, len(loads))))
    assert people_needed(lacking, most) == least
    alike, chance, people = len({*loads}) == 1, Random(seed), 0
    while chosen := choose(loads, most, wanted, chance):
        assert len({*chosen}) == len(chosen) <= most
        people += 1
        assert people <= least
        for i in chosen:
            loads[i] += 1
        assert max(loads) - min(loads) <= 1 or not alike
        assert max(loads) <= wanted or not alike
    assert people == least
    assert min(loads) >= wanted


@given(data=st.data(), most=st.integers(1, 4), wanted=st.integers(1, 4), seed=st.integers(0, 99))
def test_arrivals_drop_outs_and_finishes_in_any_order(tmp_path_factory, data, most, wanted, seed):
    """Nobody begins at a question that has enough people; whoever comes back adds at most those in flight."""
    folder = tmp_path_factory.mktemp("study")
    study = make_study(folder, per_item=wanted, per_person=most, seed=seed, abandon_after=10)
    storage, now = Storage.open(None), START
    storage.begin(study, now)
    keys = ["0/0", "0/1", "0/2"]
    active = {}
    finished = dict.fromkeys(keys, 0)
    returned = dict.fromkeys(keys, 0)

    def arrive() -> Person | None:
        return storage.start(new_token(), ("", "", ""), lambda loads, n: assign(study, loads, n), now, 10)

    def keys_of(person: int) -> tuple[str, ...]:
        found = storage.find(person, "person")
        return () if found is None else found.keys

    def in_flight() -> dict[str, int]:
        found = dict.fromkeys(keys, 0)
        for person in storage.people():
            if person.number in active and now - active[person.number] <= 600_000:
                for key in person.keys:
                    found[key] += 1
        return found

    for _ in range(data.draw(st.integers(1, 20))):
        before = in_flight()
        match data.draw(st.sampled_from(("arrive", "arrive", "finish", "drop out", "come back"))):
            case "arrive":
                open_ = [key for key in keys if finished[key] + before[key] < wanted]
                person = arrive()
                assert (person is not None) == bool(open_)
                if person is not None:
                    assert len({*person.keys}) == len(person.keys) == min(most, len(open_))
                    assert {*person.keys} <= {*open_}
                    active[person.number] = now
            case "finish" if active:
                person = data.draw(st.sampled_from(sorted(active)))
                late = now - active.pop(person) > 600_000
                storage.end(person, "completion", now)
                for key in keys_of(person):
                    finished[key] += 1
                    returned[key] += late
            case "drop out":
                now += 700_000
            case "come back" if active:
                person = data.draw(st.sampled_from(sorted(active)))
                late = now - active[person] > 600_000
                storage.add_answer(person, "instructions", {}, now)
                active[person] = now
                for key in keys_of(person):
                    returned[key] += late
        assert storage.loads(now, 10) == {
            key: count for key in keys if (count := finished[key] + in_flight()[key])
        }
        for key in keys:
            assert finished[key] <= wanted + returned[key]
    # Whatever happened, enough further people complete every question.
    for _ in range(len(keys) * wanted + 1):
        if (person := arrive()) is None:
            break
        storage.end(person.number, "completion", now)
    assert all(storage.loads(now, 10)[key] >= wanted for key in keys)


def test_the_seed_decides_and_people_differ(tmp_path):
    study = make_study(tmp_path, per_person=2)
    drawn = [assign(study, {}, person) for person in range(1, 90)]
    assert drawn == [assign(study, {}, person) for person in range(1, 90)]
    assert len({tuple(keys) for keys in drawn}) == 6
    other = make_study(tmp_path, per_person=2, seed=1)
    assert drawn != [assign(other, {}, person) for person in range(1, 90)]


def test_a_fixed_order_is_that_of_the_file(tmp_path):
    study = make_study(tmp_path, per_person=2, order="fixed")
    for person in range(1, 20):
        keys = assign(study, {}, person)
        assert keys == sorted(keys)
    assert shown_order(study, 3, "0/0", 4) == [0, 1, 2, 3]
    random = make_study(tmp_path)
    assert len({tuple(shown_order(random, n, "0/0", 3)) for n in range(40)}) == 6


def test_checks_come_among_the_questions_and_never_first(tmp_path):
    study = make_study(tmp_path, checks=[CHECK, {**CHECK, "text": "Blue again."}])
    places = set()
    for person in range(1, 60):
        keys = assign(study, {}, person)
        assert sorted(keys) == ["0/0", "0/1", "0/2", "check/0", "check/1"]
        assert not keys[0].startswith("check")
        places.add(tuple(key.startswith("check") for key in keys))
    assert len(places) == 3  # Never two in a row, and at every other place.
    assert assign(study, {"0/0": 5, "0/1": 5, "0/2": 5}, 1) == []
