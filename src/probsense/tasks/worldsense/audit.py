"""The auditor: recomputes every gold label from the text, and says what is wrong with those that differ.

It calls a label wrong only if two readings of the trial give the same other answer (:func:`settled`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from probsense.tasks.worldsense.generate.files import MANIFEST_FILE, changed_files
from probsense.tasks.worldsense.questions.description import read_described
from probsense.tasks.worldsense.questions.format import aligned, cells_in_order
from probsense.tasks.worldsense.questions.trials import (
    Trial,
    folder_reader,
    frame_of_folder,
    listed,
    load_trials,
    read_trials,
)
from probsense.tasks.worldsense.text import logic
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import ParsedQuestion, ParseFailure, Reading
from probsense.tasks.worldsense.text.reading import Reader

ABOUT_UNMENTIONED = "Compl.trivial"
"""The problem that asks, on purpose, about what its story does not mention."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A trial whose published label is wrong; ``corrected`` is "" where no answer is right."""

    key: int
    problem: str
    published: str
    corrected: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a trial whose text was not understood."""

    key: int
    problem: str
    reason: str


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of the questions of a problem and size.

    Attributes
    ----------
    problem : str
    size : int
    trials, forms : int
        How many there are.
    most : float
        Share of the trials that have the most frequent form.
    """

    problem: str
    size: int
    trials: int
    forms: int
    most: float


