"""The schemas of the package: sound twins, balanced answers, no two alike."""

from __future__ import annotations

from collections import Counter, defaultdict

from probsense.records import Item
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas

ITEMS = list(read_schemas(PACKAGED))


def pairs() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in ITEMS:
        found[item.cluster].append(item)
    return found


def test_thirty_twin_pairs_side_by_side() -> None:
    assert len(ITEMS) == 60
    assert [item.id for item in ITEMS] == [f"{name}-{n}" for name in pairs() for n in (1, 2)]


def test_twins_differ_in_one_word_behind_the_blank_and_in_their_answer() -> None:
    for first, second in pairs().values():
        a, b = (item.data["sentence"].split(" ") for item in (first, second))
        assert len(a) == len(b)
        (place,) = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        assert place > next(i for i, word in enumerate(a) if "_" in word)
        assert first.data["options"] == second.data["options"]
        assert {first.gold, second.gold} == {"0", "1"}


def test_both_options_stand_in_the_sentence() -> None:
    for item in ITEMS:
        first, second = item.data["options"]
        assert first not in second
        assert second not in first
        assert all(option in item.data["sentence"] for option in (first, second)), item.id


def test_answers_are_balanced_by_number_by_twin_and_by_order_of_mention() -> None:
    assert Counter(item.gold for item in ITEMS) == {"0": 30, "1": 30}
    assert Counter((item.id[-1], item.gold) for item in ITEMS) == Counter(
        {(n, gold): 15 for n in "12" for gold in "01"}
    )
    mentioned_first = [
        min(item.data["options"], key=item.data["sentence"].index) == item.data["options"][int(item.gold)]
        for item in ITEMS
    ]
    assert sum(mentioned_first) == 30


def test_no_two_are_alike() -> None:
    assert len({item.data["sentence"].lower() for item in ITEMS}) == 60
    assert len({frozenset(item.data["options"]) for item in ITEMS}) == 30
    stories = [frozenset(a.data["sentence"].lower().split()) for a, _ in pairs().values()]
    for i, a in enumerate(stories):
        for b in stories[:i]:
            assert len(a & b) / len(a | b) < 0.5


def test_a_sentence_may_begin_with_its_blank() -> None:
    assert any(item.data["sentence"].startswith("_") for item in ITEMS)
