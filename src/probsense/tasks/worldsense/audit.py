"""The auditor: every gold label recomputed from the text alone, and what is wrong with those that differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from probsense.errors import InputError
from probsense.files import read_jsonl
from probsense.tasks.worldsense.cache import cached_frame
from probsense.tasks.worldsense.explain import flaw, reason
from probsense.tasks.worldsense.parse import SKINS_FILE, answer, folder_grammars, parse_text
from probsense.tasks.worldsense.question import Grammar, ParseFailure
from probsense.tasks.worldsense.trials import PROBLEMS, find_trials, obfuscate

AUDIT_VERSION = 1
"""Raised whenever the auditor may find something else in the same file, so that kept findings are not used."""

_GOLDS: Mapping[str, str] = {obfuscate(gold): gold for golds in PROBLEMS.values() for gold in golds}


class Trial(NamedTuple):
    """What the auditor sees of a trial; the gold label is looked at last."""

    key: int
    problem: str
    text: str
    gold: str


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
    """Something about a trial other than its label."""

    key: int
    problem: str
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    trials, parsed : int
        Trials seen, and those whose text was understood.
    wrong : tuple of Wrong
        Trials whose label is not the answer that enumeration gives.
    unparsed : tuple of Remark
        Trials whose text was not understood, and why.
    flawed : tuple of Remark
        Trials with a right label whose story is not of its problem's form (too few facts or too many, more than
        one order where one is wanted, alternatives that are not each other's complement).
    """

    trials: int
    parsed: int
    wrong: tuple[Wrong, ...]
    unparsed: tuple[Remark, ...]
    flawed: tuple[Remark, ...]

    def to_json(self) -> dict[str, Any]:
        """The audit as the JSON document that ``probsense audit --json`` prints."""
        return asdict(self)


def audit(trials: Iterable[Trial], grammars: Sequence[Grammar] | None = None) -> Audit:
    """Recompute the gold label of every trial.

    Parameters
    ----------
    trials : iterable of Trial
    grammars : sequence of Grammar, optional
        As for :func:`parse_text`.
    """
    count = parsed = 0
    wrong: list[Wrong] = []
    unparsed: list[Remark] = []
    flawed: list[Remark] = []
    for key, problem, text, gold in trials:
        count += 1
        try:
            question = parse_text(text, grammars)
        except ParseFailure as failure:
            unparsed.append(Remark(key, problem, str(failure)))
            continue
        parsed += 1
        found = answer(question)
        if found != gold:
            wrong.append(Wrong(key, problem, gold, found, reason(question)))
        else:
            fault = flaw(question, problem)
            if fault:
                flawed.append(Remark(key, problem, fault))
    return Audit(count, parsed, tuple(wrong), tuple(unparsed), tuple(flawed))


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
        For a missing or unreadable file, or a record without key, problem, text or gold label.
    """
    return audit(_in_blocks(_read(find_trials(folder))), folder_grammars(folder))


def _in_blocks(trials: Iterator[Trial]) -> Iterator[Trial]:
    """The same trials, read some thousands ahead: reading and solving in turn push each other out of the caches."""
    while block := list(islice(trials, 4096)):
        yield from block


def corrected_labels(folder: Path, *, cache: bool = True) -> dict[int, str]:
    """The right response to every trial of a folder whose published label is wrong, by key.

    A trial to which no response is right is left out.

    Parameters
    ----------
    folder : Path
        As for :func:`audit_folder`.
    cache : bool
        Whether what an earlier audit of the same files found may be used.
    """

    def compute() -> pl.DataFrame:
        wrong = [finding for finding in audit_folder(folder).wrong if finding.corrected]
        columns = {"key": [finding.key for finding in wrong], "corrected": [f.corrected for f in wrong]}
        return pl.DataFrame(columns, schema={"key": pl.Int64, "corrected": pl.String})

    own = folder / SKINS_FILE
    what = f"worldsense-audit-{AUDIT_VERSION}"
    if own.is_file():
        what += f"-{hashlib.sha256(own.read_bytes()).hexdigest()[:16]}"
    frame = cached_frame(find_trials(folder), what, compute) if cache else compute()
    return dict(frame.iter_rows())


def _read(path: Path) -> Iterator[Trial]:
    """The trials of a file, one by one: nothing but what the auditor needs is asked of them."""
    for line, record in read_jsonl(path):
        key, problem, text = record.get("Key"), record.get("problemname"), record.get("text")
        if not isinstance(key, int) or problem not in PROBLEMS or not isinstance(text, str):
            raise InputError(
                "no trial",
                path=path,
                line=line,
                expected="Key, problemname and text as in the published files",
            )
        gold = record.get("goldresp") or _GOLDS.get(str(record.get("goldresp_obfusc")))
        if gold is None or gold not in PROBLEMS[str(problem)]:
            raise InputError(
                "no gold label", path=path, line=line, expected="goldresp or goldresp_obfusc of this problem"
            )
        yield Trial(key, problem, text, gold)