@dataclass(frozen=True, slots=True)
class Audit:
    """The results of an audit.

    Attributes
    ----------
    trials, parsed : int
        Numbers of all trials, and of those whose text was understood.
    wrong : tuple of Wrong
        Trials whose label is not the answer that the solver gives.
    unparsed : tuple of Remark
        Trials whose text was not understood, or understood in two ways, or in one way only where that contradicts
        the label; and why.
    changed : tuple of str
        Files of a generated set that are not those of its manifest.
    forms : tuple of Forms
        How many forms the understood questions of each problem and size have.
    """

    trials: int
    parsed: int
    wrong: tuple[Wrong, ...]
    unparsed: tuple[Remark, ...]
    changed: tuple[str, ...] = ()
    forms: tuple[Forms, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the document that ``probsense audit --json`` prints."""
        return {"schema": 1, **asdict(self)}

    def __str__(self) -> str:
        lines = [
            f"{self.trials:,} trials, {self.parsed:,} understood, {len(self.wrong):,} with a wrong gold label",
            *(
                f"{name} is not the file of {MANIFEST_FILE}: it has changed or is gone"
                for name in self.changed
            ),
            *(
                f"{wrong.key}  {wrong.problem}  {wrong.published} -> {wrong.corrected or 'none'}: {wrong.reason}"
                for wrong in self.wrong
            ),
            *(f"{remark.key}  {remark.problem}  not understood: {remark.reason}" for remark in self.unparsed),
        ]
        if self.forms:
            lines += ["", *forms_table(self.forms)]
        return "\n".join(lines)


def count_forms(questions: Iterable[tuple[str, int, str]]) -> tuple[Forms, ...]:
    """Count forms by problem and size.

    Parameters
    ----------
    questions : iterable of (str, int, str)
        Problem, size and form of each trial.
    """
    cells: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for problem, size, form in questions:
        cells[problem, size][form] += 1
    found = []
    for cell in cells_in_order(cells):
        counts = cells[cell]
        found.append(Forms(*cell, counts.total(), len(counts), max(counts.values()) / counts.total()))
    return tuple(found)


def forms_table(counts: Sequence[Forms]) -> list[str]:
    """Write a line for each problem, with its forms at each size and the share of the most frequent one."""
    sizes = sorted({one.size for one in counts})
    problems = list(dict.fromkeys(one.problem for one in counts))
    told = {(one.problem, one.size): f"{one.forms:,} ({one.most:.3f})" for one in counts}
    head = ["forms (share of the most frequent)", *(f"size {size}" for size in sizes)]
    rows = ([problem, *(told.get((problem, size), "") for size in sizes)] for problem in problems)
    return aligned([head, *rows])


def audit(trials: Iterable[Trial], reader: Reader) -> Audit:
    """Recompute the gold label of every trial."""
    wrong: list[Wrong] = []
    unparsed: list[Remark] = []
    forms: list[tuple[str, int, str]] = []
    for trial in trials:
        key, problem, gold = trial.key, trial.problem, trial.gold
        try:
            _, question, found = settled(gold, readings_of(trial, reader))
        except ParseFailure as failure:
            unparsed.append(Remark(key, problem, str(failure)))
            continue
        forms.append((problem, question.size, form_id(question.facts, next(iter(question.claims), None))))
        if found != gold:
            wrong.append(Wrong(key, problem, gold, found, reason(question)))
    count = len(forms) + len(unparsed)
    return Audit(count, len(forms), tuple(wrong), tuple(unparsed), forms=count_forms(forms))


def readings_of(trial: Trial, reader: Reader) -> Iterator[Reading]:
    """Yield the reading of the text, and where there is one a second, of the record or of the text as English.

    Raises
    ------
    ParseFailure
        When the text is not understood, or speaks of what its story does not mention and its problem is not about
        that.
    """
    texts = reader.readings(trial.text, trial.names)
    first = next(texts)
    if trial.problem != ABOUT_UNMENTIONED and (thing := beyond(first.question)):
        raise ParseFailure(f"the question speaks of {thing}, which its story does not mention")
    yield first
    question = read_described(trial.problem, trial.record, first.question)
    if question:
        yield Reading("its record", question, logic.answer(question))
    elif first.answer != trial.gold:
        with suppress(ParseFailure):
            yield from texts


def settled(gold: str, readings: Iterable[Reading]) -> Reading:
    """Return the first reading, if no other contradicts it, and another confirms it where it contradicts the label.

    Parameters
    ----------
    gold : str
        The label.
    readings : iterable of Reading
        One or more.

    Raises
    ------
    ParseFailure
        When two readings give different answers, or when only one reading says that the label is wrong.
    """
    first, *others = readings
    said = f"by {first.source} the answer is {first.answer or 'none'}"
    for other in others:
        if other.answer != first.answer:
            raise ParseFailure(f"{said}, by {other.source} {other.answer or 'none'}")
    if first.answer != gold and not others:
        raise ParseFailure(f"{said}, and no second reading confirms it")
    return first


def beyond(question: ParsedQuestion) -> str:
    """Describe what a claim speaks of and the story does not mention; "" where there is no such thing."""
    for claim in question.claims:
        if claim.relation == "foreign":
            return "a comparison that the story does not make"
        for place in claim.args:
            if place >= question.size:
                return repr(question.names[place])
    return ""


def audit_folder(folder: Path) -> Audit:
    """Recompute the gold labels of a test-set folder in the published layout.

    Parameters
    ----------
    folder : Path
        Holds ``trials.jsonl.bz2`` (or ``trials.jsonl``), and ``skins.yaml`` where its texts are told in skins
        of the user's own.

    Raises
    ------
    InputError
        As from :func:`read_trials`.
    """
    reader = folder_reader(folder)
    found = audit(listed(read_trials(folder, whole=False), reader), reader)
    return replace(found, changed=changed_files(folder))


def reason(question: ParsedQuestion) -> str:
    """Explain why the answer that the solver gives is the right one, with worlds as witnesses."""
    n = len(question.names)
    possible = logic.worlds(n, question.facts)
    if question.kind == "consist":
        if possible:
            return f"all facts hold in {_world(question, possible)}"
        return "the facts contradict each other"
    if not possible:
        return "the facts contradict each other, so no answer is right"
    verdicts = logic.decide(n, question.facts, question.claims)
    subject = "the claim" if question.kind == "infer" else "(1)"
    claim = question.claims[0]
    if claim.relation == "foreign":
        return f"{subject} compares in a way the story says nothing about"
    if question.kind == "compl" and verdicts == ("no", "yes"):
        subject, claim, verdicts = "(2)", question.claims[1], ("yes",)
    if verdicts[0] == "undecided":
        return (
            f"the facts do not decide {subject}: it holds in {_world(question, possible.where(claim))}, "
            f"and does not hold in {_world(question, possible.where(claim, holds=False))}"
        )
    does = "holds" if verdicts[0] == "yes" else "does not hold"
    return f"{subject} {does} in every world that fits the facts, as in {_world(question, possible)}"


def _world(question: ParsedQuestion, possible: logic.Worlds) -> str:
    """Describe one of the possible worlds in words."""
    names, world = question.names, possible.some()
    if isinstance(possible, logic.Orders):
        return f"the order {' > '.join(names[i] for i in world)}"
    sides = [
        [name for name, way in zip(names, world, strict=True) if (way == world[0]) is near]
        for near in (True, False)
    ]
    return " across ".join(" and ".join(side) for side in sides if side)


VERSION = 4
"""This number rises whenever the auditor may find something else in the same file."""


class Corrections(NamedTuple):
    """Corrected gold labels by key, and notes on the trials that keep theirs for want of a better one."""

    labels: dict[int, str]
    notes: list[str]


def corrections(folder: Path) -> Corrections:
    """Audit a test set in the published format, or recall the findings of an earlier audit of the same file."""

    def compute() -> pl.DataFrame:
        reader = folder_reader(folder)
        found = audit(listed(load_trials(folder), reader), reader)
        rows: list[tuple[int, str | None]] = [(wrong.key, wrong.corrected) for wrong in found.wrong]
        rows += [(remark.key, None) for remark in found.unparsed]
        return pl.DataFrame(rows, schema={"key": pl.Int64, "corrected": pl.String}, orient="row")

    frame = frame_of_folder(folder, f"worldsense-audit-{VERSION}", compute)
    labels = dict(frame.filter(pl.col("corrected") != "").iter_rows())
    unread, without = frame["corrected"].null_count(), int((frame["corrected"] == "").sum())
    counts = {
        f"the auditor does not understand {unread:,} trials": unread,
        f"{without:,} trials have no right answer": without,
    }
    kept = "they keep their published labels"
    return Corrections(labels, [f"{what}; {kept}" for what, n in counts.items() if n])
