"""Writes files: regular ones whole or not at all, and whatever else a path stands for as it is."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from typing import IO

from probsense.core.errors import InputError

STDOUT = Path("-")
"""The path that stands for standard output."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a disk, a quota or a file without room."""


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file.

    A regular file appears whole when the block ends, and not at all if the block fails; it keeps the mode of the file
    that it replaces. A link stands for its target, which need not exist. A device or a named pipe gets all bytes when
    the block ends, and so does standard output for :data:`STDOUT`. Folders that are missing are made.

    Raises
    ------
    InputError
        For a folder, and for a path that cannot be written to.
    """
    with _named(path):
        target = Path(os.path.realpath(path))
        known = None if path == STDOUT else _known(target)
        regular = path != STDOUT and (known is None or stat.S_ISREG(known.st_mode))
        if regular:
            target.parent.mkdir(parents=True, exist_ok=True)
            # Not by tempfile, whose files have a mode that the umask has no say in.
            temporary = target.with_name(f".{target.name[:40]}.{token_hex(4)}")
            mode = stat.S_IMODE(known.st_mode) if known else 0o666
            writer = open(temporary, "xb", opener=partial(os.open, mode=mode))  # noqa: SIM115
        else:
            handle, name = tempfile.mkstemp()
            temporary, writer = Path(name), os.fdopen(handle, "wb")
    try:
        with writer as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path == STDOUT:
            sys.stdout.flush()
            _copy(temporary, sys.stdout.buffer)
            return
        with _named(path):
            if regular:
                if known:
                    temporary.chmod(mode)
                temporary.replace(target)
            else:
                with os.fdopen(os.open(target, os.O_WRONLY), "wb") as stream:
                    _copy(temporary, stream)
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise InputError(f"cannot be written: {error.strerror}", path=path) from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Refuse a path before long work that :func:`writing` could not write to afterwards.

    Raises
    ------
    InputError
        As :func:`writing`.
    """
    with _named(path):
        if path != STDOUT:
            _known(Path(os.path.realpath(path)))


def check_folder(path: Path) -> None:
    """Refuse a path that cannot be a folder to write files into.

    Raises
    ------
    InputError
        For standard output, and for what is there and is no folder.
    """
    if path == STDOUT:
        raise InputError("standard output cannot have several files", path=path, expected="a folder")
    with _named(path), suppress(FileNotFoundError):
        if not stat.S_ISDIR(path.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "it is no folder")


def _known(target: Path) -> os.stat_result | None:
    """Return what there is, or None; refuse what cannot be written to."""
    try:
        known = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(known.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return known


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn the error of a system call into one that names the path."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from None


def _copy(source: Path, stream: IO[bytes]) -> None:
    with source.open("rb") as found:
        copyfileobj(found, stream)
    stream.flush()
