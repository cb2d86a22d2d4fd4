"""Holds a run: what was asked, what was answered, and what that amounts to."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.estimate import flat_frame, flat_rows
from probsense.core.errors import ProbSenseError
from probsense.core.files import file_hash
from probsense.core.records import Item, Json, ScoreRequest, digest
from probsense.core.shown import Shown
from probsense.models.base import BEGINNING, Finding, prompts_notes
from probsense.runs.ask.plan import selection_note
from probsense.runs.ask.progress import describe_usage
from probsense.runs.ask.rounds import Outcome, served_facts, served_notes, thinking_notes
from probsense.runs.score import beginning_note
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store
from probsense.runs.thoughts import thoughts_of
from probsense.runs.transcripts import Transcript, transcripts, with_texts
from probsense.show.text import plain, shorten
from probsense.show.words import Estimates, Words
from probsense.tasks.base import Answered, Method, Task, answered_by, words_of
from probsense.tasks.results import Results, notes_on

if TYPE_CHECKING:
    import polars as pl


SHOWN = 3
"""Largest number of reasons for failures to name."""
RECORDED: Final = (
    *("id", "name", "model", "fingerprint", "details", "version", "options", "method", "seed"),
    *("versions", "files", "started", "finished"),
)
"""What a document tells of the record of a run."""


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """Hold what was asked and what was answered; items without an answer are missing from table and estimates.

    A notebook shows its main estimates and what to call next.

    Attributes
    ----------
    record : RunRecord
        The run as the store knows it.
    task : Task
    items : sequence of Item
        All items that were asked.
    outcome : Outcome
        The answers, the items that have them, and where they came from.
    findings : sequence of Finding
        What the examination of the model found, if there was one.
    store : Path or None
        The file that has the run, and keeps its results once it is finished.
    original : Run or None
        The run under the name that its model has in the store, if it is shown under another one.
    """

    record: RunRecord
    task: Task
    items: Sequence[Item]
    outcome: Outcome
    findings: Sequence[Finding] = ()
    store: Path | None = None
    original: Run | None = None

    def __repr__(self) -> str:
        # Measuring may take minutes: a prompt or a debugger does not start it.
        if "results" in vars(self):
            return super().__repr__()
        model, label = (shorten(plain(word), 60) for word in (self.model, self.record.label))
        return (
            f"{words_of(self.task).title}: {model}, asked by {self.method}, run {label}:"
            f" {self.covered['answered']:,} of {self.covered['asked']:,} items answered\n"
            "next: run.summary() measures and gives every estimate; run.table() every question"
        )

    @property
    def id(self) -> str:
        """Return the content key of everything that defines the run."""
        return self.record.id

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self.record.model

    @property
    def method(self) -> Method:
        """Return how the model was asked."""
        return self.record.method

    @property
    def details(self) -> Mapping[str, Json]:
        """Return everything about the model that can change a number."""
        return self.record.details

    @property
    def asked(self) -> int:
        """Return the number of requests that went to the model."""
        return self.outcome.asked

    @property
    def reused(self) -> int:
        """Return the number of requests that the store could answer."""
        return self.outcome.reused

    @cached_property
    def answered(self) -> Answered:
        """Return the items that were answered, as the task's files and comparisons see them."""
        return answered_by(self.model, self.task, self.method, self.outcome.items, self.outcome.answers)

    def renamed(self, name: str) -> Run:
        """Return the run under another name of its model; its details keep the whole of a path."""
        whole = {} if name.startswith(self.model) else {"given as": self.model}
        record = replace(self.record, model=name, details={**whole, **self.details})
        return replace(self, record=record, original=self.original or self)

    @cached_property
    def results(self) -> Results:
        """Return what the task measured, with what the run itself knows of coverage, failures and the server.

        The store keeps the results of a finished run, until anything changes that they depend on.
        """
        if self.original is not None:
            return self.original.results.renamed(self.original.model, self.model)
        if self.store is None or not self.record.finished or self.covered["failed"]:
            return self._measured()
        return kept_results(self.store, self.record, type(self.task).__module__, self._measured)

    def _measured(self) -> Results:
        own = self.answered.results
        who: dict[str, Json] = {"model": self.model, "prompting": self.method, **self.covered}
        thoughts = thoughts_of(self.outcome, self.task, self.method)
        why = describe_failures(self.outcome.failures)
        failed: dict[str, Json] = {"failed_requests": why} if why else {}
        who |= thoughts.coverage
        # What the run knows comes first, and counts where the task says it, too.
        coverage = [{**who, **row, **who, **failed} for row in own.coverage]
        cut = self.record.usage.truncated
        unfinished, thought = thinking_notes(self.outcome.thinking)
        warnings = [f"the beginning of {cut:,} texts was cut to fit the model"] if cut else []
        warnings += unfinished
        notes = [
            *selection_note(self.record.options, len(self.items)),
            *thought,
            *thoughts.notes,
            *(f"{self.record.task}: {note}" for note in prompts_notes(self.findings)),
            *map(beginning_note, self._beginnings()),
            *served_notes(self.outcome.served),
        ]
        return replace(own, coverage=coverage or [{**who, **failed}]).with_notes(
            # Other warnings may follow from those of thoughts.
            [*notes_on(self.model, thoughts.warnings), *own.warnings, *notes_on(self.model, warnings)],
            [*own.notes, *notes_on(self.model, notes)],
        )

    def _beginnings(self) -> list[str]:
        """Return the token after which options are scored that have nothing before them, if there are some."""
        found = [one.data for one in self.findings if one.name == BEGINNING and "token" in one.data]
        requests = self.outcome.answers if found else ()
        bare = any(isinstance(one, ScoreRequest) and not one.prefix for one in requests)
        return [str(data["token"]) for data in found] if bare else []

    @cached_property
    def _table(self) -> pl.DataFrame:
        if self.results.table is None:
            raise ProbSenseError(f"the task {self.task.name} makes no table of its items")
        return with_texts(self.results.table, self.transcripts())

    def transcripts(self, items: Sequence[Item] | None = None) -> Iterator[Transcript]:
        """Yield items of the run with their questions and answers; by default all, in order."""
        asked = self.items if items is None else items
        return transcripts(self.task, self.method, self.outcome, asked, self.results.table)

    def table(self) -> pl.DataFrame:
        """Return a table with one row for each item that was answered: the task's columns, then those of words.

        The last columns are those of :data:`~probsense.runs.transcripts.WORDS`.

        Raises
        ------
        ProbSenseError
            If the task makes no table.
        """
        return self._table

    def summary(self) -> Estimates:
        """Return the estimates; their prompting is the method of asking. A notebook shows their tables."""
        return Estimates(self.results.estimates, self.words)

    def estimates(self) -> pl.DataFrame:
        """Return a table with one row for each estimate of :meth:`summary`, in its order.

        Returns
        -------
        DataFrame
            - ``task``, ``model`` and ``prompting``, which is how the model was asked
            - ``measure`` and ``method``, which is how the value and its interval were estimated
            - one column for each further key of what estimates describe, such as ``problem`` or ``view``; null where an
              estimate is over all
            - ``value``, ``low``, ``high`` (the ends of the interval), ``stderr`` and ``level``, in the measure's unit
            - ``chance``, what guessing gets; ``shortcut_ceiling``, what shortcuts reach, and ``shortcut_stderr``;
              ``p``, the p-value of the value being 0; ``people``, where people are, if that is the same for all
              questions; ``illustrative`` instead, where their answers are made up
            - ``n``, the number of observations as the method counts them, ``clusters``, ``settings``, and ``items``,
              the number of items of the run that were answered

            Numbers are null where they are unknown.
        """
        found, words = self.summary(), self.words
        own: dict[str, Json] = {"task": self.record.task, "items": self.covered["answered"]}
        rows = [
            {**row, **own, words.people: words.people_at(estimate.measure)}
            for row, estimate in zip(flat_rows([e.to_json() for e in found]), found, strict=True)
        ]
        return flat_frame(rows, numbers=(words.people,), counts=("items",))

    @property
    def words(self) -> Words:
        """Return the words in which the task shows its estimates."""
        return words_of(self.task).suited(illustrative=self.results.illustrative)

    @property
    def covered(self) -> dict[str, int]:
        """Return the numbers of items asked, answered and failed."""
        asked, answered = len(self.items), len(self.outcome.items)
        return {"asked": asked, "answered": answered, "failed": asked - answered}

    def facts(self) -> dict[str, Json]:
        """Return facts about the run, for the report."""
        record = self.record
        return {
            "model": record.model,
            "fingerprint": record.fingerprint,
            **dict(record.details),
            **served_facts(self.outcome.served),
            "task": f"{record.task} (version {record.version})",
            "asked by": record.method,
            **{key: value for key, value in record.options.items() if value is not None},
            "run": record.id,
            **({"name of the run": record.name} if record.name else {}),
            "started": record.started,
            "finished": record.finished,
            **({"used": used} if (used := describe_usage(record.usage)) else {}),
            "packages": dict(record.versions),
            "examination": {one.name: one.detail for one in self.findings},
        }

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``--json`` prints."""
        record = self.record
        rows = [estimate.to_json() for estimate in self.results.estimates]
        return {
            "schema": 1,
            "task": record.task,
            "run": {
                **{name: getattr(record, name) for name in RECORDED},
                "items": len(self.items),
                "asked": self.asked,
                "reused": self.reused,
                "usage": asdict(record.usage),
                "failures": dict(self.outcome.failures),
                "served": {key: dict(values) for key, values in self.outcome.served.items()},
                "findings": [asdict(finding) for finding in self.findings],
            },
            "coverage": [dict(row) for row in self.results.coverage],
            "estimates": [{**row, "coverage": {**self.covered}} for row in rows],
            "digest": results_digest(rows),
            "warnings": list(self.results.warnings),
            "notes": list(self.results.notes),
        }


def results_digest(rows: Sequence[Mapping[str, Json]]) -> str:
    """Return the digest of estimates as JSON has them; what was covered is no part of it."""
    return digest([{key: value for key, value in row.items() if key != "coverage"} for row in rows])


def describe_failures(failures: Mapping[str, int]) -> str:
    """Describe the most frequent reasons, each with its number of requests."""
    return "; ".join(f"{reason} ({count:,})" for reason, count in islice(failures.items(), SHOWN))


def kept_results(path: Path, record: RunRecord, module: str, measure: Callable[[], Results]) -> Results:
    """Return the results that a store keeps of a finished run; measure it, and keep them, if it has none that count.

    Parameters
    ----------
    path : Path
        The store.
    record : RunRecord
        With the name that the model has in the store.
    module : str
        The module of the task, whose code the results depend on. Where it stands in no file, it may change unseen, and
        nothing is kept.
    measure : callable
    """
    with Store.open(path, create=False) as store:
        if (kept := read_results(store, record, module)) is not None:
            return kept
        key = results_key(store, record, module)
    found = measure()
    if key:
        with Store.open(path, create=False) as store:
            store.keep_results(record.id, key, json.dumps(found.to_json(), allow_nan=False))
    return found


def read_results(store: Store, record: RunRecord, module: str) -> Results | None:
    """Read the results that a store keeps of a finished run; None if it has none that count."""
    key, body = store.results(record.id)
    try:
        known = key and key == results_key(store, record, module)
        return Results.from_json(json.loads(body)) if known else None
    except Exception:  # whatever a damaged row does to JSON, base 64 or Arrow: the run is measured anew
        return None


def results_key(store: Store, record: RunRecord, module: str) -> str:
    """Return a digest of all that results depend on; the id stands for questions and answers.

    It is "" for a task that stands in no file, such as one of a notebook.
    """
    if not (code := _code(module)):
        return ""
    findings = [asdict(finding) for finding in store.findings(record.id) if not finding.ok]
    files = {word: _state(path) for word in record.files if (path := Path(word)).exists()}
    cut = record.usage.truncated
    return digest([record.id, record.version, version("probsense"), cut, findings, files, code])


def _state(path: Path) -> Json:
    """Return the hash of a file, or the names, sizes and times of all files in a folder, which may be large."""
    if path.is_file():
        return file_hash(path)
    inside = [(p, p.stat()) for p in sorted(path.rglob("*")) if p.is_file()]
    return [[p.as_posix(), stat.st_size, stat.st_mtime_ns] for p, stat in inside]


@cache
def _code(module: str) -> str:
    """Hash the code and the words of a task: all files of its folder, or its one file if no package holds it."""
    loaded = sys.modules.get(module)
    origin = loaded.__dict__.get("__file__") if loaded else getattr(find_spec(module), "origin", None)
    if origin is None:
        return ""
    path = Path(origin)
    whole = hashlib.sha256()
    for one in sorted(path.parent.rglob("*")) if "." in module else [path]:
        if one.suffix in (".py", ".toml"):
            whole.update(one.read_bytes())
    return whole.hexdigest()
