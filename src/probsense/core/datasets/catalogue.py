"""Lists the published data sets that ProbSense can download, with their addresses and checksums."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from probsense.core.errors import InputError, did_you_mean


@dataclass(frozen=True, slots=True)
class DataFile:
    """Describe one file of a data set.

    Attributes
    ----------
    path : str
        Its path within the part on this machine, with forward slashes.
    source : str
        Its address below the data set's ``base_url``.
    sha256 : str or None
        Its checksum; None if none is known.
    git_blob : str or None
        Its name in git, a SHA-1 over its size and content, if that is known and no checksum is.
    size : int or None
        Bytes, if known.
    """

    path: str
    source: str
    sha256: str | None = None
    git_blob: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Describe files that belong together and can be downloaded by themselves, such as a test set with its results."""

    name: str
    title: str
    files: tuple[DataFile, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """Describe a published data set.

    Attributes
    ----------
    name, title : str
    licence, licence_url : str
        The terms of its use, and their address.
    attribution : str
        Whom to cite.
    home : str
        The address at which its makers publish it.
    base_url : str
        The address to which the files' sources are relative; it or they are pinned to a revision.
    parts : tuple of Part
    """

    name: str
    title: str
    licence: str
    licence_url: str
    attribution: str
    home: str
    base_url: str
    parts: tuple[Part, ...]


def _file(path: str, folder: str, **known: Any) -> DataFile:
    return DataFile(path, f"{folder}/{path}".removeprefix("/"), **known)


def _part(name: str, title: str, files: dict[str, dict[str, Any]], folder: str = "") -> Part:
    return Part(name, title, tuple(_file(path, **{"folder": folder} | file) for path, file in files.items()))


def _data_set(name: str, parts: dict[str, dict[str, Any]], **about: str) -> DataSet:
    return DataSet(name, parts=tuple(_part(part, **entry) for part, entry in parts.items()), **about)


_FOUND = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
CATALOGUE: dict[str, DataSet] = {name: _data_set(name, **entry) for name, entry in _FOUND["data"].items()}
"""Every data set by name."""
BY_HAND: dict[str, dict[str, str]] = _FOUND["by_hand"]
"""Data sets that ProbSense reads but has no checked address of: the file, its home, and the command that reads it."""


def find(name: str) -> tuple[DataSet, tuple[Part, ...]]:
    """Find the data set and the parts that a name stands for.

    Parameters
    ----------
    name : str
        A data set (``worldsense``: all its parts) or one part of it (``worldsense/test_set``).

    Raises
    ------
    InputError
        If there is no such data set or part; the message names the nearest one, or says how to get it by hand.
    """
    wanted, _, part = name.partition("/")
    if wanted in BY_HAND:
        known = BY_HAND[wanted]
        raise InputError(
            f"{wanted!r} is not downloaded, as its address is not pinned",
            expected=f"{known['file']} from {known['home']}, got by hand, then: probsense {known['command']}",
        )
    data_set = CATALOGUE.get(wanted)
    if data_set is None:
        raise _unknown(name, [*CATALOGUE, *BY_HAND])
    if not part:
        return data_set, data_set.parts
    for candidate in data_set.parts:
        if candidate.name == part:
            return data_set, (candidate,)
    raise _unknown(name, [f"{wanted}/{candidate.name}" for candidate in data_set.parts])


def _unknown(name: str, known: Collection[str]) -> InputError:
    return InputError(
        f"no data set {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
    )
