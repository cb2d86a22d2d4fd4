"""Reads files, plain or packed, as bytes, text, JSON, JSON lines and YAML; errors name the exact place of a fault."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

from probsense.core.errors import InputError, brief, one_line

NESTED = 100
"""How deep brackets may be nested in YAML."""

LONGEST = 4000
"""Characters of a word that may be a path."""
LARGE = 2**30
"""Bytes of a folder up to which the contents of its files are hashed."""

_UNREADABLE = (OSError, EOFError, zlib.error)
"""The errors of reading, from a disk that fails to a packed file that is cut off or broken."""


def kind_of(path: Path) -> str:
    """Return the ending that tells the kind of a file, such as ".csv" for ``a.csv``, ``a.csv.gz`` and ``A.CSV``."""
    return Path(path.name.lower().removesuffix(".gz").removesuffix(".bz2")).suffix


def open_bytes(path: Path) -> IO[bytes]:
    """Open a plain, ``.bz2`` or ``.gz`` file for reading its (uncompressed) bytes."""
    try:
        if path.is_dir():
            raise InputError("cannot be read: it is a folder", path=path, expected="a file")
        if not path.is_file():
            raise InputError("no such file", path=path)
        packed = path.suffix.lower()
        if packed == ".bz2":
            return bz2.open(path, "rb")
        if packed == ".gz":
            return gzip.open(path, "rb")  # type: ignore[return-value]
        return path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def read_bytes(path: Path) -> bytes:
    """Read all (uncompressed) bytes of a plain, ``.bz2`` or ``.gz`` file."""
    with open_bytes(path) as stream:
        try:
            return stream.read()
        except _UNREADABLE as error:
            raise InputError(f"cannot be read: {error}", path=path) from None


def file_hash(path: Path) -> str:
    """Hash a file, as it lies there, with SHA-256.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    InputError
        For a file that cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def named_files(options: Mapping[str, object]) -> dict[str, str]:
    """Hash the files and the folders that options name, which are those for paths alone.

    Returns
    -------
    dict of str to str
        SHA-256 by path, as the options write it. That of a folder covers the names and contents of all files in it; in
        a folder of more than a gigabyte, sizes stand for contents.
    """
    found = {}
    for value in options.values():
        for word in value if isinstance(value, list | tuple) else [value]:
            if isinstance(word, str) and word and "\0" not in word and len(word) <= LONGEST:
                path = Path(word)
                if path.is_file() or path.is_dir():
                    found[word] = file_hash(path) if path.is_file() else _folder_hash(path)
    return found


def _folder_hash(folder: Path) -> str:
    """Hash the names and contents of the files in a folder, or their names and sizes if it is large."""
    inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    large = sum(path.stat().st_size for path in inside) > LARGE
    whole = hashlib.sha256()
    for path in inside:
        content = path.stat().st_size if large else file_hash(path)
        whole.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return whole.hexdigest()


def read_text(path: Path) -> str:
    """Read the text of a plain, ``.bz2`` or ``.gz`` file, with universal newlines and no byte-order mark.

    Raises
    ------
    InputError
        For a file that cannot be read or decompressed, and bytes that are not UTF-8.
    """
    return io.StringIO(decode(path, read_bytes(path), "text"), newline=None).read()


def decode(path: Path, data: bytes, expected: str) -> str:
    """Decode the bytes of a file, less its byte-order mark; an error says on which line they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len((data[: error.start] + b".").splitlines())
        raise InputError("not UTF-8 text", path=path, line=line, expected=expected) from None


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read JSON lines (plain, ``.bz2`` or ``.gz``), each an object, after a byte-order mark or none.

    Yields
    ------
    (int, dict)
        Line number from 1, and the object. Blank lines are skipped.

    Raises
    ------
    InputError
        For a file that cannot be read or decompressed, bytes that are not UTF-8, a line that is not a JSON object.
    """
    with open_bytes(path) as stream:
        number = 0
        while True:
            number += 1
            try:
                line = stream.readline()
            except _UNREADABLE as error:
                raise InputError(f"cannot be read: {error}", path=path, line=number) from None
            if not line:
                return
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8"))
            except UnicodeDecodeError:
                raise InputError("not UTF-8 text", path=path, line=number, expected="JSON lines") from None
            except (ValueError, RecursionError) as error:
                raise InputError(f"not valid JSON: {error}", path=path, line=number) from None
            if not isinstance(record, dict):
                raise InputError(
                    f"{type(record).__name__} found", path=path, line=number, expected="a JSON object"
                )
            yield number, record


def read_json(path: Path, *, keys_once: bool = False, expected: str | None = None) -> Any:
    """Read a JSON document, plain, ``.bz2`` or ``.gz``.

    Parameters
    ----------
    path : Path
    keys_once : bool
        Whether a key that stands twice in an object is an error; otherwise its last value counts.
    expected : str, optional
        Names the expected document, for errors about files that are no JSON at all.

    Raises
    ------
    InputError
        For a file that cannot be read or decompressed, bytes that are not UTF-8, a text that is not valid JSON.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{brief(key)} stands twice", path=path, expected="each key once")
            found[key] = value
        return found

    text = decode(path, read_bytes(path), "JSON")
    try:
        return json.loads(text, object_pairs_hook=once if keys_once else None)
    except json.JSONDecodeError as error:
        hint = "JSON lines only in a file named .jsonl" if error.msg == "Extra data" else None
        raise InputError(
            f"not valid JSON: {error.msg}", path=path, line=error.lineno, expected=hint or expected
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", path=path, expected=expected) from None


def read_yaml(path: Path) -> Any:
    """Read a YAML (or JSON) document, plain or packed, safely: a tag that would run Python is an error.

    Raises
    ------
    InputError
        For a file that cannot be read, bytes that are not UTF-8, a text that is not valid YAML.
    """
    import yaml

    text = decode(path, read_bytes(path), "YAML")
    try:
        return yaml.load(text, _loader())
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"not valid YAML: {error.problem}", path=path, line=line) from None
    except Exception as error:  # The parser fails in many ways on values unfit for their tags.
        raise InputError(f"cannot be read as YAML: {one_line(error)}", path=path) from None


@cache
def _loader() -> Any:
    """Return YAML's safe loader, which refuses a key that stands twice, and takes brackets to a limit of their depth.

    Its time is the square of the number of nested brackets.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def fetch_flow_collection_start(self, token: Any) -> None:
            if self.flow_level >= NESTED:
                raise yaml.scanner.ScannerError(
                    problem=f"brackets nested more than {NESTED} deep", problem_mark=self.get_mark()
                )
            super().fetch_flow_collection_start(token)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                    if (key.tag, key.value) in seen:
                        raise yaml.constructor.ConstructorError(
                            problem=f"the key {brief(key.value)} stands twice", problem_mark=key.start_mark
                        )
                    seen.add((key.tag, key.value))
            return super().construct_mapping(node, deep)

    return Loader
