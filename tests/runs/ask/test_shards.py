"""Shards are parts of a run: each item is in one, what belongs together stays together, and beginnings are shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import Item, Request, SampleRequest, ScoreRequest
from probsense.runs.ask.plan import Shard, shard_items
from probsense.tasks.base import Answers, Method, Task


@dataclass(frozen=True)
class Asking(Task):
    """A task of which only the requests matter: the gold answer of an item is its prompt."""

    name: str = "asking"

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        if method == "sample":
            return [SampleRequest(item.gold, n=item.data["n"], max_tokens=1)]
        return [ScoreRequest(item.gold, ("a", "b"))]


def items_of(prompts: Sequence[str], clusters: Sequence[str] | None = None) -> list[Item]:
    clusters = clusters or [""] * len(prompts)
    return [
        Item(f"i{k}", cluster, prompt, {"n": 1})
        for k, (prompt, cluster) in enumerate(zip(prompts, clusters, strict=True))
    ]


def cut(items: Sequence[Item], of: int, method: Method = "options") -> list[list[Item]]:
    return [shard_items(Asking(), items, method, Shard(number, of)) for number in range(1, of + 1)]  # type: ignore[arg-type]


@given(
    st.lists(st.tuples(st.text("ab ", max_size=6), st.sampled_from("wxyz")), max_size=30),
    st.integers(1, 12),
)
def test_each_item_is_in_one_part_with_all_of_its_cluster(pairs: list[tuple[str, str]], of: int) -> None:
    items = items_of([prompt for prompt, _ in pairs], [cluster for _, cluster in pairs])
    parts = cut(items, of)
    assert Counter(item.id for part in parts for item in part) == Counter(item.id for item in items)
    homes: dict[str, int] = {}
    for number, part in enumerate(parts):
        assert [*map(items.index, part)] == sorted(map(items.index, part))
        for item in part:
            assert homes.setdefault(item.cluster, number) == number


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 8))
def test_parts_are_as_equal_as_items_allow(numbers: list[int], of: int) -> None:
    items = [Item(f"i{k}", "", "", {"n": n}) for k, n in enumerate(numbers)]
    even = sum(numbers) / of
    for part in cut(items, of, "sample"):
        assert abs(sum(item.data["n"] for item in part) - even) <= max(numbers)


def test_what_begins_alike_lies_in_one_part() -> None:
    stories = [f"{letter * 200} {end}" for end in range(8) for letter in "dbca"]
    parts = cut(items_of(stories), 4)
    assert [{item.gold[0] for item in part} for part in parts] == [{"a"}, {"b"}, {"c"}, {"d"}]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5", "1 / 3", "1.0/3", ""])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(InputError, match="as a shard"):
        Shard.parse(text)
