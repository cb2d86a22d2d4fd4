"""Splits of forms: nothing in common, both sides balanced, shares as wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from probsense.tasks.worldsense.generate.forms.candidates import Facts
from probsense.tasks.worldsense.generate.forms.families import Split, families, held_out
from probsense.tasks.worldsense.generate.forms.pools import apart, depths, paired
from probsense.tasks.worldsense.generate.forms.views import masked, whole
from probsense.tasks.worldsense.generate.stories import chain
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import Claim

SPLITS = [Split(0.25, seed, False) for seed in (0, 1)]
SIZES = [4, 5, pytest.param(6, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)]


def test_families_share_something_directly_or_by_way_of_others() -> None:
    links = [(0, "a"), (1, "a"), (1, "b"), (2, "b"), (3, "c"), (5, "c")]
    found = families(6, links)
    assert found[0] == found[1] == found[2] != found[3] == found[5]
    assert len({*found}) == 3


def test_families_are_held_out_up_to_the_share_of_each_kind() -> None:
    family, kind, count = [0, 0, 1, 2, 3, 4], [0, 0, 0, 0, 1, 1], [2, 3, 5, 90, 10, 10]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert held_out(family, kind, count, 0.1, rng, kept=[4]) in ({0, 1}, {0, 1, 3})
    assert held_out(family, kind, count, 0.5, np.random.default_rng(0), kept=[4]) >= {3}
    assert held_out(family, kind, count, 0.01, np.random.default_rng(0)) == set()


def asked(n: int, split: Split) -> Iterator[tuple[Facts, Claim, int]]:
    """All questions of a side: the story, the claim, and the depth; 0 where several orders fit."""
    for kind in (0, 1, 2):
        for facts, claim, denials, depth in paired(n, kind, None, split):
            yield from ((facts, each, depth) for each in (claim, *denials))
    for own in apart(n, None, split):
        for side in (own.true, own.false):
            for group in (*side.decided, *side.opened):
                yield from ((*question, 0) for question in group)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("split", SPLITS)
def test_sides_share_no_form_no_story_and_no_look_and_are_all_there_is(n: int, split: Split) -> None:
    forms, stories, looks = [], [], []
    for side in (split, split._replace(held_out=True)):
        found = [*asked(n, side)]
        forms.append({form_id(facts, claim) for facts, claim, _ in found})
        forms[-1] |= {form_id((*facts, claim), None) for facts, claim, depth in found if depth}
        stories.append({form_id(facts, None) for facts, _, _ in found})
        looks.append(
            {
                (depth, masked(facts, claim) if n == 4 and not depth else whole(n, facts, claim))
                for facts, claim, depth in found
            }
        )
    for both in (forms, stories, looks):
        assert both[0]
        assert both[1]
        assert not both[0] & both[1]
    for kind in (0, 1, 2):
        sides = (paired(n, kind, None, split._replace(held_out=out)) for out in (False, True))
        assert sorted(question for side in sides for question in side) == sorted(paired(n, kind))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("out", [False, True])
def test_each_side_is_balanced(n: int, split: Split, out: bool) -> None:
    side = split._replace(held_out=out)
    for kind in (0, 1, 2):
        for own in depths("Infer.normal", n, kind, side):
            true: Counter[object] = Counter()
            false: Counter[object] = Counter()
            for facts, claim, denials, _ in paired(n, kind, own, side):
                true[whole(n, facts, claim)] += 1
                for denial in denials:
                    false[whole(n, facts, denial)] += Fraction(1, len(denials))
            assert true == false
    for own in apart(n, None, side):
        for half in (own.true, own.false):
            assert all(half.decided)
            assert all(half.opened)


@pytest.mark.parametrize("n", SIZES)
def test_the_share_is_about_the_one_wanted_and_the_seed_chooses(n: int) -> None:
    found = []
    for seed in range(3):
        held, all_of = (
            {form_id(q.facts, q.claim) for kind in (0, 1, 2) for q in paired(n, kind, None, split)}
            for split in (Split(0.3, seed, True), None)
        )
        assert 0.2 < len(held) / len(all_of) < 0.4
        found.append(held)
    assert found[0] != found[1] != found[2]


@pytest.mark.parametrize("seed", range(5))
def test_the_story_that_trivial_problems_tell_is_never_held_out(seed: int) -> None:
    told = [{q.facts for q in paired(6, 0, None, Split(0.9, seed, out))} for out in (False, True)]
    assert tuple(chain(6)) in told[0]
    assert tuple(chain(6)) not in told[1]
