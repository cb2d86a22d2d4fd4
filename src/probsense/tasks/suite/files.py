"""The files of a suite: a prompt as plain text, and test files with contexts and queries, as JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from probsense.errors import InputError
from probsense.files import read_yaml
from probsense.records import Item
from probsense.registry import did_you_mean

SUFFIXES = (".json", ".yaml", ".yml")
"""What the name of a test file may end in."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Context(_Strict):
    """A text, and the index of the query that should win after it, -1 for none."""

    text: str
    expected: Annotated[int, Field(ge=-1)]


class SuiteFile(_Strict):
    """What a test file holds (the scoring specification, section 3)."""

    pretext: str
    context: Annotated[list[Context], Field(min_length=1)]
    posttext: str
    queries: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]

    def texts(self) -> Iterator[str]:
        """What stands between the prompt and the query, for each context."""
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
        list, a query that stands twice, an index that no query has: names the file and the path in it.
    """
    instructions = _read(folder / f"{prompt}.txt")
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
    """The file of a test; an error names those that there are."""
    candidates = [folder / f"{prompt}_{test}{suffix}" for suffix in SUFFIXES]
    match [path for path in candidates if path.is_file()]:
        case [path]:
            return path
        case [path, other, *_]:
            raise InputError(f"the test is there twice, {other.name} is the other one", path=path)
        case _:
            tests = tests_of(folder, prompt)
            known = f"one of the tests {', '.join(tests)}" if tests else "a test file (.json, .yaml or .yml)"
            raise InputError("no such file", path=candidates[0], expected=known)


def tests_of(folder: Path, prompt: str) -> list[str]:
    """The names of a prompt's tests, sorted; none where there is no such folder."""
    start = f"{prompt}_"
    entries = folder.iterdir() if folder.is_dir() else ()
    names = [path.stem for path in entries if path.suffix in SUFFIXES and path.name.startswith(start)]
    return sorted({name.removeprefix(start) for name in names})


def parse_test(path: Path) -> SuiteFile:
    """Read and check a test file."""
    try:
        found = SuiteFile.model_validate(_parse(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _explain(path, first["loc"], first["type"], first["msg"], first["input"]) from None
    for number, query in enumerate(found.queries):
        if query in found.queries[:number]:
            raise InputError(
                f"queries[{number}] is {ascii(query)[:60]}, as is queries[{found.queries.index(query)}]",
                path=path,
                expected="each query once",
            )
    for number, context in enumerate(found.context):
        if context.expected >= len(found.queries):
            raise InputError(
                f"context[{number}].expected is {context.expected}",
                path=path,
                expected=f"the index of a query, 0 to {len(found.queries) - 1}, or -1 for none",
            )
    return found


def _explain(path: Path, place: Sequence[int | str], fault: str, message: str, value: Any) -> InputError:
    """What pydantic found, as this program says it."""
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    keys = (Context if place[:1] == ("context",) and len(place) > 1 else SuiteFile).model_fields
    if fault == "missing":
        return InputError(f"{where} is missing", path=path, expected=f"the keys {', '.join(keys)}")
    if fault == "extra_forbidden":
        return InputError(
            f"unknown key {where}{did_you_mean(str(place[-1]), keys)}",
            path=path,
            expected=f"the keys {', '.join(keys)}",
        )
    expected = _EXPECTED.get(fault, message.removeprefix("Input should be "))
    if fault == "string_type" and path.suffix != ".json":
        expected += "; in YAML, put it in quotes"
    return InputError(f"{where or 'the file'} is {ascii(value)[:60]}", path=path, expected=expected)


_EXPECTED = {
    "model_type": "a mapping of keys to values",
    "too_short": "at least one entry",
    "string_too_short": "some text",
    "int_type": "a whole number",
    "string_type": "a string",
    "string_unicode": "a string of Unicode characters",
    "list_type": "a list",
    "greater_than_equal": "the index of a query, or -1 for none",
}


def _parse(path: Path) -> Any:
    if path.suffix != ".json":
        return read_yaml(path)
    try:
        return json.loads(_read(path))
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error.msg}", path=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be parsed: {str(error).splitlines()[0]}", path=path) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
