"""What people answered, person by person and item by item, and who is left out for which reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from probsense.studies.collect.assignment import CHECK
from probsense.studies.collect.fields import Values
from probsense.studies.collect.pages.participant import failed_checks, pages_of
from probsense.studies.collect.participants import Given, Person
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import Block, Study
from probsense.tasks.people_forms import PeopleQuestion

Reason: TypeAlias = Literal["unfinished", "screened_out", "failed_checks"]
REASONS: Final[tuple[Reason, ...]] = ("unfinished", "screened_out", "failed_checks")
"""Why people are left out: they did not come to the end, were screened out, or failed an attention check."""


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """The last answer of a person to an item.

    Attributes
    ----------
    key : str
    block : Block
    question : PeopleQuestion
    page : str
    values : Mapping of str to str
    order : tuple of str
        The options in the order in which this person saw them, as values of the field.
    ms : int, optional
        Milliseconds from the first sight of the page to this answer.
    versions : int
        How many different answers the person sent in turn.
    """

    key: str
    block: Block
    question: PeopleQuestion
    page: str
    values: Values
    order: tuple[str, ...]
    ms: int | None
    versions: int


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The last answer of a person to an attention check."""

    key: str
    page: str
    option: str
    ms: int | None
    versions: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """A person with all last answers.

    Attributes
    ----------
    person : Person
    ended_at : int, optional
        Milliseconds since 1970.
    about : Mapping of str to str
        Answers to the demographic questions.
    items : tuple of ItemAnswer
        In the order in which the person saw them.
    checks : tuple of CheckAnswer
        Last answers to attention checks, in the same order.
    failed : tuple of str
        Keys of failed attention checks.
    reasons : tuple of str
        Why the person is left out; empty for nobody's reason.
    """

    person: Person
    ended_at: int | None
    about: Values
    items: tuple[ItemAnswer, ...]
    checks: tuple[CheckAnswer, ...]
    failed: tuple[str, ...]
    reasons: tuple[Reason, ...]


def gather(storage: Storage) -> list[Gathered]:
    """Read all people with their answers, in the order of arrival, as they are at one moment."""
    with storage.reading():
        study, people = storage.study(), storage.people()
        ended, answers = storage.ended_at(), storage.all_answers()
    versions: dict[int, list[Given]] = {}
    for given in answers:
        versions.setdefault(given.person, []).append(given)
    return [
        _gathered(study, person, versions.get(person.number, []), ended.get(person.number))
        for person in people
    ]


def reasons_against(end: str | None, failed: Sequence[str]) -> tuple[Reason, ...]:
    """List the reasons to leave a person out."""
    found: dict[Reason, bool] = {
        "unfinished": end not in ("completion", "screened_out"),
        "screened_out": end == "screened_out",
        "failed_checks": bool(failed),
    }
    return tuple(reason for reason in REASONS if found[reason])


def _gathered(
    study: Study,
    person: Person,
    given: Sequence[Given],
    ended_at: int | None,
) -> Gathered:
    last = {one.page: one for one in given}
    counts = Counter(one.page for one in given if one.values)
    answers = {page: one.values for page, one in last.items()}
    failed = tuple(failed_checks(study, person.keys, answers))

    items: list[ItemAnswer] = []
    checks: list[CheckAnswer] = []
    for page in pages_of(study, person.number, person.keys):
        one = last.get(page.name)
        if not page.key or one is None or not one.values:
            continue
        key, options, versions = page.key, dict(page.fields[0].options), counts[page.name]
        if key.startswith(f"{CHECK}/"):
            checks.append(CheckAnswer(key, page.name, options[one.values["choice"]], one.ms, versions))
        else:
            item = study.item(key)
            items.append(ItemAnswer(key, *item, page.name, one.values, (*options,), one.ms, versions))
    return Gathered(
        person,
        ended_at,
        answers.get("about", {}),
        tuple(items),
        tuple(checks),
        failed,
        reasons_against(person.end, failed),
    )
