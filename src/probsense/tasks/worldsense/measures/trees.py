"""A decision tree that grows on what a question shows, and is asked about what it did not grow on.

What it reaches on other tuples of the same forms says how well a set can be learned by heart; what it reaches on forms
that it has not met, how far surface features carry. Where siblings are matched, each form that is held out leaves more
of the other answer behind among those that look like it, so a tree does worse there than by guessing. Hence forms are
held out a third time, each with all that have its counts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.measures.shortcuts import (
    FIRM,
    Asked,
    Counts,
    Score,
    count_facts,
    numbers_of,
    score_answers,
    weight_of,
)
from probsense.tasks.worldsense.text.form import question_form
from probsense.tasks.worldsense.text.logic import ParsedQuestion

FOLDS: Final = 5
MOST: Final = 4000
"""Tuples of a problem and size of which a tree grows, and which it answers, at most."""

_DEPTH: Final = 24
_VALUES: Final = 32
"""Features count from 0; larger numbers than this count as one less."""


def features(question: ParsedQuestion) -> list[int]:
    """Describe a question to one who reads each fact by itself.

    Returns
    -------
    list of int
        The relation that is asked about; the numbers of facts and of those about three things. Of each thing asked
        about how often it is named, wins, loses, stands between and bounds, and in which fact it is named first and
        last; then the same counts of the other things, in the order of their counts. Where all facts are asked about,
        all of this of all things.
    """
    n, facts = question.size, question.facts
    counts = count_facts(len(question.names), (*facts, *question.distractors))
    relation, args = question.claims[0] if question.claims else ("", tuple(range(n)))
    shown = []
    for thing in args:
        told = [i for i, fact in enumerate(facts) if thing in fact.args]
        shown.append((*_plain(counts[thing]), *((told[0], told[-1]) if told else (0, 0))))
    kept = 1 if len(args) > 2 and relation else 0 if not relation else len(args)
    ordered = [*shown[:kept], *sorted(shown[kept:])]
    others = sorted(_plain(counts[thing]) for thing in range(n) if thing not in args)
    kinds = ("", "before", "between", "first", "last", "parallel", "perpendicular", "foreign", "outside")
    head = (kinds.index(relation), len(args), len(facts), sum(len(fact.args) == 3 for fact in facts))
    return [*head, *(value for row in (*ordered, *others) for value in row)]


def _plain(counts: Counts) -> tuple[int, ...]:
    return counts.named, *counts


def counted(question: ParsedQuestion) -> Hashable:
    """Describe a question by its counts alone, the same in both directions of its order."""
    counts = count_facts(len(question.names), question.facts)
    relation, args = question.claims[0] if question.claims else ("", ())

    def seen(turned: bool) -> tuple[object, ...]:
        told = [c._replace(won=c.lost, lost=c.won) if turned else c for c in counts]
        asked = [told[thing] for thing in args]
        if relation == "before" and turned:
            asked.reverse()
        ends = sorted(asked[1:]) if len(asked) > 2 else asked[1:]
        others = sorted(told[thing] for thing in range(question.size) if thing not in args)
        return (*asked[:1], *ends), tuple(others)

    return relation, min(seen(False), seen(True), key=repr)


HELD_OUT: Final[Mapping[str, Callable[[Asked], Hashable]]] = {
    "tree, new tuples": lambda trial: trial.tuple_id,
    "tree, new forms": lambda trial: question_form(trial.question),
    "tree, new counts": lambda trial: counted(trial.question),
}
"""What a tree has not met before it is asked: the name of each responder, and what is held out together."""


def learned(trials: Sequence[Asked]) -> dict[str, Score]:
    """Find what trees reach, by what is held out from them: a fifth of all at a time.

    Parameters
    ----------
    trials : sequence of Asked
        Whole tuples of one problem and size.
    """
    tuples = numbers_of(trial.tuple_id for trial in trials)
    trials = [trial for trial, number in zip(trials, tuples, strict=True) if number < MOST]
    table = [features(trial.question) for trial in trials]
    width = max(map(len, table), default=0)
    shown = np.array([[*row, *[0] * (width - len(row))] for row in table], dtype=np.intp)
    shown = np.minimum(shown, _VALUES - 1)
    firm = np.array([trial.gold in FIRM for trial in trials])
    weights = np.array([weight_of(trial.gold) for trial in trials])
    found = {}
    for name, key in HELD_OUT.items():
        groups = numbers_of(map(key, trials))
        count = int(groups.max(initial=-1)) + 1
        fold = np.random.default_rng(0).permutation(count)[groups] % FOLDS
        answers = np.full(len(trials), 0.5)
        for held in range(FOLDS):
            out = fold == held
            if out.any() and not out.all():
                answers[out] = grow(shown[~out], firm[~out], weights[~out])(shown[out])
        found[name] = score_answers(trials, answers, groups)
    return found


def grow(
    shown: NDArray[np.intp], firm: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Callable[[NDArray[np.intp]], NDArray[np.float64]]:
    """Grow a tree that splits at the greatest gain of Gini's index as long as there is any.

    Parameters
    ----------
    shown : array, shape (n, features)
        Integers from 0.
    firm : array of bool, shape (n,)
    weights : array, shape (n,)

    Returns
    -------
    callable
        Answers rows of features: 1 for those that are rather firm, 0 for others, .5 where the tree cannot tell.
    """
    node = np.zeros(len(shown), dtype=np.intp)
    levels: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    votes = np.where(firm, weights, -weights)
    for _ in range(_DEPTH):
        nodes = int(node.max(initial=0)) + 1
        feature, cut = _splits(shown, node, nodes, votes, weights)
        levels.append((feature, cut))
        if (feature < 0).all():
            break
        node = _children(shown, node, feature, cut)
    count = int(node.max(initial=0)) + 1
    lead = np.bincount(node, votes, count)
    answer = np.where(np.abs(lead) < 1e-9, 0.5, lead > 0)

    def respond(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        place = np.zeros(len(rows), dtype=np.intp)
        for feature, cut in levels:
            place = _children(rows, place, feature, cut)
        return np.where(place < count, answer[np.minimum(place, count - 1)], 0.5)

    return respond


def _children(
    shown: NDArray[np.intp], node: NDArray[np.intp], feature: NDArray[np.intp], cut: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Number the nodes of the next level: a node that is split has two places there, another one the first of them."""
    own = feature[node]
    right = (own >= 0) & (shown[np.arange(len(shown)), np.maximum(own, 0)] > cut[node])
    places = np.concatenate([[0], np.cumsum(1 + (feature >= 0))])
    return places[node] + right


