"""Short ids: unambiguous within their list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from probsense.results.short_ids import CUT, short_ids


@given(st.lists(st.text("ab0123456789/-…", max_size=40), max_size=30))
def test_different_ids_stay_different_and_are_parts_of_themselves(ids: list[str]) -> None:
    short = short_ids(ids)
    assert len({*zip(ids, short, strict=True)}) == len({*ids}) == len({*short})
    for whole, own in zip(ids, short, strict=True):
        assert (
            whole == own or whole.startswith(own.removesuffix(CUT)) or whole.endswith(own.removeprefix(CUT))
        )
        assert len(own) <= len(whole)


def test_long_numbers_and_paths_are_cut_and_words_are_not() -> None:
    assert short_ids(["-1541344430156928677", "1930818508151210446", "1930818999151210446"]) == [
        "-15413…",
        "19308185…",
        "19308189…",
    ]
    paths = [f"everyday/a long folder of tests/likely/{i}" for i in range(3)]
    assert short_ids(paths) == ["…kely/0", "…kely/1", "…kely/2"]
    assert short_ids(["bread-instrument", "4-q1", "everyday/likely/0"]) == [
        "bread-instrument",
        "4-q1",
        "everyday/likely/0",
    ]


def test_the_same_id_twice_is_short_twice() -> None:
    assert short_ids(["1930818508151210446"] * 2) == ["193081…"] * 2
