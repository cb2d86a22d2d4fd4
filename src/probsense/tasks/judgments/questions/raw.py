"""Raw results of models: the published folders, one file for each question and trial, in every layout."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats
from probsense.analysis.distributions.label_mass import (
    OTHER,
    text_class,
    token_classes,
    top_k_mass,
    trial_mass,
    vocabulary_mass,
)
from probsense.core.errors import InputError
from probsense.core.files import Place, read_jsonl
from probsense.tasks.judgments.questions.wordings import MASSES

Layout: TypeAlias = Literal["masses", "log-probabilities", "texts"]

SLACK = 0.02
"""How far probabilities may lie outside 0 to 1, and their sum from 1, for half precision and two decimals."""

_CUSTOM_ID = re.compile(r"statement_(\d{1,15})_question_(q[123])(?:_request_(\d+))?")
_FORMAT = 'a text, {"yes": …, "no": …, "other": …} or a chat completion with choices'
ANSWER: Final[Mapping[str, pl.DataType]] = {
    "statement_id": pl.Int64(),
    "question": pl.String(),
    **dict.fromkeys(MASSES, pl.Float64()),
}
"""Columns of answers. p_yes, p_no and p_other are null where there is no data."""
SCHEMA: Final[Mapping[str, pl.DataType]] = {"model": pl.String(), **ANSWER}
"""Columns of models' answers."""
_ANSWERS = ("yes", "no", "other")
_PATTERN = re.compile(r"results_raw_(q[123])(?:_trial([2-9]|[1-9]\d+))?\.jsonl")
_Masses: TypeAlias = tuple[list[int], Floats]
"""Statements, and the mass of yes, no and other in the answer about each; NaN where there is no data."""
_Files: TypeAlias = dict[str, dict[int, Path]]
"""The files of a model, by question and trial."""


Reply: TypeAlias = tuple[int, Sequence[Any]]
"""A statement and what was answered: masses of yes, no and other; or pairs of token and log-probability, most probable
first; or texts; nothing where the request failed."""


