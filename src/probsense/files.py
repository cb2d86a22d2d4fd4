"""Reading and writing files: JSON lines with exact error places, writes that are whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from probsense.errors import InputError

UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading raises, from a disk that fails to a packed file that is cut off or broken."""


def open_bytes(path: Path) -> IO[bytes]:
    """Open a plain, ``.bz2`` or ``.gz`` file for reading its (uncompressed) bytes."""
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        if path.suffix == ".bz2":
            return bz2.open(path, "rb")
        if path.suffix == ".gz":
            return gzip.open(path, "rb")  # type: ignore[return-value]
        return path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def read_bytes(path: Path) -> bytes:
    """All (uncompressed) bytes of a plain, ``.bz2`` or ``.gz`` file."""
    with open_bytes(path) as stream:
        try:
            return stream.read()
        except UNREADABLE as error:
            raise InputError(f"cannot be read: {error}", path=path) from None


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read JSON lines (plain, ``.bz2`` or ``.gz``), each an object.

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
            except UNREADABLE as error:
                raise InputError(f"cannot be read: {error}", path=path, line=number) from None
            if not line:
                return
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


def read_yaml(path: Path) -> Any:
    """Read a YAML (or JSON) document, plain or packed, safely: what it would have Python do is an error.

    Raises
    ------
    InputError
        For a file that cannot be read, bytes that are not UTF-8, what is not valid YAML.
    """
    import yaml

    try:
        return yaml.safe_load(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", path=path, expected="YAML") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"not valid YAML: {error.problem}", path=path, line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read as YAML: {str(error).splitlines()[0]}", path=path) from None


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: it appears whole when the block ends, and not at all if the block fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
