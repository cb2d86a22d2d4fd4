"""The auditor: every gold label recomputed from the text alone, and what is wrong with those that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from probsense.errors import InputError
from probsense.files import Place, read_jsonl
from probsense.tasks.worldsense.explain import flaw, reason
from probsense.tasks.worldsense.parse import answer, folder_grammars, parse_text
from probsense.tasks.worldsense.question import Grammar, ParseFailure
from probsense.tasks.worldsense.trials import GOLDS, PROBLEMS, find_trials


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
        """Return the document that ``probsense audit --json`` prints."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.trials:,} trials, {self.parsed:,} understood, {len(self.wrong):,} with a wrong gold label",
            *(
                f"{wrong.key}  {wrong.problem}  {wrong.published} -> {wrong.corrected or 'none'}: {wrong.reason}"
                for wrong in self.wrong
            ),
        ]
        for title, remarks in (("not understood", self.unparsed), ("not of its problem's form", self.flawed)):
            lines += [f"{remark.key}  {remark.problem}  {title}: {remark.reason}" for remark in remarks]
        return "\n".join(lines)


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
    path = find_trials(folder)
    found = audit(_in_blocks(_read(path)), folder_grammars(folder))
    if not found.trials:
        raise InputError("holds no trials", path=path, expected="one JSON object per line")
    return found


def _in_blocks(trials: Iterator[Trial]) -> Iterator[Trial]:
    """The same trials, read some thousands ahead: reading and solving in turn push each other out of the caches."""
    while block := list(islice(trials, 4096)):
        yield from block


def _read(path: Path) -> Iterator[Trial]:
    """The trials of a file, one by one: nothing but what the auditor needs is asked of them."""
    for line, record in read_jsonl(path):
        key, problem, text = record.get("Key"), record.get("problemname"), record.get("text")
        if not (
            isinstance(key, int)
            and isinstance(problem, str)
            and isinstance(text, str)
            and problem in PROBLEMS
        ):
            raise Place(path, line).fault("no trial", "Key, problemname and text as in the published files")
        gold = record.get("goldresp") or GOLDS.get(str(record.get("goldresp_obfusc")))
        if gold is None or gold not in PROBLEMS[problem]:
            raise Place(path, line).fault("no gold label", "goldresp or goldresp_obfusc of this problem")
        yield Trial(key, problem, text, gold)
