"""Reads and writes results of ProbSem: a CSV file for a prompt, test and model, as ``probsense run suite`` writes
it, too."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.analysis.distributions.divergence import brier_score, log_score
from probsense.core.errors import InputError, brief
from probsense.core.files import writing
from probsense.core.files.tables import read_table
from probsense.core.names import file_name
from probsense.tasks.suite.files import SUFFIXES, SuiteFile, parse_test

END = "_results.csv"
SLACK = 1e-3
"""How far a sum of probabilities may be from 1."""


class ProbSemReader:
    """Reads the CSV file of a ProbSem run and judges it by the test.

    Parameters
    ----------
    input_dir : Path or str
        Folder of the tests, which name the expected queries.
    """

    kind: ClassVar[str] = "results of ProbSem (PROMPT_TEST_MODEL_results.csv)"

    def __init__(self, input_dir: Path | str = "inputs") -> None:
        self._folder = Path(input_dir)

    def recognises(self, path: Path) -> bool:
        """Whether a path is a CSV file."""
        return path.is_file() and path.suffix == ".csv"

    def read(self, path: Path) -> list[Scores]:
        """Read one file: see :func:`read_probsem`."""
        return [read_probsem(path, self._folder)]


def read_probsem(path: Path, tests: Path) -> Scores:
    """Read the distributions of one prompt and test, and judge them by the test.

    Parameters
    ----------
    path : Path
        ``PROMPT_TEST_MODEL_results.csv`` with the columns text, query, logp and score; others are left alone.
    tests : Path
        The folder of the test files, which name the expected queries.

    Returns
    -------
    Scores
        Items are contexts, each a cluster of its own; measures are accuracy, p_gold, brier and log_score, null where
        the test expects nothing.

    Raises
    ------
    InputError
        For a file that cannot be read or has no such columns, a score that is no probability, probabilities that do
        not sum to 1, and for a test that is missing or is another one.
    """
    name, test = _test_of(path, tests)
    table = read_table(path)
    table.columns(*COLUMNS, expected=f"the columns {', '.join(COLUMNS)}")
    shares = table.numbers("score")
    table.refuse(~shares.is_between(0, 1 + SLACK).fill_null(False), "score", "a probability")
    asked = [(text, query) for text in test.texts() for query in test.queries]
    found = table.frame.select(pl.col("text", "query").cast(pl.String).fill_null("")).rows()
    for row, (own, (text, query)) in enumerate(zip(found, asked, strict=False)):
        if own != (text, query):
            raise table.fault(
                row, f"{brief(own[1])} after {brief(own[0])}", f"{query!r} after {text!r}, as in {name}"
            )
    if len(found) != len(asked):
        raise InputError(f"{len(found)} rows", path=path, expected=f"{len(asked)}, for all queries of {name}")
    texts, queries = [*test.texts()], len(test.queries)
    rows, scores = [], []
    for number, (text, context) in enumerate(zip(texts, test.context, strict=True)):
        p, gold = shares[number * queries : (number + 1) * queries].to_numpy(), context.expected
        if abs(p.sum() - 1) > SLACK:
            raise table.fault(number * queries, f"the scores of a context sum to {p.sum():g}", "a sum of 1")
        item, best, known = f"{name}/{number}", int(p.argmax()), gold >= 0
        rows.append((item, item, name, test.queries[gold] if known else None, test.queries[best], text))
        with np.errstate(divide="ignore"):
            judged = (float(best == gold), float(p[gold]), brier_score(p, gold), log_score(np.log(p), gold))
        scores.append(judged if known else (None,) * len(MEASURES))
    return Scores(
        path.name.removesuffix(END).removeprefix(file_name(f"{name}_")),
        name,
        str(path),
        "suite",
        pl.DataFrame(rows, schema=["item", "cluster", "part", "gold", "label", "text"], orient="row"),
        pl.DataFrame(scores, schema=dict.fromkeys(MEASURES, pl.Float64), orient="row"),
    )


MEASURES = ("accuracy", "p_gold", "brier", "log_score")


def _test_of(path: Path, tests: Path) -> tuple[str, SuiteFile]:
    """Find the test file whose name, without its ending, a results file bears; return the name and the content."""
    known = sorted((p for p in tests.glob("*") if p.suffix in SUFFIXES), key=lambda p: len(p.stem))
    named = [p for p in known if path.name.startswith(file_name(f"{p.stem}_"))]
    if not named:
        raise InputError(
            f"no test in {tests} has the name with which this file begins",
            path=path,
            expected="PROMPT_TEST_MODEL_results.csv, and --input-dir with the folder of PROMPT_TEST.json",
        )
    return named[-1].stem, parse_test(named[-1])


COLUMNS = ("text", "query", "logp", "score")


def results_name(prompt: str, test: str, model: str) -> str:
    """Make the name of a results file; "-" replaces what a file name should not hold."""
    return file_name(f"{prompt}_{test}_{model}") + "_results.csv"


def write_results(folder: Path, model: str, distributions: pl.DataFrame) -> list[Path]:
    """Write one CSV file for each prompt and test, with :data:`COLUMNS`, each whole or not at all.

    Parameters
    ----------
    folder : Path
        Made if missing.
    model : str
        The name of the model.
    distributions : DataFrame
        As from :meth:`~probsense.tasks.suite.task.Suite.distributions`.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If two suites would get the same file, or one cannot be written.
    """
    parts: dict[Path, pl.DataFrame] = {}
    for (prompt, test), part in distributions.group_by(["prompt", "test"], maintain_order=True):
        path = folder / results_name(str(prompt), str(test), model)
        if path in parts:
            raise InputError(
                f"the results of two suites would be in this file, one is {prompt} {test}", path=path
            )
        parts[path] = part.select(COLUMNS)
    for path, part in parts.items():
        with writing(path) as stream:
            part.write_csv(stream)
    return list(parts)
