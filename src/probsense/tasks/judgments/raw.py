"""Reads raw results of models: the published folders, one file for each question and trial, in every layout."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

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
from probsense.core.files import read_bytes
from probsense.tasks.judgments.replies import Layout, RawReply, read_replies

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

_MASSES = ("p_yes", "p_no", "p_other")
_ANSWERS = ("yes", "no", "other")
_PATTERN = re.compile(r"results_raw_(q[123])(?:_trial([2-9]|[1-9]\d+))?\.jsonl")
_NO_TEXT = r"^(?:-?[\d.]+(?:[eE][+-]?\d+)?|true|false|[\[{][\s\S]*)$"
"""A JSON value that is no string looks like this once polars has made a string of it."""


_Files: TypeAlias = dict[str, dict[int, Path]]
"""The files of a model, by question and trial."""


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
    columns = {"statement_id": statements, **dict(zip(_MASSES, mass.T, strict=True)), "n": n}
    known = ~np.isnan(mass[:, 0])
    for name, bound in zip(("low_yes", "high_yes"), bounds or (None, None), strict=True):
        columns[name] = None if bound is None else np.where(known, bound[:, 0], np.nan)
    schema = {name: SCHEMA[name] for name in columns}
    return pl.DataFrame(columns, schema=schema).fill_nan(None)
