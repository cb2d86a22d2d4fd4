"""How far a participant is: the first page without its answer, and whether the study ends for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probsense.studies.collect.assignment import CHECK
from probsense.studies.collect.fields import Values, faults
from probsense.studies.collect.pages import Page
from probsense.studies.collect.study import Study

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
        block, _, rest = key.partition("/")
        given = answers.get(str(number), {}).get("choice")
        if block == CHECK and given is not None and given != str(study.checks[int(rest)].right):
            found.append(key)
    return found


def is_screened_out(study: Study, keys: Sequence[str], answers: Answers) -> bool:
    """Tell whether what a participant answered so far ends the study for them."""
    about = answers.get("about", {})
    if any(about.get(name) in values for name, values in study.screening.items()):
        return True
    return bool(study.failed_checks) and len(failed_checks(study, keys, answers)) >= study.failed_checks


def is_over(study: Study, started: int, now: int) -> bool:
    """Tell whether the time of a participant has passed; both times in milliseconds."""
    return bool(study.time_limit) and now - started > study.time_limit * 60_000
