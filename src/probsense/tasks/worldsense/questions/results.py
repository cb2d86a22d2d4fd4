"""Recorded answers: reads, checks and writes the published results files, and joins them with the trials."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import polars as pl
from msgspec import Meta, Struct

from probsense.core.errors import InputError, brief, check_fit
from probsense.core.files import Place, read_jsonl, writing
from probsense.core.files.typed import read_as
from probsense.core.records import Json
from probsense.tasks.worldsense.questions.trials import Whole

MANY = 0.1
"""Share of answers that are none of the allowed ones above which a warning says so, and no note."""

_NAME = "PROMPTING___MODEL___results.jsonl"


class _Answer(Struct, frozen=True):
    """A line of a file of answers; it may hold more."""

    Key: Whole
    resp: Annotated[str | int | float | None, Meta(description="a string or null")]


_ANSWERS = msgspec.json.Decoder(_Answer)


class ResultsFile(NamedTuple):
    """A file of answers; its name says whose they are."""

    path: Path
    prompting: str
    model: str


def results_files(folder: Path) -> list[ResultsFile]:
    """List the results files of a test-set folder, at any depth below its ``results``, sorted by path.

    Raises
    ------
    InputError
        If there are none, or if the name of one is not made of three parts.
    """
    found = sorted(p for p in (folder / "results").rglob("*results.jsonl") if p.is_file())
    if not found:
        raise InputError(
            "no results found", path=folder, expected=f"files named results/{_NAME} in this folder"
        )
    return [named_results(path) for path in found]


def named_results(path: Path) -> ResultsFile:
    """Read prompting and model from the name of a results file (the WorldSense specification, section 1.1)."""
    match path.name.removesuffix(".jsonl").split("___"):
        case [prompting, model, "results"] if prompting and model:
            return ResultsFile(path, prompting, model)
        case parts:
            raise InputError(f"a name of {len(parts)} parts between '___'", path=path, expected=_NAME)


def read_results(path: Path) -> pl.DataFrame:
    """Read the answers of one results file.

    Parameters
    ----------
    path : Path
        JSON lines ``{"Key": int, "resp": str}``; numbers count as their text, null as no answer.

    Returns
    -------
    DataFrame
        Columns key (Int64) and resp (String, null or "" for no valid answer), in the order of the file.

    Raises
    ------
    InputError
        For a file that cannot be read or is empty, and for a line without a key of 64 bits and an answer.
    """
    try:
        answers = _ANSWERS.decode_lines(path.read_bytes())
    except (ValueError, OSError):
        # Slowly, but exact about the place of whatever is wrong, and of files that are packed.
        answers = [read_as(_Answer, record, Place(path, line)) for line, record in read_jsonl(path)]
    if not answers:
        raise InputError("is empty", path=path, expected='one {"Key": ..., "resp": ...} per line')
    rows = [(answer.Key, _as_text(answer.resp)) for answer in answers]
    return pl.DataFrame(rows, schema={"key": pl.Int64(), "resp": pl.String()}, orient="row")


def _as_text(resp: str | int | float | None) -> str | None:
    if isinstance(resp, str):
        return resp.encode("utf-8", "replace").decode()
    if isinstance(resp, float) and resp.is_integer():
        resp = int(resp)
    return None if resp is None else str(resp)


@dataclass(frozen=True, slots=True)
class Settled:
    """The answers of one model under one prompting, one a trial, and the corrections made on the way.

    Attributes
    ----------
    frame : DataFrame
        One row per answered trial, in the order of the trials: model, prompting, key, tuple_id, problem,
        size, skin, depth, form, expected_len, gold, resp.
    coverage : dict
        model, prompting, and the numbers of trials asked, answered and validly answered, of complete tuples
        and of all tuples.
    notes : list of str
        Each names answers that were left out or counted as no valid answer.
    warnings : list of str
        The same of many such answers, and of trials without an answer.
    """

    frame: pl.DataFrame
    coverage: dict[str, Json]
    notes: list[str]
    warnings: list[str]


def settle_files(trials: pl.DataFrame, files: Iterable[ResultsFile]) -> Iterator[tuple[ResultsFile, Settled]]:
    """Settle the answers of each model under each prompting, several files of which are one, with the first of them."""
    owners: dict[tuple[str, str], list[ResultsFile]] = {}
    for file in files:
        owners.setdefault((file.prompting, file.model), []).append(file)
    for who, own in owners.items():
        yield own[0], settle(trials, pl.concat(read_results(file.path) for file in own), *who)


def settle(trials: pl.DataFrame, answers: pl.DataFrame, prompting: str, model: str) -> Settled:
    """Match answers with the trials that they answer.

    A repeated row counts once. Different answers to one trial count as no valid answer. An answer to no trial
    of the set is left out. An answer that the trial does not allow stays: it is wrong, and biased as it says.

    Parameters
    ----------
    trials : DataFrame
        As from :func:`~probsense.tasks.worldsense.questions.trials.read_trials`.
    answers : DataFrame
        Columns key and resp.
    prompting, model : str
        Whose answers they are.

    Returns
    -------
    Settled

    Raises
    ------
    InputError
        If hardly any answer is to a trial of the set.
    """
    answers = answers.select("key", pl.col("resp").replace("", None))
    distinct = answers.unique(maintain_order=True)
    conflict = distinct["key"].is_duplicated()
    resp = pl.when(conflict).then(None).otherwise(pl.col("resp")).alias("resp")
    single = distinct.with_columns(resp).unique("key", keep="first", maintain_order=True)
    asked = trials.select(
        pl.lit(model).alias("model"),
        pl.lit(prompting).alias("prompting"),
        *("key", "tuple_id", "problem", "size", "skin", "depth", "form"),
        pl.col("expected").list.len().cast(pl.Int64).alias("expected_len"),
        *("gold", "expected"),
    )
    frame = asked.join(single, on="key", how="inner", maintain_order="left").with_columns(
        pl.col("expected").list.contains(pl.col("resp")).fill_null(False).alias("valid")
    )
    check_fit(
        *(frame.height, single.height, trials.height),
        what=f"answers of {model} ({prompting})",
        of="trials of the set",
        expected="results of this set, whose keys are those of its trials",
    )
    said = frame.filter(~pl.col("valid") & pl.col("resp").is_not_null())
    some = ", ".join(map(brief, said["resp"].unique().sort().head(3)))
    unlike = {f"answers that the question does not allow (wrong), such as {some}": said.height}
    many = said.height > MANY * frame.height
    whole = frame.group_by("tuple_id").agg(pl.len() == pl.col("expected_len").first())["len"]
    notes = {
        "repeated rows (each counted once)": answers.height - distinct.height,
        "trials with conflicting answers (no valid answer)": distinct.filter(conflict)["key"].n_unique(),
        "answers to trials that the test set does not hold (left out)": single.height - frame.height,
        **({} if many else unlike),
        "incomplete tuples (dropped)": whole.len() - whole.sum(),
    }
    unanswered = f"of {trials.height} trials without an answer (partial results)"
    warnings = {**(unlike if many else {}), unanswered: trials.height - frame.height}
    coverage: dict[str, Json] = {
        "model": model,
        "prompting": prompting,
        "asked": trials.height,
        "answered": frame.height,
        "valid": int(frame["valid"].sum()),
        "complete_tuples": int(whole.sum()),
        "tuples": trials["tuple_id"].n_unique(),
    }
    return Settled(
        frame.drop("valid", "expected"),
        coverage,
        *([f"{n} {what}" for what, n in counts.items() if n] for counts in (notes, warnings)),
    )


def results_name(prompting: str, model: str) -> str:
    """Make the name of a results file; "_" replaces what a file name or its three parts cannot hold.

    Raises
    ------
    InputError
        If nothing is left of the prompting or of the model's name.
    """
    parts = [_plain(prompting), _plain(model)]
    if not all(parts):
        raise InputError(
            f"no file name can be made of {prompting!r} and {model!r}", expected="letters or digits"
        )
    return "___".join([*parts, "results.jsonl"])


def _plain(name: str) -> str:
    return re.sub("_{3,}", "__", re.sub(r'[/\\:*?"<>|\s\x00-\x1f]', "_", name)).strip("_")


def write_results(
    folder: Path, prompting: str, model: str, answers: Iterable[tuple[int, str | None]]
) -> Path:
    """Write answers as a published results file: whole, or not at all.

    Parameters
    ----------
    folder : Path
        The folder that gets the file: ``results`` of a test set, or one below it.
    prompting, model : str
        Whose answers they are; see :func:`results_name`.
    answers : iterable of (int, str or None)
        Key and response of every trial; None where there was no valid answer.

    Returns
    -------
    Path
        The file.
    """
    path = folder / results_name(prompting, model)
    with writing(path) as stream:
        for key, resp in answers:
            line = json.dumps({"Key": key, "resp": resp or ""}, separators=(",", ":"))
            stream.write(line.encode("ascii") + b"\n")
    return path
