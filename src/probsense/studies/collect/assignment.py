"""Who gets which questions: those that fewest people have come first, chance decides between equals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from probsense.studies.collect.study import Study

CHECK = "check"
"""The block in the key of an attention check."""


def choose(loads: Sequence[int], most: int, wanted: int, chance: Random) -> list[int]:
    """Choose questions for one person.

    Always taking the questions that lack most people reaches the goal with the fewest people possible, which
    :func:`people_needed` counts.

    Parameters
    ----------
    loads : sequence of int
        How many people each question has, or is kept for.
    most : int
        The largest number of questions.
    wanted : int
        How many people each question is to have.
    chance : Random

    Returns
    -------
    list of int
        Indices, none of a question that has enough people; empty if all have.
    """
    lots = {i: chance.random() for i in range(len(loads))}
    open_ = sorted((i for i in lots if loads[i] < wanted), key=lambda i: (loads[i], lots[i]))
    return open_[:most]


def people_needed(lacks: Sequence[int], most: int) -> int:
    """Count the people that are needed at least.

    Parameters
    ----------
    lacks : sequence of int
        How many people each question of a block lacks.
    most : int
        The largest number of questions of a person.

    Returns
    -------
    int
        As many as the question lacks that lacks most, or as all places together need, whichever is more.
    """
    each = min(most, len(lacks))
    return max(max(lacks), -(-sum(lacks) // each))


def assign(study: Study, loads: Mapping[str, int], person: int) -> list[str]:
    """Assign questions and attention checks to a person, in the order in which they are asked.

    Parameters
    ----------
    study : Study
    loads : Mapping of str to int
        How many people have each question, by its key; 0 where it is not named.
    person : int
        The person's number, which decides all draws together with the study's seed.

    Returns
    -------
    list of str
        Keys of questions, and ``check/N`` for checks; empty if no question needs anybody.
    """
    chance = Random(f"{study.seed}/{person}")
    found: list[str] = []
    for number, block in enumerate(study.blocks):
        keys = [f"{number}/{question.id}" for question in block.questions]
        chosen = choose([loads.get(key, 0) for key in keys], block.per_person, block.per_item, chance)
        if study.order == "fixed":
            chosen.sort()
        else:
            chance.shuffle(chosen)
        found += [keys[i] for i in chosen]
    return _with_checks(found, len(study.checks), chance) if found else []


def shown_order(study: Study, person: int, key: str, count: int) -> list[int]:
    """Return the order in which a person sees the options of a choice, as indices."""
    order = list(range(count))
    if study.order == "random":
        Random(f"{study.seed}/{person}/{key}").shuffle(order)
    return order


def _with_checks(keys: list[str], checks: int, chance: Random) -> list[str]:
    """Put checks at drawn places, none of them first and no two at one place as far as there are places."""
    places = [*range(1, len(keys) + 1)]
    drawn = chance.sample(places, checks) if checks <= len(places) else chance.choices(places, k=checks)
    for number, place in sorted(enumerate(drawn), key=lambda entry: -entry[1]):
        keys.insert(place, f"{CHECK}/{number}")
    return keys
