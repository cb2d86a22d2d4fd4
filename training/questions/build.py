"""Chooses the questions of the matched regime, which come with the package.

    PYTHONPATH=training python -m questions.build FILE

It takes some minutes and always makes the same arrays, which ``generate/matched.py`` of WorldSense reads.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.generate.matched import Facts, complexity
from probsense.tasks.worldsense.generate.stories import claims
from questions.balance import even
from questions.candidates import Candidate, candidates, stories
from questions.views import View, masked, whole

SIZES: Final = range(4, 13)
SEED: Final = 0
ENOUGH: Final = 16
"""Questions of a complexity and depth that there must be, or there are none."""

_ALONE: Final = {5: 6000, 6: 800, 7: 250, 8: 100, 9: 50, 10: 36, 11: 24, 12: 20}
_SEVERAL: Final = {5: 4000, 6: 800, 7: 300, 8: 120, 9: 70, 10: 60, 11: 30, 12: 24}
"""Stories of each size and complexity from which questions are chosen; of four things, all."""

OPEN: Final = 2
"""Open questions that are kept for each decided one that looks like them."""

_ANSWERS: Final = {"yes": 0, "no": 1, "undecided": 2}
_NONE: Final = 2**16 - 1


def with_one_order(n: int) -> tuple[list[Facts], list[tuple[int, ...]]]:
    """Choose questions about stories that fit one order, for Infer and Consist.

    Within each complexity and depth, true and false claims have the same stories and look alike: see :func:`even` and
    :func:`views.whole`.

    Returns
    -------
    list of Facts
        The stories.
    list of tuple of int
        Of each question the story, the place of the claim in :func:`claims`, the answer, the depth and a 0.
    """
    found: list[tuple[Facts, Candidate]] = []
    for kind in (0, 1, 2):
        told = stories(n, kind, True, _ALONE.get(n, _NONE), SEED)
        by_depth: dict[int, list[Candidate]] = defaultdict(list)
        for one in candidates(n, told):
            by_depth[one.depth].append(one)
        for own in by_depth.values():
            views = [whole(n, told[one.story], one.claim) for one in own]
            chosen = even([one.story for one in own], views, [one.answer == "yes" for one in own])
            if len(chosen) >= ENOUGH:
                found += [(told[own[i].story], own[i]) for i in chosen]
    return _coded(n, [(*row, 0) for row in found])


def with_several(n: int) -> tuple[list[Facts], list[tuple[int, ...]]]:
    """Choose questions about stories that fit several orders, for Compl.

    Within each complexity and depth, decided claims look like open ones. Four things are too few for the other things
    to be counted, too.

    Returns
    -------
    list of Facts
    list of tuple of int
        As from :func:`with_one_order`, with the view of each question in place of the 0.
    """
    found: list[tuple[Facts, Candidate, int]] = []
    numbers: dict[View, int] = {}
    for kind in (0, 1, 2):
        told = stories(n, kind, False, _SEVERAL.get(n, _NONE), SEED)
        by_view: dict[View, list[Candidate]] = defaultdict(list)
        for one in candidates(n, told):
            facts = told[one.story]
            by_view[masked(facts, one.claim) if n == 4 else whole(n, facts, one.claim)].append(one)
        kept = {
            view: own for view, own in by_view.items() if len({one.answer == "undecided" for one in own}) == 2
        }
        few = _rare(one for own in kept.values() for one in own)
        for view, own in kept.items():
            left = [one for one in own if one.depth not in few]
            decided = [one for one in left if one.depth]
            opened = [one for one in left if not one.depth]
            if decided:
                number = numbers.setdefault(view, len(numbers))
                kept_open = opened[:: -(-len(opened) // (OPEN * len(decided)))]
                found += [(told[one.story], one, number) for one in (*decided, *kept_open)]
    return _coded(n, found)


def _rare(questions: Iterable[Candidate]) -> set[int]:
    """Return the depths at which there are not enough questions with one of both answers."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: {"yes": 0, "no": 0})
    for one in questions:
        if one.depth:
            counts[one.depth][one.answer] += 1
    return {depth for depth, count in counts.items() if min(count.values()) < ENOUGH // 4}


def _coded(
    n: int, found: Sequence[tuple[Facts, Candidate, int]]
) -> tuple[list[Facts], list[tuple[int, ...]]]:
    told = sorted({facts for facts, *_ in found}, key=lambda facts: (complexity(facts), facts))
    places = {facts: i for i, facts in enumerate(told)}
    number = {claim: i for i, claim in enumerate(claims(n))}
    rows = [
        (places[facts], number[one.claim], _ANSWERS[one.answer], one.depth, view)
        for facts, one, view in found
    ]
    return told, sorted(rows)


def arrays(n: int) -> Mapping[str, NDArray[np.uint16]]:
    """Make the arrays of a size: facts of stories as places of claims, padded; and questions about them."""
    number = {claim: i for i, claim in enumerate(claims(n))}
    found = {}
    for name, (told, questions) in (("alone", with_one_order(n)), ("several", with_several(n))):
        most = max((len(facts) for facts in told), default=0)
        padded = [[*(number[fact] for fact in facts), *[_NONE] * (most - len(facts))] for facts in told]
        found[f"{name}_{n}_facts"] = np.array(padded, dtype=np.uint16)
        found[f"{name}_{n}_questions"] = np.array(questions, dtype=np.uint16)
    return found


def main() -> None:
    """Write the file that is named."""
    made = {name: array for n in SIZES for name, array in arrays(n).items()}
    np.savez_compressed(sys.argv[1], **made)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
