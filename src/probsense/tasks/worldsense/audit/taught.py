"""Which forms of a test set a training set has, too: both are computed from the texts of questions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from probsense.core.errors import InputError
from probsense.core.files import Place, read_jsonl
from probsense.tasks.worldsense.questions.format import TRAINING_FILE
from probsense.tasks.worldsense.text.form import question_form
from probsense.tasks.worldsense.text.logic import ParseFailure
from probsense.tasks.worldsense.text.parse import folder_grammars, parse_text

_EXPECTED = 'one {"dialog_history": {"messages": [{"content": TEXT}]}, ...} a line'


class Taught(NamedTuple):
    """A training set: its file, its questions, those that were understood, and their forms."""

    file: str
    questions: int
    understood: int
    forms: frozenset[str]

    def shared(self, asked: Collection[str]) -> Shared:
        """Say which forms of a test set it has.

        Parameters
        ----------
        asked : collection of str
            The form of each trial.
        """
        met = [form for form in asked if form in self.forms]
        return Shared(self.file, self.questions, self.understood, len(self.forms), len({*met}), len(met))


@dataclass(frozen=True, slots=True)
class Shared:
    """What a test set has in common with a training set.

    Attributes
    ----------
    file : str
        The training set.
    questions, understood : int
        Its questions, and those whose text was understood.
    forms : int
        How many forms these have.
    shared : int
        How many forms of the test set are among them.
    trials : int
        How many trials have these.
    """

    file: str
    questions: int
    understood: int
    forms: int
    shared: int
    trials: int

    def __str__(self) -> str:
        left = self.questions - self.understood
        without = f", {left:,} of them not understood" if left else ""
        its = f"{self.forms:,} forms of {self.file} ({self.questions:,} questions{without})"
        if self.shared:
            return f"{self.shared:,} of the {its} are in the set, too, in {self.trials:,} trials"
        return f"none of the {its} is in the set"


def read_taught(path: Path) -> Taught:
    """Compute the forms of a training set.

    Parameters
    ----------
    path : Path
        A file in the format of training sets, or the folder that holds ``training.jsonl.bz2``; its ``skins.yaml``
        stands beside it, if its texts are told in skins of the user's own.

    Raises
    ------
    InputError
        For a file that cannot be read, is empty, or is no training set.
    """
    file = path / TRAINING_FILE if path.is_dir() else path
    grammars = folder_grammars(file.parent)
    questions, forms = 0, list[str]()
    for text in _texts(file):
        questions += 1
        try:
            forms.append(question_form(parse_text(text, grammars)))
        except ParseFailure:
            continue
    if not questions:
        raise InputError("holds no questions", path=file, expected=_EXPECTED)
    return Taught(str(file), questions, len(forms), frozenset(forms))


def _texts(file: Path) -> Iterator[str]:
    for line, record in read_jsonl(file):
        match record:
            case {"dialog_history": {"messages": [{"content": str(text)}, *_]}}:
                yield text
            case _:
                raise Place(file, line).fault("no question of a training set", _EXPECTED)
