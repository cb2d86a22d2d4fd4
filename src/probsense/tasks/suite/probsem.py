"""ProbSem's files: prompts and their tests, and the results of a prompt, test and model, as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Final, TypeAlias

import numpy as np
import polars as pl
from msgspec import Meta

from probsense.analysis.comparison.scores import Scores
from probsense.analysis.distributions.divergence import brier_score, log_score
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_json, read_text, read_yaml, writing
from probsense.core.files.tables import read_table
from probsense.core.files.typed import Record, Text, Unfit, matching, read_as
from probsense.core.names import file_name
from probsense.core.records import Item
from probsense.tasks.people_forms import gold_index
from probsense.tasks.shared.items import known_items

SUFFIXES: Final = (".json", ".yaml", ".yml")
"""The endings that name a test file."""
END: Final = "_results.csv"
COLUMNS: Final = ("text", "query", "logp", "score")
"""The columns of a file of results."""
MEASURES: Final = ("accuracy", "p_gold", "brier", "log_score")
SLACK: Final = 1e-3
"""How far a sum of probabilities may be from 1."""
Query: TypeAlias = Annotated[str, matching(r"[^\ud800-\udfff]+", "some text")]


class Context(Record, frozen=True):
    """A text, and the index of the query that should win after it, -1 for none."""

    text: Text
    expected: Annotated[int, Meta(ge=-1, description="a whole number, the index of a query, or -1 for none")]


class SuiteFile(Record, frozen=True):
    """The content of a test file (the scoring specification, section 3)."""

    pretext: Text
    context: Annotated[list[Context], Meta(min_length=1, description="a list of contexts, at least one")]
    posttext: Text
    queries: Annotated[list[Query], Meta(min_length=1, description="a list of queries, at least one")]

    def __post_init__(self) -> None:
        for number, context in enumerate(self.context):
            if context.expected >= len(self.queries):
                known = f"the index of a query, 0 to {len(self.queries) - 1}, or -1 for none"
                raise Unfit(known, "context", number, "expected")

    def items(self, name: str, **data: str) -> list[Item]:
        """Make an item of each context: its text is what stands between the prompt and the query."""
        found = []
        for number, context in enumerate(self.context):
            text = "\n".join(part for part in (self.pretext, context.text, self.posttext) if part)
            gold = "" if context.expected == -1 else str(context.expected)
            own = {**data, "text": text, "options": self.queries}
            found.append(Item(f"{name}/{number}", f"{name}/{number}", gold, own))
        return found


def read_suite(folder: Path, prompt: str, test: str) -> list[Item]:
    """Read one prompt with one of its test files.

    Parameters
    ----------
    folder : Path
        Holds ``<prompt>.txt`` and ``<prompt>_<test>.json`` (or ``.yaml``, ``.yml``).
    prompt, test : str

    Returns
    -------
    list of Item
        One for each context. Its data are the names of prompt and test, the text of the prompt (``instructions``),
        the text between it and the query (``text``), and the queries (``options``); its gold is the index of the
        expected query, as text.

    Raises
    ------
    InputError
        For a file that is not there or cannot be read, a missing or unknown key, a value of a wrong type, an empty
        list, a query that stands twice, an index that no query has. The error names the file and the path in it.
    """
    instructions = read_text(folder / f"{prompt}.txt")
    found = parse_test(find_test(folder, prompt, test))
    return found.items(f"{prompt}/{test}", prompt=prompt, test=test, instructions=instructions)


def find_test(folder: Path, prompt: str, test: str) -> Path:
    """Find the file of a test; an error names the tests that exist."""
    candidates = [folder / f"{prompt}_{test}{suffix}" for suffix in SUFFIXES]
    match [path for path in candidates if path.is_file()]:
        case [path]:
            return path
        case [path, other, *_]:
            raise InputError(f"the test exists twice, {other.name} is the other one", path=path)
        case _:
            tests = tests_of(folder, prompt)
            known = f"one of the tests {', '.join(tests)}" if tests else "a test file (.json, .yaml or .yml)"
            raise InputError("no such file", path=candidates[0], expected=known)


def tests_of(folder: Path, prompt: str) -> list[str]:
    """List the names of a prompt's tests, sorted; none where there is no such folder."""
    start = f"{prompt}_"
    entries = folder.iterdir() if folder.is_dir() else ()
    names = [path.stem for path in entries if path.suffix in SUFFIXES and path.name.startswith(start)]
    return sorted({name.removeprefix(start) for name in names})


def parse_test(path: Path) -> SuiteFile:
    """Read and check a test file."""
    place = Place(path)
    found = read_as(SuiteFile, read_json(path) if path.suffix == ".json" else read_yaml(path), place)
    first: dict[str, Place] = {}
    for number, query in enumerate(found.queries):
        place.inside("queries", number).once(query, "", first, "each query once")
    return found


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
    items = test.items(name)
    asked = [(item.data["text"], query) for item in items for query in test.queries]
    found = table.frame.select(pl.col("text", "query").cast(pl.String).fill_null("")).rows()
    for row, (own, (text, query)) in enumerate(zip(found, asked, strict=False)):
        if own != (text, query):
            other = f"{brief(own[1])} after {brief(own[0])}"
            raise table.fault(row, other, f"{query!r} after {text!r}, as in {name}")
    if len(found) != len(asked):
        raise InputError(f"{len(found)} rows", path=path, expected=f"{len(asked)}, for all queries of {name}")
    chosen = list[int]()
    scores = list[tuple[float | None, ...]]()
    for number, (item, p) in enumerate(zip(items, shares.to_numpy().reshape(len(items), -1), strict=True)):
        if abs(p.sum() - 1) > SLACK:
            row = number * len(test.queries)
            raise table.fault(row, f"the scores of a context sum to {p.sum():g}", "a sum of 1")
        gold, best = gold_index(item), int(p.argmax())
        chosen.append(best)
        if gold is None:
            scores.append((None,) * len(MEASURES))
            continue
        with np.errstate(divide="ignore"):
            log = log_score(np.log(p), gold)
        scores.append((float(best == gold), float(p[gold]), brier_score(p, gold), log))
    return Scores(
        path.name.removesuffix(END).removeprefix(file_name(f"{name}_")),
        name,
        str(path),
        "suite",
        known_items(items, chosen).with_columns(part=pl.lit(name)),
        pl.DataFrame(scores, schema=dict.fromkeys(MEASURES, pl.Float64), orient="row"),
    )


def _test_of(path: Path, tests: Path) -> tuple[str, SuiteFile]:
    """Find the test file whose name, without its ending, a results file bears; return the name and the content."""
    known = (p for p in tests.glob("*") if p.suffix in SUFFIXES)
    named = [p for p in known if path.name.startswith(file_name(f"{p.stem}_"))]
    if not named:
        unknown = f"no test in {tests} has the name with which this file begins"
        expected = "PROMPT_TEST_MODEL_results.csv, and --input-dir with the folder of PROMPT_TEST.json"
        raise InputError(unknown, path=path, expected=expected)
    found = max(named, key=lambda p: len(p.stem))
    return found.stem, parse_test(found)


def results_name(prompt: str, test: str, model: str) -> str:
    """Make the name of a results file; "-" replaces what a file name should not hold."""
    return file_name(f"{prompt}_{test}_{model}") + END


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
            twice = f"the results of two suites would be in this file, one is {prompt} {test}"
            raise InputError(twice, path=path)
        parts[path] = part.select(COLUMNS)
    for path, part in parts.items():
        with writing(path) as stream:
            part.write_csv(stream)
    return list(parts)
