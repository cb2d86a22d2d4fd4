"""Downloads published data sets: checked against checksums, whole or not at all, and never twice.

All data sets lie in one folder (:func:`data_home`), in the layout ``<data set>/<part>/<file>``. A mirror (``base_url``)
serves the same layout, so a folder of data sets on a web server is a mirror.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

import platformdirs

from probsense.core.datasets.catalogue import DataFile, DataSet, Part, find
from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files import Place, read_csv_rows, read_json, read_jsonl, writing

if TYPE_CHECKING:
    import httpx

Progress: TypeAlias = Callable[[str, int, "int | None"], None]
"""Function that is told, as bytes arrive, the file, the number of bytes so far, and the total if it is known."""

LOCK = "checksums.json"
"""File beside the parts of a data set, with the checksums of files for which the catalogue has none, as first
downloaded."""


def data_home() -> Path:
    """Return the folder of data sets: PROBSENSE_DATA, or else ``data`` in the platform's cache folder."""
    chosen = os.environ.get("PROBSENSE_DATA")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("probsense") / "data"


def missing(name: str) -> list[str]:
    """List the files of a data set, or of one part, that :func:`data_home` lacks."""
    data_set, parts = find(name)
    return [
        path
        for part in parts
        for file in part.files
        if not (data_home() / (path := _path(data_set, part, file))).is_file()
    ]


def get(
    name: str,
    *,
    force: bool = False,
    offline: bool = False,
    base_url: str | None = None,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
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
    progress : callable, optional
        Is told about bytes as they arrive.
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
    data_set, parts = find(name)
    root = data_home()
    offline = offline or os.environ.get("PROBSENSE_OFFLINE", "").lower() not in ("", "0", "false", "no")
    mirror = base_url or os.environ.get("PROBSENSE_DATA_URL")
    lock = root / data_set.name / LOCK
    seen = _read_lock(lock)
    wanted = []
    for part in parts:
        for file in part.files:
            path = _path(data_set, part, file)
            if (root / path).is_file() and (offline or not force):
                _verify(root / path, file, seen.get(path))
            else:
                url = mirror.rstrip("/") + "/" + quote(path) if mirror else _public_url(data_set, file)
                wanted.append((path, url, file))
    if wanted and offline:
        others = f" (and {len(wanted) - 1} more files)" if len(wanted) > 1 else ""
        raise ProbSenseError(
            f"{root / wanted[0][0]}{others}: not on this machine, and downloads are switched off: run"
            f" 'probsense data get {name}' with a network, or let PROBSENSE_DATA name a folder that has it"
        )
    if wanted:
        with _client() as client:
            for path, url, file in wanted:
                actual = _download(client, url, root / path, file, seen.get(path), path, progress)
                if file.sha256 is None and path not in seen:
                    seen[path] = actual
                    _write_lock(lock, seen)
                    if note and file.git_blob is None:
                        note(
                            f"{path}: no checksum of this file is known, so this download is trusted;"
                            f" its checksum is now in {lock}, and later downloads must agree with it."
                        )
    return root / name


def _path(data_set: DataSet, part: Part, file: DataFile) -> str:
    return f"{data_set.name}/{part.name}/{file.path}"


def _public_url(data_set: DataSet, file: DataFile) -> str:
    return f"{data_set.base_url}/{quote(file.source)}"


def _client() -> httpx.Client:
    import httpx

    return httpx.Client(
        trust_env=True,
        follow_redirects=True,
        timeout=httpx.Timeout(30.0, connect=15.0),
        headers={"User-Agent": "probsense"},
    )


def _download(
    client: httpx.Client,
    url: str,
    target: Path,
    file: DataFile,
    seen: str | None,
    label: str,
    progress: Progress | None,
) -> str:
    """Download one file to its place if it is the right one, and return its SHA-256."""
    import httpx

    expected = file.sha256 or seen
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=target.parent) as folder:
            temporary = Path(folder) / target.name
            try:
                unknown = expected is None and file.git_blob is None
                actual = _receive(client, url, temporary, unknown, label, progress)
            except httpx.HTTPStatusError as error:
                status = error.response
                raise ProbSenseError(
                    f"{url}: the server answered {status.status_code} {status.reason_phrase}"
                ) from None
            except httpx.InvalidURL as error:
                raise InputError(f"not an address: {error}", path=url) from None
            except httpx.TimeoutException:
                raise ProbSenseError(
                    f"{url}: the server did not answer in time; files that are complete are kept,"
                    " so try again later"
                ) from None
            except httpx.HTTPError as error:
                raise ProbSenseError(
                    f"{url}: the download failed ({str(error) or type(error).__name__});"
                    " files that are complete are kept, so repeat the command to download the rest"
                ) from None
            _check(temporary, url, actual, expected, file.git_blob)
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=target) from None
    return actual


