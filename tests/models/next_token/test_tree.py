"""Trees and packs against slow, obvious ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probsense.models.next_token.reading import Need
from probsense.models.next_token.tree import build, next_pack

# Few different tokens, so that prefixes are shared; one above 2**16, whose bytes must sort as numbers do.
TOKENS = st.lists(st.sampled_from([0, 1, 2, 70_000]), min_size=1, max_size=9)
NEEDS = st.lists(
    TOKENS.flatmap(lambda ids: st.tuples(st.just(ids), st.integers(0, len(ids) - 1))), max_size=12
)


def needs_of(pairs):
    return [Need(np.array(ids, np.int32), first) for ids, first in pairs]


@given(NEEDS, st.integers(0, 20), st.integers(0, 5), st.integers(1, 7))
def test_trees_and_packs(pairs, tokens, rows, block):
    """Every prefix is computed once, sees its ancestors, and comes where it is wanted."""
    needs = needs_of(pairs)
    tree = build(needs)
    ways = [[*tree.ancestors(node), node] for node in range(len(tree.token))]
    whole = [tuple(tree.token[way].tolist()) for way in ways]
    assert tree.depth.tolist() == [len(text) - 1 for text in whole]
    prefixes = {tuple(need.ids[:n].tolist()) for need in needs for n in range(1, len(need.ids) + 1)}
    assert sorted(whole) == sorted(prefixes)
    for k, above in enumerate(whole):
        for q, below in enumerate(whole):
            assert (k <= q < tree.end[k]) == (below[: len(above)] == above)
            assert (k <= q) == (above <= below)
    asked = {
        (i, p): tuple(need.ids[: p + 1].tolist())
        for i, need in enumerate(needs)
        for p in range(need.first, len(need.ids))
    }
    places = zip(tree.need.tolist(), tree.position.tolist(), tree.node.tolist(), strict=True)
    assert {(i, p): whole[node] for i, p, node in places} == asked
    assert len(tree.node) == len(asked)
    assert (np.diff(tree.node) >= 0).all()
    assert [whole[node] for node in tree.last] == [tuple(need.ids.tolist()) for need in needs]
    start, carried = 0, np.empty(0, np.int64)
    wanted = []
    while start < len(tree.token):
        pack = next_pack(tree, start, tokens, rows, block)
        assert start == pack.start < pack.stop <= max(start + tokens, start + 1)
        assert len(pack.rows) <= max(rows, 1)
        wanted += pack.rows.tolist()
        at = 0
        for part in pack.blocks:
            assert part.start == at < part.stop <= at + block
            at = part.stop
            keys = np.concatenate([carried[: part.past], start + part.keys])
            nodes = range(start + part.start, start + part.stop)
            for q, allowed, distance in zip(nodes, part.allowed, part.distance, strict=True):
                assert keys[allowed].tolist() == ways[q]
                assert distance[allowed].tolist() == list(range(int(tree.depth[q]), -1, -1))
        assert at == pack.stop - start
        carried = np.concatenate([carried[: pack.keep_past], start + pack.keep])
        if pack.stop < len(tree.token):
            assert carried.tolist() == ways[pack.stop][:-1]
        start = pack.stop
    assert wanted == sorted(set(tree.node.tolist()))
