"""Groups of branches: a memory that is filled by them holds the sequences that were asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.models.llamacpp.sequences import groups, leaves
from probsense.models.next_token.reading import Need
from probsense.models.next_token.tree import build

SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=12)


def tree_of(sequences):
    return build([Need(np.array(ids, np.int32), len(ids) - 1) for ids in sequences])


def held(tree, group):
    """The sequences in memory after a group, as the path and the tokens of the group make them."""
    path = tree.token[group.path].tolist()
    found = [path[:share] for share in group.shares.tolist()]
    for node, low, high in zip(
        range(group.start, group.stop), group.low.tolist(), group.high.tolist(), strict=True
    ):
        assert low < high, "a token of no sequence"
        for ids in found[low:high]:
            assert len(ids) == tree.depth[node]
            ids.append(int(tree.token[node]))
    return found


@given(SEQUENCES, st.integers(1, 5), st.integers(1, 12), st.integers(8, 20))
def test_leaves_are_read_once_and_within_limits(sequences, branches, nodes, cells):
    tree = tree_of(sequences)
    cut = list(groups(tree, leaves(tree), branches=branches, nodes=nodes, cells=cells))
    found = [ids for group in cut for ids in held(tree, group)]
    longest = [ids for ids in sequences if not any(o[: len(ids)] == ids and o != ids for o in sequences)]
    assert found == [list(ids) for ids in sorted(set(map(tuple, longest)))]
    assert [group.start for group in cut] + [len(tree.token)] == [0, *(group.stop for group in cut)]
    for group in cut:
        count, new = group.last - group.first, group.stop - group.start
        assert count == 1 or (count <= branches and new <= nodes and len(group.path) + new <= cells)


@given(SEQUENCES, st.integers(1, 5), st.integers(0, 4), st.integers(8, 30))
def test_texts_after_equal_prompts_have_sequences_of_their_own(sequences, branches, room, cells):
    tree = tree_of(sequences)
    members = np.sort(tree.last)
    cut = list(groups(tree, members, branches=branches, nodes=10, cells=cells, room=room))
    assert [ids for group in cut for ids in held(tree, group)] == sorted(sequences)
    for group in cut:
        count, new = group.last - group.first, group.stop - group.start
        assert (members[group.first : group.last] >= group.start).all()
        assert count == 1 or len(group.path) + new + room * count <= cells


@pytest.mark.parametrize("branches", [1, 2, 7])
def test_a_group_takes_as_many_members_as_it_may(branches):
    tree = tree_of([[0, i] for i in range(7)])
    cut = list(groups(tree, leaves(tree), branches=branches, nodes=99, cells=99))
    assert [group.last - group.first for group in cut][:-1] == [branches] * (len(cut) - 1)
