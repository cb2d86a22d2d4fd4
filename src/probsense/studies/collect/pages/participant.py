"""The pages of a participant as data, how far they are, and whether the study ends for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from probsense.studies.collect.forms import Field, Values, faults, form_of
from probsense.studies.collect.pages.words import fill
from probsense.studies.collect.participants import shown_order
from probsense.studies.collect.study import ATTENTION, Block, Study
from probsense.tasks.people_forms import PeopleQuestion

PageKind: TypeAlias = Literal["instructions", "about", "question", "finish"]

GAP: Final = "______"
"""What stands for an open place of a text on a page."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a participant.

    Attributes
    ----------
    name : str
        Its part of the address: "instructions", "about", a number from 1, "finish".
    kind : {"instructions", "about", "question", "finish"}
    key : str
        Of the question or check; "" on other pages.
    text : str
        Paragraphs; "" for none.
    quoted : bool
        Whether the text is a statement, which stands out from the questions about it.
    hint : str
        What helps to fill in the form.
    fields : tuple of Field
    """

    name: str
    kind: PageKind
    key: str = ""
    text: str = ""
    quoted: bool = False
    hint: str = ""
    fields: tuple[Field, ...] = ()


def pages_of(study: Study, person: int, keys: Sequence[str]) -> list[Page]:
    """List the pages of a participant.

    Parameters
    ----------
    study : Study
    person : int
        The participant's number.
    keys : sequence of str
        The questions and checks that :func:`~probsense.studies.collect.participants.assign` chose.
    """
    pages = [Page("instructions", "instructions", text=study.instructions)]
    if study.about:
        pages.append(Page("about", "about", fields=study.about))
    for number, key in enumerate(keys, 1):
        pages.append(_question_page(str(number), key, *study.item(key), study, person))
    pages.append(Page("finish", "finish"))
    return pages


def _question_page(
    name: str, key: str, block: Block, question: PeopleQuestion, study: Study, person: int
) -> Page:
    words = study.words
    if block is ATTENTION:
        options = tuple((str(i), option) for i, option in enumerate(question.options))
        return Page(name, "question", key, fields=(Field("choice", question.text, "choice", options),))
    form = form_of(block.kind)
    match form.form:
        case "judge":
            yes_no = (("yes", words["yes"]), ("no", words["no"]))
            fields = tuple(Field(name, label, "choice", yes_no) for name, label in block.asked.items())
            return Page(name, "question", key, question.text, quoted=True, fields=fields)
        case "write":
            fields = tuple(
                Field(
                    f"answer_{i}",
                    words["answer"] if block.answers == 1 else fill(words["answer_number"], number=i),
                    "text",
                    needed=i == 1,
                )
                for i in range(1, block.answers + 1)
            )
            hint = fill(words["answers_hint"], count=block.answers) if block.answers > 1 else ""
            return Page(name, "question", key, question.text, hint=hint, fields=fields)
        case "choose":
            order = [*range(len(question.options))]
            if form.shuffled:
                order = shown_order(study, person, key, len(order))
            options = tuple((str(i), question.options[i].strip()) for i in order)
            text = question.text.replace(form.gap, GAP) if form.gap else question.text
            field = Field("choice", words["choice"], "choice", options)
            return Page(name, "question", key, text, fields=(field,))


def moved_up(page: Page, values: Mapping[str, str]) -> dict[str, str]:
    """Move the open answers of a page into its first boxes, and drop repeated ones."""
    if not any(field.kind == "text" for field in page.fields) or page.kind != "question":
        return dict(values)
    given = dict.fromkeys(values[field.name] for field in page.fields if field.name in values)
    return {field.name: value for field, value in zip(page.fields, given, strict=False)}


Answers = Mapping[str, Values]
"""The last answers of a participant, by the name of the page."""


def first_open(pages: Sequence[Page], answers: Answers) -> int:
    """Return the index of the first page that lacks an answer; the last page is the end of the way."""
    for number, page in enumerate(pages[:-1]):
        if page.name not in answers or faults(page.fields, answers[page.name]):
            return number
    return len(pages) - 1


def failed_checks(study: Study, keys: Sequence[str], answers: Answers) -> list[str]:
    """List the attention checks that a participant failed; one without an answer is not failed."""
    found = []
    for number, key in enumerate(keys, 1):
        block, question = study.item(key)
        given = answers.get(str(number), {}).get("choice")
        if block is ATTENTION and given not in (None, str(question.right)):
            found.append(key)
    return found


def is_screened_out(study: Study, keys: Sequence[str], answers: Answers) -> bool:
    """Tell whether what a participant answered so far ends the study for them."""
    about = answers.get("about", {})
    if any(about.get(one.name) in one.screen_out for one in study.demographics):
        return True
    return bool(study.failed_checks) and len(failed_checks(study, keys, answers)) >= study.failed_checks


def is_over(study: Study, started: int, now: int) -> bool:
    """Tell whether the time of a participant has passed; both times in milliseconds."""
    return bool(study.time_limit) and now - started > study.time_limit * 60_000