def _splits(
    shown: NDArray[np.intp],
    node: NDArray[np.intp],
    nodes: int,
    votes: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the best split of each node: the feature (-1 for none) and the largest value that goes to the left."""
    best = np.full(nodes, 1e-9)
    feature, cut = np.full(nodes, -1), np.zeros(nodes, dtype=np.intp)
    vote, weight = np.bincount(node, votes, nodes), np.bincount(node, weights, nodes)
    still = vote**2 / np.maximum(weight, 1e-12)
    for column in range(shown.shape[1]):
        code = node * _VALUES + shown[:, column]
        left_vote = np.bincount(code, votes, nodes * _VALUES).reshape(nodes, _VALUES).cumsum(axis=1)
        left = np.bincount(code, weights, nodes * _VALUES).reshape(nodes, _VALUES).cumsum(axis=1)
        right = weight[:, None] - left
        # With votes of both signs, the gain of Gini's index is the gain of the squared vote by weight.
        gain = left_vote**2 / np.maximum(left, 1e-12)
        gain += (vote[:, None] - left_vote) ** 2 / np.maximum(right, 1e-12)
        gain = np.where((left > 1e-9) & (right > 1e-9), gain - still[:, None], 0.0)
        at = gain.argmax(axis=1)
        most = gain[np.arange(nodes), at]
        better = most > best + 1e-12
        feature[better], cut[better], best[better] = column, at[better], most[better]
    return feature, cut
