"""The files of a suite: a prompt as plain text, and test files with contexts and queries, as JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probsense.core.errors import InputError
from probsense.core.files import Place, read_json, read_text, read_yaml
from probsense.core.records import Item

SUFFIXES = (".json", ".yaml", ".yml")
"""The endings that name a test file."""


@dataclass(frozen=True, slots=True)
class Context:
    """A text, and the index of the query that should win after it, -1 for none."""

    text: str
    expected: int


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """The content of a test file (the scoring specification, section 3)."""

    pretext: str
    context: list[Context]
    posttext: str
    queries: list[str]

    def texts(self) -> Iterator[str]:
        """Yield the text between the prompt and the query, for each context."""
        for context in self.context:
            yield "\n".join(part for part in (self.pretext, context.text, self.posttext) if part)


def read_suite(folder: Path, prompt: str, test: str) -> Iterator[Item]:
    """Read one prompt with one of its test files.

    Parameters
    ----------
    folder : Path
        Holds ``<prompt>.txt`` and ``<prompt>_<test>.json`` (or ``.yaml``, ``.yml``).
    prompt, test : str

    Yields
    ------
    Item
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
    path = find_test(folder, prompt, test)
    found = parse_test(path)
    for number, (context, text) in enumerate(zip(found.context, found.texts(), strict=True)):
        name = f"{prompt}/{test}/{number}"
        yield Item(
            id=name,
            cluster=name,
            gold="" if context.expected == -1 else str(context.expected),
            data={
                "prompt": prompt,
                "test": test,
                "instructions": instructions,
                "text": text,
                "options": found.queries,
            },
        )


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
    document = read_json(path) if path.suffix == ".json" else read_yaml(path)
    found = place.record(document, needed=("pretext", "context", "posttext", "queries"))
    pretext, posttext = (place.text(found[name], name) for name in ("pretext", "posttext"))
    contexts = [
        _context(body, place.inside("context", number))
        for number, body in enumerate(place.entries(found["context"], "context", least=1, of="contexts"))
    ]
    queries = place.texts(found["queries"], "queries", of="queries")
    first: dict[str, Place] = {}
    for number, query in enumerate(queries):
        here = place.inside("queries", number)
        if not query:
            raise here.wrong(query, "", "some text")
        here.once(query, "", first, "each query once")
    for number, context in enumerate(contexts):
        if context.expected >= len(queries):
            raise place.inside("context", number).wrong(
                context.expected,
                "expected",
                f"the index of a query, 0 to {len(queries) - 1}, or -1 for none",
            )
    return SuiteFile(pretext, contexts, posttext, queries)


def _context(body: Any, place: Place) -> Context:
    found = place.record(body, needed=("text", "expected"))
    text = place.text(found["text"], "text")
    wanted = "a whole number, the index of a query, or -1 for none"
    return Context(text, place.whole(found["expected"], "expected", -1, expected=wanted))