def _receive(
    client: httpx.Client, url: str, target: Path, unknown: bool, label: str, progress: Progress | None
) -> str:
    checksum = hashlib.sha256()
    received = 0
    with client.stream("GET", url) as response, target.open("wb") as stream:
        response.raise_for_status()
        if unknown and not {"content-length", "transfer-encoding"} & set(response.headers):
            # A cut connection looks like a finished one, and there is no checksum that would notice.
            raise ProbSenseError(f"{url}: the server does not say where the file ends; nothing was kept")
        # The length header counts bytes as sent, which is not the length of the file if they are compressed.
        length = None if "content-encoding" in response.headers else response.headers.get("content-length")
        total = int(length) if length else None
        for chunk in response.iter_bytes():
            stream.write(chunk)
            checksum.update(chunk)
            received += len(chunk)
            if progress:
                progress(label, received, total)
    return checksum.hexdigest()


def _check(temporary: Path, url: str, actual: str, expected: str | None, blob: str | None) -> None:
    if expected is not None:
        if actual != expected:
            raise ProbSenseError(
                f"{url}: not the published file: its SHA-256 is {actual}, but should be {expected};"
                " nothing was kept"
            )
    elif blob is not None:
        if (found := _git_blob(temporary)) != blob:
            raise ProbSenseError(
                f"{url}: not the published file: git would call it {found}, and not {blob}; nothing was kept"
            )
    else:
        _check_whole(temporary, url)


def _check_whole(temporary: Path, url: str) -> None:
    """Check that every line is of the right kind, to catch a login page or half a file without a checksum."""
    kind, count = ("CSV", _csv_rows) if temporary.suffix == ".csv" else ("JSON lines", _json_lines)
    try:
        lines = count(temporary)
    except InputError as error:
        raise ProbSenseError(f"{url}: not a file of {kind}: {error}; nothing was kept") from None
    if not lines:
        raise ProbSenseError(f"{url}: the file is empty; nothing was kept")


def _json_lines(path: Path) -> int:
    return sum(1 for _ in read_jsonl(path))


def _csv_rows(path: Path) -> int:
    """Count the rows; each must have as many cells as the first, and more than one."""
    widths = [len(row) for _, row in read_csv_rows(path)]
    if widths and widths[0] < 2:
        raise InputError("rows of 1 cell", path=path, expected="a table")
    return len(widths)


def _git_blob(path: Path) -> str:
    """Return the name that git gives a file: the SHA-1 of its size and content."""
    with path.open("rb") as stream:
        header = f"blob {path.stat().st_size}\0".encode()
        return hashlib.file_digest(stream, lambda: hashlib.sha1(header, usedforsecurity=False)).hexdigest()


def _verify(path: Path, file: DataFile, seen: str | None) -> None:
    expected = file.sha256 or seen
    if expected is None and file.git_blob is None:
        return
    try:
        if expected is None:
            name, expected, actual = "name in git", file.git_blob, _git_blob(path)
        else:
            with path.open("rb") as stream:
                name, actual = "SHA-256", hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    if actual != expected:
        raise ProbSenseError(
            f"{path}: not the published file: its {name} is {actual}, but should be {expected};"
            " --force downloads it again"
        )


_CHECKSUMS = "checksums by file"


def _read_lock(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    place = Place(path)
    found = place.mapping(read_json(path, expected=_CHECKSUMS), expected=_CHECKSUMS)
    for name, value in found.items():
        if not isinstance(value, str):
            raise place.wrong(value, name, _CHECKSUMS)
    return found


def _write_lock(path: Path, checksums: Mapping[str, str]) -> None:
    with writing(path) as stream:
        stream.write(json.dumps(dict(checksums), indent=1, sort_keys=True).encode() + b"\n")
