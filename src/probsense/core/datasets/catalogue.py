"""Lists the published data sets that ProbSense can download, with their addresses and checksums: ``catalogue.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, NamedTuple

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
        Its checksum; None if no checksum was known when this catalogue was written.
    git_blob : str or None
        Its name in git, a SHA-1 over its size and content, if that was known and no checksum was.
    """

    path: str
    source: str
    sha256: str | None = None
    git_blob: str | None = None


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


class ByHand(NamedTuple):
    """Describe a data set that ProbSense reads but has no pinned address of.

    Attributes
    ----------
    file, home : str
        The file, and where it is published.
    command : str
        What reads it.
    """

    file: str
    home: str
    command: str


def _part(name: str, title: str, files: Sequence[Mapping[str, str]], folder: str = "") -> Part:
    """Make a part; a file without a source of its own has it in the part's folder."""
    below = f"{folder}/" if folder else ""
    return Part(name, title, tuple(DataFile(**{"source": below + file["path"], **file}) for file in files))


_READ = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text("utf-8"))
BY_HAND: Final = {name: ByHand(**fields) for name, fields in _READ.pop("by_hand").items()}
"""Data sets to be got by hand, by name."""
CATALOGUE: Final = {
    name: DataSet(
        name, **fields | {"parts": tuple(_part(each, **part) for each, part in fields["parts"].items())}
    )
    for name, fields in _READ.items()
}
"""Every data set that can be downloaded, by name."""


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
        file, home, command = BY_HAND[wanted]
        raise InputError(
            f"{wanted!r} is not downloaded, as its address is not pinned",
            expected=f"{file} from {home}, got by hand, then: probsense {command}",
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
