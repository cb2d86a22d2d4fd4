"""What people answered, person by person and item by item, and who is left out for which reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from probsense.collect.assignment import CHECK
from probsense.collect.fields import Values
from probsense.collect.pages import pages_of
from probsense.collect.progress import failed_checks
from probsense.collect.storage import Given, Person, Storage
from probsense.collect.study import Block, Question, Study

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
    question : Question
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
    question: Question
    page: str
    values: Values
    order: tuple[str, ...]
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
    failed : tuple of str
        Keys of failed attention checks.
    reasons : tuple of str
        Why the person is left out; empty for nobody's reason.
    """

    person: Person
    ended_at: int | None
    about: Values
    items: tuple[ItemAnswer, ...]
    failed: tuple[str, ...]
    reasons: tuple[Reason, ...]


def gather(storage: Storage) -> list[Gathered]:
    """Read all people with their answers, in the order of arrival."""
    study = storage.study()
    ended = storage.ended_at()
    versions: dict[int, list[Given]] = {}
    for given in storage.all_answers():
        versions.setdefault(given.person, []).append(given)
    return [
        _gathered(study, person, versions.get(person.number, []), ended.get(person.number))
        for person in storage.people()
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

    def items() -> Iterator[ItemAnswer]:
        for page in pages_of(study, person.number, person.keys):
            one = last.get(page.name)
            if page.key and one is not None and one.values and not page.key.startswith(f"{CHECK}/"):
                order = tuple(value for value, _ in page.fields[0].options)
                yield ItemAnswer(
                    page.key, *study.item(page.key), page.name, one.values, order, one.ms, counts[page.name]
                )

    return Gathered(
        person,
        ended_at,
        answers.get("about", {}),
        tuple(items()),
        failed,
        reasons_against(person.end, failed),
    )
