"""What each column of an export means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from probsense.tasks.people_forms import MS, PERSON

BLOCK: Final = ("block", "Number of the block in the study, from 1.")

COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "choices": dict(
        (
            PERSON,
            BLOCK,
            ("item", "Id of the item."),
            ("answer", "Index of the chosen option in the order of the item's file, from 0."),
            ("option", "The chosen option."),
            ("right", "Index of the right option; empty where there is none."),
            ("correct", "1 if the right option was chosen, 0 if another one; empty where none is right."),
            ("position", "Place of the chosen option as this person saw the options, from 1."),
            MS,
        )
    ),
    "participants": dict(
        (
            PERSON,
            ("participant", "Id of the person from the address, hashed if the study says so."),
            ("study", "Id of the study from the address."),
            ("session", "Id of the session from the address, hashed if the study says so."),
            ("started", "When the person agreed to take part (UTC)."),
            ("minutes", "Minutes from there to the end; empty without one."),
            (
                "end",
                "completion, screened_out, timed_out; empty where the person stopped or is still at it.",
            ),
            ("assigned", "Number of items that the person got."),
            ("answered", "Number of items with an answer."),
            ("failed_checks", "Number of failed attention checks."),
            ("reasons", "Reasons to leave the person out: unfinished, screened_out, failed_checks."),
            ("flags", "What deserves a look: too_fast, same_answer, failed_checks, repeated, copied."),
            ("kept", "1 if the other files hold the person's answers, 0 if they were left out."),
        )
    ),
    "answers": dict(
        (
            PERSON,
            ("kept", "1 if the other files hold the person's answers, 0 if they were left out."),
            (
                "kind",
                "Kind of the item: statement, frame, choice, worldsense, check (an attention check), "
                "about (the demographics).",
            ),
            (BLOCK[0], "Number of the block in the study, from 1; empty for checks and demographics."),
            ("item", "Id of the item; the text of a check; empty for demographics."),
            ("page", "Place in the person's own order, attention checks counted; about for demographics."),
            (
                "field",
                "What was answered: q1, q2, answer_1, …, choice, or the name of a demographic question.",
            ),
            (
                "value",
                "The answer: yes or no, a text, or the chosen option. An apostrophe stands before a text that "
                "a spreadsheet would take for a formula.",
            ),
            MS,
            ("versions", "Number of different answers that the person sent in turn; the last one counts."),
        )
    ),
}
"""What each column of each file holds."""
