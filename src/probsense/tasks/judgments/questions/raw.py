"""Raw results of models: the published folders, one file for each question and trial, in every layout."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import (
    OTHER,
    YES_NO,
    Interval,
    Labels,
    dirichlet_interval,
    text_class,
    token_classes,
    top_k_bounds,
    top_k_mass,
    trial_mass,
    vocabulary_mass,
)
from probsense.core.errors import InputError
from probsense.core.files import Place, read_bytes, read_jsonl
from probsense.tasks.judgments.questions.wordings import MASSES

Layout: TypeAlias = Literal["masses", "log-probabilities", "texts"]

SLACK = 0.02
"""How far probabilities may lie outside 0 to 1, and their sum from 1, for half precision and two decimals."""

_CUSTOM_ID = re.compile(r"statement_(\d{1,15})_question_(q[123])(?:_request_(\d+))?")
_FORMAT = 'a text, {"yes": …, "no": …, "other": …} or a chat completion with choices'
SCHEMA: Mapping[str, pl.DataType] = MappingProxyType(
    {
        "model": pl.String(),
        "statement_id": pl.Int64(),
        "question": pl.String(),
        "p_yes": pl.Float64(),
        "p_no": pl.Float64(),
        "p_other": pl.Float64(),
        "n": pl.Int64(),
        "low_yes": pl.Float64(),
        "high_yes": pl.Float64(),
    }
)
"""Columns of models' answers. p_yes, p_no and p_other are null where there is no data. n is the number of trials,
null where the probabilities were not counted. low_yes and high_yes are the bounds of top k tokens, the 95 % interval
of trials, and null where the whole vocabulary is known."""
_ANSWERS = ("yes", "no", "other")
_PATTERN = re.compile(r"results_raw_(q[123])(?:_trial([2-9]|[1-9]\d+))?\.jsonl")
_NO_TEXT = r"^(?:-?[\d.]+(?:[eE][+-]?\d+)?|true|false|[\[{][\s\S]*)$"
"""A JSON value that is no string looks like this once polars has made a string of it."""
_Files: TypeAlias = dict[str, dict[int, Path]]
"""The files of a model, by question and trial."""


class RawReply(NamedTuple):
    """An answer about a statement, as a file of raw results has it.

    Attributes
    ----------
    statement : int
    request : str
        Names one of several requests about the statement; "" where there is one.
    layout : str or None
        The kind of the content; None where the request failed.
    content : list
        Masses of yes, no and other; or pairs of token and log-probability, most probable first; or texts.
    """

    statement: int
    request: str
    layout: Layout | None
    content: Sequence[Any]


def read_replies(path: Path, question: str) -> tuple[Layout | None, list[RawReply]]:
    """Read a file of raw results, line by line.

    Parameters
    ----------
    path : Path
        JSON lines.
    question : str
        The question that all lines are about.

    Returns
    -------
    (str or None, list of RawReply)
        The layout that all lines share, None where all requests failed; the replies.

    Raises
    ------
    InputError
        For a file that is empty, a line of no known layout or of another one than an earlier line, a statement that
        comes twice, another question, numbers that are no probabilities.
    """
    layout: Layout | None = None
    replies: list[RawReply] = []
    seen: dict[tuple[int, str], Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        reply = _reply(record, question, place)
        layout = layout or reply.layout
        if reply.layout not in (None, layout):
            raise place.fault(f"holds {reply.layout}", f"{layout}, as the lines before")
        # Only texts can be counted over several requests.
        key = reply.statement, reply.request if reply.layout in (None, "texts") else ""
        first = seen.setdefault(key, place)
        if first is not place:
            raise place.fault(f"statement {reply.statement} again, first on line {first.line}", "each once")
        replies.append(reply)
    if not replies:
        raise InputError("is empty", path=path, expected='one {"id": …, "response": …} per line')
    return layout, replies


def _reply(record: Mapping[str, Any], question: str, place: Place) -> RawReply:
    statement, request = _statement(record, question, place)
    if "response" not in record:
        raise place.fault("field 'response' is missing", _FORMAT)
    body = record["response"]
    if isinstance(body, dict) and "body" in body:
        body = body["body"]
    match body:
        case None | {"error": dict()}:
            return RawReply(statement, request, None, ())
        case str():
            return RawReply(statement, request, "texts", [body])
        case {"yes": yes, "no": no, "other": other}:
            return RawReply(statement, request, "masses", _masses(yes, no, other, place))
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": [_, *_] as tokens}, *_]}}, *_]}:
            return RawReply(
                statement, request, "log-probabilities", [_token(token, place) for token in tokens]
            )
        case {"choices": [_, *_] as choices}:
            texts = [_text(choice, place) for choice in choices]
            return RawReply(statement, request, "texts", [text for text in texts if text is not None])
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


def read_raw(folder: Path, labels: Labels = YES_NO) -> pl.DataFrame:
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
    labels : sequence of (name, words)
        The words that mean "yes" and "no".

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
    models = _models(folder)
    return pl.concat([_read_model(path, models[path], labels) for path in sorted(models, key=_name)])


def _models(folder: Path) -> dict[Path, _Files]:
    """Find the files of each model, by its folder."""
    found: dict[Path, _Files] = {}
    for path in sorted(folder.rglob("results_raw_*.jsonl")):
        name = _PATTERN.fullmatch(path.name)
        if not name:
            raise InputError(
                "a name of another form",
                path=path,
                expected="results_raw_q1.jsonl, results_raw_q1_trial2.jsonl, …",
            )
        found.setdefault(path.parent, {}).setdefault(name[1], {})[int(name[2] or 1)] = path
    if not found:
        raise InputError("no raw results found", path=folder, expected="results_raw_q1.jsonl in it, or below")
    first: dict[str, Path] = {}
    for path, files in found.items():
        if first.setdefault(_name(path), path) != path:
            raise InputError(
                f"the model's name again, first {first[_name(path)]}", path=path, expected="each once"
            )
        for question, trials in files.items():
            missing = set(range(1, max(trials))) - set(trials)
            if missing:
                raise InputError(
                    f"trial {min(missing)} of {question} is missing",
                    path=path,
                    expected=f"1 to {max(trials)}",
                )
    return found


def _name(folder: Path) -> str:
    return folder.resolve().name


def _read_model(folder: Path, files: _Files, labels: Labels) -> pl.DataFrame:
    first: tuple[Layout, Path] | None = None
    found = []
    for question, trials in sorted(files.items()):
        frames = []
        for _, path in sorted(trials.items()):
            layout, frame = _read_file(path, question, labels)
            first = first or (layout and (layout, path))
            if layout and first and layout != first[0]:
                raise InputError(f"holds {layout}", path=path, expected=f"{first[0]}, as in {first[1].name}")
            frames.append(frame)
        whole = [frame for frame in frames if "p_yes" in frame.columns]
        frame = whole[0] if whole else _counted(pl.concat(frames))
        found.append(frame.sort("statement_id").with_columns(question=pl.lit(question)))
    return pl.concat(found).with_columns(model=pl.lit(_name(folder))).select(*SCHEMA)


def _read_file(path: Path, question: str, labels: Labels) -> tuple[Layout | None, pl.DataFrame]:
    """Read the layout of a file and its rows: statement_id and label for texts, otherwise probabilities."""
    frame = _read_texts(path, labels)
    if frame is not None:
        return "texts", frame
    layout, replies = read_replies(path, question)
    match layout:
        case "masses":
            return layout, _with_masses(replies)
        case "log-probabilities":
            return layout, _with_tokens(replies, labels)
        case _:
            rows: list[tuple[int, str | None]]
            rows = [(r.statement, text_class(t, labels)) for r in replies for t in r.content]
            rows += [(r.statement, None) for r in replies if not r.content]
            return layout, pl.DataFrame(
                rows, schema={"statement_id": pl.Int64, "label": pl.String}, orient="row"
            )


def _read_texts(path: Path, labels: Labels) -> pl.DataFrame | None:
    """Read a file of texts the fast way; None where it has a fault, or may have one."""
    try:
        frame = pl.scan_ndjson(read_bytes(path), schema={"id": pl.Int64(), "response": pl.String()}).collect()
    except pl.exceptions.PolarsError:
        return None
    statement, said = frame["id"], frame["response"]
    if statement.null_count() or statement.is_duplicated().any() or (statement < 0).any():
        return None
    if frame.is_empty() or said.null_count() or said.str.contains(_NO_TEXT).any():
        return None
    known = {text: text_class(text, labels) for text in said.unique()}
    label = said.replace_strict(known, return_dtype=pl.String)
    return pl.DataFrame({"statement_id": statement, "label": label})


def _counted(texts: pl.DataFrame) -> pl.DataFrame:
    """Compute probabilities from the labels of texts."""
    counts = texts.group_by("statement_id").agg(
        (pl.col("label") == name).sum().alias(name) for name in _ANSWERS
    )
    found = counts.select(_ANSWERS).to_numpy().astype(np.int64)
    return _frame(counts["statement_id"], trial_mass(found), found.sum(-1), dirichlet_interval(found))


def _with_masses(replies: Sequence[RawReply]) -> pl.DataFrame:
    masses = np.array([reply.content or [np.nan] * 3 for reply in replies])
    return _frame([reply.statement for reply in replies], vocabulary_mass(masses))


def _with_tokens(replies: Sequence[RawReply], labels: Labels) -> pl.DataFrame:
    shape = len(replies), max(len(reply.content) for reply in replies)
    logprobs, classes = np.full(shape, -np.inf), np.full(shape, OTHER)
    tokens = list({token for reply in replies for token, _ in reply.content})
    known = dict(zip(tokens, token_classes(tokens, labels).tolist(), strict=True))
    for row, reply in enumerate(replies):
        size = len(reply.content)
        logprobs[row, :size] = [logprob for _, logprob in reply.content]
        classes[row, :size] = [known[token] for token, _ in reply.content]
        if not size:
            logprobs[row] = np.nan
    return _frame(
        [reply.statement for reply in replies],
        top_k_mass(logprobs, classes),
        bounds=top_k_bounds(logprobs, classes),
    )


def _frame(
    statements: Sequence[int] | pl.Series,
    mass: NDArray[np.float64],
    n: NDArray[np.int64] | None = None,
    bounds: Interval | None = None,
) -> pl.DataFrame:
    """Make the columns of :data:`SCHEMA` but model and question; NaN becomes null."""
    columns = {"statement_id": statements, **dict(zip(MASSES, mass.T, strict=True)), "n": n}
    known = ~np.isnan(mass[:, 0])
    for name, bound in zip(("low_yes", "high_yes"), bounds or (None, None), strict=True):
        columns[name] = None if bound is None else np.where(known, bound[:, 0], np.nan)
    schema = {name: SCHEMA[name] for name in columns}
    return pl.DataFrame(columns, schema=schema).fill_nan(None)
