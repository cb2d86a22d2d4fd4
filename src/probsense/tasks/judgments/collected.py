"""People's judgments, collected by a study: its pages, and the files that ``--humans`` and ``--data`` read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from probsense.core.records import Item
from probsense.tasks.people_forms import MS, PERSON, PeopleForm, PeopleQuestion, PeopleTable, PersonAnswer

STATEMENTS: Final = {"statement_id": "Id of the statement.", "statement": "The statement."}
PEOPLE: Final = {
    **STATEMENTS,
    **dict((PERSON,)),
    "q1": "Answer to the question q1 of the study: 1 yes, 0 no.",
    "q2": "Answer to the question q2 of the study: 1 yes, 0 no.",
    **dict((MS,)),
}


def _question(item: Item) -> PeopleQuestion:
    return PeopleQuestion(str(item.data["statement_id"]), item.data["statement"])


def _write(questions: Sequence[PeopleQuestion], answers: Sequence[PersonAnswer]) -> Mapping[str, PeopleTable]:
    people = [
        {
            **_statement(one.question),
            "person": one.person,
            **{name: {"yes": 1, "no": 0}.get(one.values.get(name, "")) for name in ("q1", "q2")},
            "ms": one.ms,
        }
        for one in answers
    ]
    statements = PeopleTable([*map(_statement, questions)], STATEMENTS)
    return {"people.csv": PeopleTable(people, PEOPLE), "statements.csv": statements}


def _statement(question: PeopleQuestion) -> dict[str, Any]:
    return {"statement_id": question.id, "statement": question.text}


FORM: Final = PeopleForm("statement", "judge", _question, options={"questions": ("q1",)}, write=_write)
"""How people are asked about statements."""
