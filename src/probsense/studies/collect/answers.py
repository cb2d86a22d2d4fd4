"""What people answered, person by person and item by item, who is left out for which reasons,
and who deserves a look for haste or copying."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median_low
from typing import Final, Literal, TypeAlias

from probsense.studies.collect.forms import Values, form_of
from probsense.studies.collect.pages.participant import failed_checks, pages_of
from probsense.studies.collect.participants import Given, Person
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import ATTENTION, Block, Study, Thresholds
from probsense.tasks.people_forms import PersonAnswer

Reason: TypeAlias = Literal["unfinished", "screened_out", "failed_checks"]
REASONS: Final[tuple[Reason, ...]] = ("unfinished", "screened_out", "failed_checks")
"""Why people are left out: they did not come to the end, were screened out, or failed an attention check."""

Flag: TypeAlias = Literal["too_fast", "copied"]
FLAGS: Final[tuple[Flag, ...]] = ("too_fast", "copied")
"""Why a person's answers deserve a look, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class ItemAnswer(PersonAnswer):
    """The last answer of a person to an item, with the milliseconds from the first sight of the page.

    Attributes
    ----------
    key : str
    block : Block
    page : str
    order : tuple of str
        The options in the order in which this person saw them, as values of the field.
    versions : int
        How many different answers the person sent in turn.
    """

    key: str
    block: Block
    page: str
    order: tuple[str, ...]
    versions: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """A person with all last answers.

    Attributes
    ----------
    person : Person
    about : Mapping of str to str
        Answers to the demographic questions.
    items : tuple of ItemAnswer
        In the order in which the person saw them.
    checks : tuple of ItemAnswer
        Last answers to attention checks, in the same order.
    failed : tuple of str
        Keys of failed attention checks.
    reasons : tuple of str
        Why the person is left out; empty for nobody's reason.
    flags : tuple of Flag
        Why the answers deserve a look.
    """

    person: Person
    about: Values
    items: tuple[ItemAnswer, ...]
    checks: tuple[ItemAnswer, ...]
    failed: tuple[str, ...]
    reasons: tuple[Reason, ...]
    flags: tuple[Flag, ...] = ()


def gather(storage: Storage) -> list[Gathered]:
    """Read all people with their answers, in the order of arrival, as they are at one moment."""
    with storage.reading():
        study, people, answers = storage.study(), storage.people(), storage.all_answers()
    versions: dict[int, list[Given]] = {}
    for given in answers:
        versions.setdefault(given.person, []).append(given)
    found = [_gathered(study, person, versions.get(person.number, [])) for person in people]
    flags = flags_of(found, study.flags)
    return [replace(one, flags=flags[one.person.number]) for one in found]


def _gathered(study: Study, person: Person, given: Sequence[Given]) -> Gathered:
    last = {one.page: one for one in given}
    counts = Counter(one.page for one in given if one.values)
    answers = {page: one.values for page, one in last.items()}
    failed = tuple(failed_checks(study, person.keys, answers))
    end = person.end
    against = end not in ("completion", "screened_out"), end == "screened_out", bool(failed)
    reasons = tuple(reason for reason, holds in zip(REASONS, against, strict=True) if holds)

    items: list[ItemAnswer] = []
    for page in pages_of(study, person.number, person.keys):
        one = last.get(page.name)
        if not page.key or one is None or not one.values:
            continue
        (block, question), order = study.item(page.key), tuple(value for value, _ in page.fields[0].options)
        given_here = person.number, question, one.values, one.ms
        items.append(ItemAnswer(*given_here, page.key, block, page.name, order, counts[page.name]))
    checks = tuple(one for one in items if one.block is ATTENTION)
    others = tuple(one for one in items if one.block is not ATTENTION)
    return Gathered(person, answers.get("about", {}), others, checks, failed, reasons)


Open: TypeAlias = Mapping[str, frozenset[str]]
"""The open answers of a person to each item, in lower case."""


def flags_of(people: Sequence[Gathered], thresholds: Thresholds) -> dict[int, tuple[Flag, ...]]:
    """Flag people by their answers.

    Parameters
    ----------
    people : sequence of Gathered
        Everybody, since answers may be copied from anybody.
    thresholds : Thresholds

    Returns
    -------
    dict of int to tuple of Flag
        The flags of each person, by number; empty for most people.
    """
    copies = copied({one.person.number: _open_answers(one) for one in people}, thresholds.copied)
    found: dict[int, tuple[Flag, ...]] = {}
    for one in people:
        raised = too_fast(one.items, thresholds.seconds), one.person.number in copies
        found[one.person.number] = tuple(flag for flag, up in zip(FLAGS, raised, strict=True) if up)
    return found


def too_fast(items: Sequence[ItemAnswer], seconds: float) -> bool:
    """Tell whether half of a person's items took less than some seconds."""
    times = [item.ms for item in items if item.ms is not None]
    return bool(times) and median_low(times) < seconds * 1000


def copied(open_: Mapping[int, Open], least: int) -> set[int]:
    """Find people whose open answers are those of somebody else.

    Parameters
    ----------
    open_ : Mapping of int to Open
        The open answers of all people.
    least : int
        The smallest number of items that both answered; 0 for never.

    Returns
    -------
    set of int
        Both people of each pair with the same answers to all items that both answered.
    """
    alike: dict[tuple[str, frozenset[str]], list[int]] = {}
    for number, answers in open_.items():
        for item in answers.items():
            alike.setdefault(item, []).append(number)
    found: set[int] = set()
    # Only people who agree on some item are compared.
    for one, other in {pair for numbers in alike.values() for pair in combinations(numbers, 2)}:
        both = open_[one].keys() & open_[other].keys()
        if 0 < least <= len(both) and all(open_[one][key] == open_[other][key] for key in both):
            found |= {one, other}
    return found


def _open_answers(one: Gathered) -> dict[str, frozenset[str]]:
    return {
        item.key: frozenset(answer.lower() for answer in item.values.values())
        for item in one.items
        if form_of(item.block.kind).form == "write"
    }