def read_replies(path: Path, question: str, known: Layout | None = None) -> tuple[Layout | None, list[Reply]]:
    """Read a file of raw results, line by line.

    Parameters
    ----------
    path : Path
        JSON lines.
    question : str
        The question that all lines are about.
    known : str or None
        The layout of the model's other files.

    Returns
    -------
    (str or None, list of (int, sequence))
        The layout of the model, None as long as all requests failed; the replies.

    Raises
    ------
    InputError
        For a file that is empty, a line of no known layout or of another one than an earlier line, a statement that
        comes twice, another question, numbers that are no probabilities.
    """
    replies: list[Reply] = []
    seen: dict[tuple[int, str], Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        (statement, request), (own, content) = _statement(record, question, place), _content(record, place)
        known = known or own
        if own not in (None, known):
            raise place.fault(f"holds {own}", f"{known}, as before")
        # Only texts can be counted over several requests.
        key = statement, request if own in (None, "texts") else ""
        first = seen.setdefault(key, place)
        if first is not place:
            raise place.fault(f"statement {statement} again, first on line {first.line}", "each once")
        replies.append((statement, content))
    if not replies:
        raise InputError("is empty", path=path, expected='one {"id": …, "response": …} per line')
    return known, replies


def _content(record: Mapping[str, Any], place: Place) -> tuple[Layout | None, Sequence[Any]]:
    """Read the kind of an answer, None where the request failed, and what it holds."""
    if "response" not in record:
        raise place.fault("field 'response' is missing", _FORMAT)
    body = record["response"]
    if isinstance(body, dict) and "body" in body:
        body = body["body"]
    match body:
        case None | {"error": dict()}:
            return None, ()
        case str():
            return "texts", [body]
        case {"yes": yes, "no": no, "other": other}:
            return "masses", _masses(yes, no, other, place)
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": [_, *_] as tokens}, *_]}}, *_]}:
            return "log-probabilities", [_token(token, place) for token in tokens]
        case {"choices": [_, *_] as choices}:
            texts = [_text(choice, place) for choice in choices]
            return "texts", [text for text in texts if text is not None]
    raise place.wrong(body, "response", _FORMAT)


def _statement(record: Mapping[str, Any], question: str, place: Place) -> tuple[int, str]:
    """Read the statement, and the number of the request about it."""
    if "custom_id" in record:
        name = record["custom_id"]
        found = _CUSTOM_ID.fullmatch(name) if isinstance(name, str) else None
        if not found:
            raise place.wrong(name, "custom_id", f"such as statement_0_question_{question}")
        if found[2] != question:
            raise place.wrong(name, "custom_id", f"question {question}, as the file's name says")
        return int(found[1]), found[3] or ""
    if "id" not in record:
        raise place.fault("field 'id' is missing", "the number of the statement")
    return place.whole(record["id"], "id", 0, 2**63 - 1, "a whole number from 0"), ""


def _masses(yes: Any, no: Any, other: Any, place: Place) -> list[float]:
    given = {"yes": yes, "no": no, "other": other}
    found = [place.number(mass, name, -SLACK, 1 + SLACK, "a mass") for name, mass in given.items()]
    if abs(sum(found) - 1) > SLACK:
        raise place.fault(f"yes, no and other sum to {sum(found):g}", "1")
    return found


def _token(token: Any, place: Place) -> tuple[str, float]:
    match token:
        case {"token": str() as text, "logprob": logprob}:
            return text, place.number(logprob, "logprob", -math.inf, SLACK, "a log-probability")
    raise place.wrong(token, "a token", '{"token": …, "logprob": …}')


def _text(choice: Any, place: Place) -> str | None:
    match choice:
        case {"message": {"content": (str() | None) as text}}:
            return text
    raise place.wrong(choice, "a choice", '{"message": {"content": …}}')


def read_raw(folder: Path) -> pl.DataFrame:
    """Read raw results of one model in the folder itself, or of several in folders below that bear their names.

    A folder holds ``results_raw_q1.jsonl`` (and q2, q3), and for repeated trials ``results_raw_q1_trial2.jsonl`` and
    so on, without gaps. A line is in one of these layouts (the judgments specification, section 1):

    - ``{"id": 0, "response": {"yes": …, "no": …, "other": …}}``: mass over the whole vocabulary.
    - ``{"id": 0, "response": "Yes, …"}``: a text, classified and counted over the trials.
    - ``{"id": 0, "response": {"choices": […]}}``: a chat completion; the top log-probabilities of its first token,
      or, where it has none, the texts of all its choices, counted over the trials.
    - ``{"custom_id": "statement_0_question_q1", "response": {"body": {"choices": […]}}}``: the same from a batch, in
      which several requests (``…_request_2``) may be about one statement.

    Lines may stand in any order, as each names its statement. Where one answer gives the whole distribution, only
    the first trial counts. A null response, and a request of a batch that failed, is no data.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    DataFrame
        Columns of :data:`SCHEMA`, sorted by model, question and statement.

    Raises
    ------
    InputError
        For a folder without raw results, a file name of another form, a missing trial, an empty file, a line in no
        known layout or in another one than the first of its folder, a statement that comes twice in a file, a line
        about another question than the file's, numbers that are no (log-)probabilities, two folders of one name.
    """
    return pl.concat([_read_model(model, files) for model, files in sorted(_models(folder).items())])


def _models(folder: Path) -> dict[str, _Files]:
    """Find the files of each model."""
    folders: dict[str, Path] = {}
    found: dict[str, _Files] = {}
    for path in sorted(folder.rglob("results_raw_*.jsonl")):
        name = _PATTERN.fullmatch(path.name)
        if not name:
            expected = "results_raw_q1.jsonl, results_raw_q1_trial2.jsonl, …"
            raise InputError("a name of another form", path=path, expected=expected)
        model = path.parent.resolve().name
        first = folders.setdefault(model, path.parent)
        if first != path.parent:
            again = f"the model's name again, first {first}"
            raise InputError(again, path=path.parent, expected="each once")
        found.setdefault(model, {}).setdefault(name[1], {})[int(name[2] or 1)] = path
    if not found:
        raise InputError("no raw results found", path=folder, expected="results_raw_q1.jsonl in it, or below")
    for model, files in found.items():
        for question, trials in files.items():
            if missing := set(range(1, max(trials))) - set(trials):
                lacking = f"trial {min(missing)} of {question} is missing"
                raise InputError(lacking, path=folders[model], expected=f"1 to {max(trials)}")
    return found


def _read_model(model: str, files: _Files) -> pl.DataFrame:
    known: Layout | None = None
    found = []
    for question, trials in sorted(files.items()):
        make, replies = _counted, list[Reply]()
        for _, path in sorted(trials.items()):
            known, own = read_replies(path, question, known)
            if known in _WHOLE:
                # One answer gives the whole distribution.
                make, replies = _WHOLE[known], own
                break
            replies += own
        statements, mass = make(replies)
        about = {"model": model, "statement_id": statements, "question": question}
        frame = pl.DataFrame({**about, **dict(zip(MASSES, mass.T, strict=True))})
        found.append(frame.fill_nan(None).sort("statement_id"))
    return pl.concat(found)


def _counted(replies: Sequence[Reply]) -> _Masses:
    """Count what texts say, over all requests and trials."""
    statements, place = np.unique([statement for statement, _ in replies], return_inverse=True)
    counts = np.zeros((len(statements), 3), np.int64)
    for row, (_, texts) in zip(place.tolist(), replies, strict=True):
        for text in texts:
            counts[row, _ANSWERS.index(text_class(text))] += 1
    return statements.tolist(), trial_mass(counts)


def _with_masses(replies: Sequence[Reply]) -> _Masses:
    masses = np.array([masses or [np.nan] * 3 for _, masses in replies])
    return [statement for statement, _ in replies], vocabulary_mass(masses)


def _with_tokens(replies: Sequence[Reply]) -> _Masses:
    shape = len(replies), max(len(tokens) for _, tokens in replies)
    logprobs, classes = np.full(shape, -np.inf), np.full(shape, OTHER)
    for row, (_, pairs) in enumerate(replies):
        tokens, given = zip(*pairs, strict=True) if pairs else ((), ())
        logprobs[row, : len(given)] = given
        classes[row, : len(given)] = token_classes(tokens)
        if not given:
            logprobs[row] = np.nan
    return [statement for statement, _ in replies], top_k_mass(logprobs, classes)


_WHOLE: Final = {"masses": _with_masses, "log-probabilities": _with_tokens}
"""What reads the layouts in which an answer gives the whole distribution."""
