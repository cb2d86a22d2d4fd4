"""Lists the published data sets that ProbSense knows, with licences, addresses and checksums, and downloads them.

All data sets lie in one folder (:func:`data_home`), in the layout ``<data set>/<part>/<file>``. A mirror (``base_url``)
serves the same layout, so a folder of data sets on a web server is a mirror. Each file has a checksum; a file is there
whole or not at all, and never downloaded twice.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import msgspec
import platformdirs

from probsense.core.errors import InputError, ProbSenseError, check_name
from probsense.core.files import file_hash


@dataclass(frozen=True, slots=True)
class DataFile:
    """Describe one file of a data set.

    Attributes
    ----------
    sha256 : str
        Its checksum, or "" if only its name in git is known.
    git_blob : str
        Its name in git, a SHA-1 over its size and content.
    size : int or None
        Bytes, if known.
    folder : str or None
        Where it lies below the data set's ``base_url``, if not in the folder of its part.
    """

    sha256: str = ""
    git_blob: str = ""
    size: int | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Describe files that belong together and can be downloaded by themselves, such as a test set with its results.

    Attributes
    ----------
    title : str
    files : dict of str to DataFile
        By the path within the part on this machine, with forward slashes, and below the folder at the address.
    folder : str
        Where they lie below the data set's ``base_url``.
    """

    title: str
    files: dict[str, DataFile]
    folder: str = ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Describe a published data set.

    Attributes
    ----------
    title : str
    licence, licence_url : str
        The terms of its use, and their address.
    attribution : str
        Whom to cite.
    home : str
        The address at which its makers publish it.
    base_url : str
        The address to which the folders are relative; it or they are pinned to a revision.
    parts : dict of str to Part
    """

    title: str
    licence: str
    licence_url: str
    attribution: str
    home: str
    base_url: str
    parts: dict[str, Part]


_FOUND = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
CATALOGUE = msgspec.convert(_FOUND["data"], dict[str, DataSet])
"""Every data set by name."""
BY_HAND: dict[str, dict[str, str]] = _FOUND["by_hand"]
"""Data sets that ProbSense reads but has no checked address of: the file, its home, and the command that reads it."""


def find(name: str) -> tuple[DataSet, dict[str, Part]]:
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
    if known := BY_HAND.get(name) or BY_HAND.get(wanted):
        raise InputError(
            f"{name!r} is not downloaded, as its address is not pinned",
            expected=f"{known['file']} from {known['home']}, got by hand, then: probsense {known['command']}",
        )
    check_name("data set", wanted, [*CATALOGUE, *BY_HAND])
    data_set = CATALOGUE[wanted]
    if part:
        check_name("data set", name, [f"{wanted}/{one}" for one in data_set.parts])
    return data_set, {part: data_set.parts[part]} if part else data_set.parts


SECONDS = (15.0, 30.0)
"""How long to wait for a connection, and for the next bytes."""


def data_home() -> Path:
    """Return the folder of data sets: PROBSENSE_DATA, or else ``data`` in the platform's cache folder."""
    chosen = os.environ.get("PROBSENSE_DATA")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("probsense") / "data"


def missing(name: str) -> list[str]:
    """List the files of a data set, or of one part, that :func:`data_home` lacks."""
    return [path for path, *_ in _files(name) if not (data_home() / path).is_file()]


def _files(name: str) -> Iterator[tuple[str, str, DataFile]]:
    """Yield the path of each file in the folder of data sets, its public address, and what is known of it."""
    data_set, parts = find(name)
    for part, found in parts.items():
        for path, file in found.files.items():
            folder = found.folder if file.folder is None else file.folder
            url = f"{data_set.base_url}/{quote(f'{folder}/{path}'.lstrip('/'))}"
            yield f"{name.partition('/')[0]}/{part}/{path}", url, file


def get(
    name: str,
    *,
    force: bool = False,
    offline: bool = False,
    base_url: str | None = None,
    note: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Make sure that a published data set is on this machine, whole and unaltered.

    Parameters
    ----------
    name : str
        A data set (``worldsense``) or one part of it (``worldsense/test_set``).
    force : bool
        Download files again, even if they are there.
    offline : bool
        Do not use the network; PROBSENSE_OFFLINE=1 does the same.
    base_url : str, optional
        A mirror to download from, in the layout of the folder of data sets; by default PROBSENSE_DATA_URL, or else the
        data set's own public address.
    note : callable, optional
        Gets sentences that the user should read.

    Returns
    -------
    Path
        The folder of the data set or of the part.

    Raises
    ------
    InputError
        If there is no data set of that name, or the folder cannot be written.
    ProbSenseError
        If a file is missing while offline, cannot be downloaded, or is not the published file. Files that were
        downloaded before stay, and a later call downloads only the rest.
    """
    root = data_home()
    offline = offline or os.environ.get("PROBSENSE_OFFLINE", "").lower() not in ("", "0", "false", "no")
    mirror = base_url or os.environ.get("PROBSENSE_DATA_URL")
    wanted = []
    for path, url, file in _files(name):
        if (root / path).is_file() and (offline or not force):
            _verify(root / path, file)
        else:
            wanted.append((path, f"{mirror.rstrip('/')}/{quote(path)}" if mirror else url, file))
    if wanted and offline:
        others = f" (and {len(wanted) - 1} more files)" if len(wanted) > 1 else ""
        raise ProbSenseError(
            f"{root / wanted[0][0]}{others}: not on this machine, and downloads are switched off: run"
            f" 'probsense data get {name}' with a network, or let PROBSENSE_DATA name a folder that has it"
        )
    for path, url, file in wanted:
        note(f"downloading {path}")
        _download(url, root / path, file)
    return root / name


def _download(url: str, target: Path, file: DataFile) -> None:
    """Put one file in its place if it is the right one."""
    import httpx

    timeout = httpx.Timeout(SECONDS[1], connect=SECONDS[0])
    headers = {"User-Agent": "probsense"}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Each download has a folder of its own: another process may fetch the same file at the same time.
        with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            fresh = Path(folder) / target.name
            with (
                httpx.stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as response,
                fresh.open("wb") as stream,
            ):
                response.raise_for_status()
                stream.writelines(response.iter_bytes())
            if fault := _fault(fresh, file):
                raise ProbSenseError(f"{url}: not the published file: {fault}; nothing was kept")
            fresh.replace(target)
    except httpx.InvalidURL as error:
        raise InputError(f"not an address: {error}", path=url) from None
    except httpx.HTTPError as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise ProbSenseError(
            f"{url}: the download failed ({said});"
            " files that are complete are kept, so repeat the command to download the rest"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=target) from None


def _git_blob(path: Path) -> str:
    """Return the name that git gives a file: the SHA-1 of its size and content."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _verify(path: Path, file: DataFile) -> None:
    try:
        fault = _fault(path, file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    if fault:
        raise ProbSenseError(f"{path}: not the published file: {fault}; --force downloads it again")


def _fault(path: Path, file: DataFile) -> str:
    """Say in what a file differs from the published one, with both checksums and sizes; "" if in nothing."""
    expected = file.sha256 or file.git_blob
    name, actual = ("SHA-256", file_hash(path)) if file.sha256 else ("name in git", _git_blob(path))
    if actual == expected:
        return ""
    size = "" if file.size is None else f" ({file.size:,} bytes)"
    return f"its {name} is {actual} ({path.stat().st_size:,} bytes), but should be {expected}{size}"
