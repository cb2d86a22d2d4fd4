"""The part of a report about one task: the results of all its runs, or of recorded answers, together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from probsense.core.records import Json
from probsense.models.prompts.thoughts import UNFINISHED
from probsense.runs.reproduce import Recipe
from probsense.show.key_results import key_results
from probsense.show.measure import KeyResult, KeyResults
from probsense.show.text import joined, plain
from probsense.show.words import PEOPLE, Table, Words
from probsense.tasks.base import Analysis, words_of
from probsense.tasks.registry import words_named
from probsense.tasks.results import Note, Results, together

if TYPE_CHECKING:
    from probsense.analysis.comparison.compare import Comparison
    from probsense.runs.run import Run


ALL: Final = "all models"
"""Whom a note is about that is about three or more, and everybody."""
NAMED: Final = 4
"""Models that the opening line of a page names at most."""


@dataclass(frozen=True, eq=False)
class Part:
    """Results of one task, of any number of models.

    Attributes
    ----------
    name : str
        The name of the task.
    words : Words
        In which they are shown.
    results : Results
    facts : sequence of Mapping
        How it was done, a mapping for each run; nested mappings are spread out.
    warnings : sequence of str
        What must be said before anything else.
    comparable : bool
        Whether the estimates of its models rest on the same questions.
    recipes : sequence of Recipe
        Of its runs, where they are to be kept with it.
    """

    name: str
    words: Words
    results: Results
    facts: Sequence[Mapping[str, Json]] = ()
    warnings: Sequence[str] = ()
    comparable: bool = True
    recipes: Sequence[Recipe] = ()


def parts_of_runs(runs: Sequence[Run]) -> list[Part]:
    """Put the runs of each task together, in the order in which the tasks come."""
    return [_part_of_runs(name, own) for name, own in by_task(runs).items()]


def _part_of_runs(name: str, runs: Sequence[Run]) -> Part:
    joined = together([run.results for run in runs])
    models = [run.model for run in runs]
    comparable = len({frozenset((item.id, item.cluster) for item in run.items) for run in runs}) == 1
    return Part(
        name,
        words_of(runs[0].task).suited(illustrative=joined.illustrative),
        joined.with_notes(_once(joined.warnings, models), _once(joined.notes, models)),
        [run.facts() for run in runs],
        _warnings(runs, comparable=comparable),
        comparable,
    )


def _once(said: Sequence[str], models: Collection[str]) -> list[Note]:
    """Say once what is said of several models."""
    found: dict[tuple[str, bool], list[str]] = {}
    for note in map(Note.of, said):
        found.setdefault((note.text, note.voids), []).append(note.model)
    return [Note(text, _names([*dict.fromkeys(who)], models), voids) for (text, voids), who in found.items()]


def _names(who: Sequence[str], models: Collection[str]) -> str:
    """Name models; three or more that are all there are need no names."""
    return ALL if len(who) > 2 and set(who) == set(models) else ", ".join(who).removesuffix(":")


def all_warnings(part: Part) -> list[str]:
    """List all that must be said before any figure: what does not compare, what is missing, what reads otherwise."""
    own = [*part.warnings, *incomplete(part.results.coverage), *part.results.warnings]
    return [plain(warning) for warning in own]


def voiding_warnings(part: Part) -> list[str]:
    """List the warnings that void a result, which is missing or means nothing; the others only qualify one."""
    models = {plain(row["model"]) for row in part.results.coverage if row.get("model")}
    own = [
        note.text if {*note.model.split(", ")} in (models, {ALL}) else str(note)
        for note in map(Note.of, part.results.warnings)
        if note.voids
    ]
    return [plain(warning) for warning in [*part.warnings, *incomplete(part.results.coverage), *own]]


def cautions(part: Part) -> list[str]:
    """List the warnings that only qualify a result."""
    return [plain(note) for note in map(Note.of, part.results.warnings) if not note.voids]


def findings(part: Part) -> KeyResults:
    """Put what was found into sentences, as every reader shows them: about all models, and about each.

    A model whose results are withheld has a sentence that says why.
    """
    found, withheld = key_results(part.results.estimates, part.words), part.results.withheld
    silent = {PEOPLE, *map(plain, withheld)}
    told = [one for one in found.models if part.words.is_model(one.model) and one.model not in silent]
    missing = [KeyResult(model, f"has no result: {why}.", "") for model, why in withheld.items()]
    return found._replace(headline=found.headline if part.comparable else "", models=[*told, *missing])


def warnings_by_task(parts: Iterable[Part], of: Callable[[Part], Sequence[str]] = all_warnings) -> list[str]:
    """List the warnings of several tasks, each once, with the names of its tasks."""
    return once_by_task((part.words.title, warning) for part in parts for warning in of(part))


def once_by_task(said: Iterable[tuple[str, str]]) -> list[str]:
    """Say once, with the names of the tasks, what is said of several tasks; texts come as (task, text)."""
    found: dict[str, list[str]] = {}
    for task, text in said:
        found.setdefault(text, []).append(task)
    return [f"{joined([*dict.fromkeys(tasks)])}: {text}" for text, tasks in found.items()]


def listed(part: Part, most: int = sys.maxsize) -> list[Table]:
    """Make the table of single items of a task that has one, with so many items at most."""
    make = part.words.listing
    return [make(part.results.tables, most)] if make and part.results.tables else []


def part_of_analysis(analysis: Analysis) -> Part:
    """Return the part that tells of recorded results."""
    return Part(analysis.task, analysis.words, analysis.results, [analysis.facts])


def part_of_comparison(comparison: Comparison) -> Part:
    """Return the part that tells of the levels of a comparison, whose chart has everybody whatever their method."""
    first = {one.measure: one.method for one in reversed(comparison.levels)}
    levels = [replace(one, method=first[one.measure]) for one in comparison.levels]
    return Part(comparison.task, words_named(comparison.task), Results(levels))


def by_task(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Group runs by the name of their task."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.record.task, []).append(run)
    return found


def _warnings(runs: Sequence[Run], *, comparable: bool) -> list[str]:
    """Warn that estimates do not compare, and of what the examination of a model found wrong."""
    unlike = (
        f"The runs of {runs[0].words.title} were not asked the same questions: their results do not compare."
    )
    failed = [
        f"{run.model}: the examination found that the {finding.name} is not as it should be: {finding.detail}"
        for run in runs
        for finding in run.findings
        if finding.ok is False
    ]
    return [*([] if comparable else [unlike]), *dict.fromkeys(failed)]


def coverage_words(rows: Sequence[Mapping[str, Json]]) -> str:
    """Say how many items models answered: in one phrase if it is the same for all, and else the smallest share.

    Parameters
    ----------
    rows : sequence of mapping
        With "model", "asked" and "answered", and "failed" for runs; rows without the first three do not count.
        Recorded answers that are whole are not mentioned.
    """
    known: list[Mapping[str, Any]] = [row for row in rows if {"model", "asked", "answered"} <= {*row}]
    if not any("failed" in row or row["answered"] != row["asked"] for row in known):
        return ""
    shares = [_share(row) for row in known]
    if len(set(shares)) < 2:
        return shares[0] if shares else ""
    least = min(known, key=lambda row: (row["answered"] / row["asked"], row["asked"]))
    return f"{_who(least)}: {_share(least)}, the least of {len(known)}"


AGAIN: Final = " The same command asks for them again."
"""What can be done about failed requests, unless they have an answer that is none."""


def asked_words(parts: Sequence[Part]) -> str:
    """Say how much was asked of whom, as far as runs tell: “24 to 300 questions of 6 tasks, asked of a and b”."""
    rows = [row for part in parts for row in part.results.coverage]
    models = [*dict.fromkeys(plain(row["model"]) for row in rows if row.get("model"))]
    runs = (row for row in rows if "failed" in row)  # Recorded answers were asked for by somebody else.
    numbers = sorted({number for row in runs if isinstance(number := row.get("asked"), int)})
    if not models:
        return ""
    who = joined(models) if len(models) <= NAMED else f"{len(models)} models"
    tasks = parts[0].words.title if len(parts) == 1 else f"{len(parts)} tasks"
    if not numbers:
        return f"{tasks}: recorded answers of {who}"
    many = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
    return f"{many} questions of {'' if len(parts) == 1 else 'each of '}{tasks}, asked of {who}"


def incomplete(rows: Sequence[Mapping[str, Json]]) -> list[str]:
    """Say first of all which runs have items that failed."""
    return [
        f"Incomplete: {_who(row)}: {_share(row)}. The results are of these alone. Failed requests:"
        f" {plain(row['failed_requests'])}.{AGAIN * (UNFINISHED not in str(row['failed_requests']))}"
        for row in rows
        if row.get("failed")
    ]


def covered(part: Part, tables: Iterable[Table]) -> list[Table]:
    """Add the coverage of a task to the title of each table."""
    words = coverage_words(part.results.coverage)
    return [replace(table, title=f"{table.title}; {words}") if words else table for table in tables]


def _who(row: Mapping[str, Json]) -> str:
    return plain(f"{row['model']}, asked by {row['prompting']}" if "prompting" in row else row["model"])


def _share(row: Mapping[str, Any]) -> str:
    asked, answered = row["asked"], row["answered"]
    if answered == asked:
        return f"all {asked:,} items answered"
    # Rounded down: what is not whole must not look so.
    return f"{answered:,} of {asked:,} items answered ({1000 * answered // asked / 10} %)"
