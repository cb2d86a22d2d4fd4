"""The folder of a site: writes what changed, leaves alone what did not, and removes what went away.

A manifest says from what each file was made. It is written before the first file and after the last one, and in
between it names every file that may be there. So a build that is killed leaves whole files only, and the next one
mends the site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from probsense.core.errors import InputError
from probsense.core.files import check_folder, read_json, writing
from probsense.core.records import Json, canonical_json

MANIFEST: Final = "manifest.json"
SCHEMA: Final = "probsense site 1"


@dataclass(frozen=True, eq=False)
class SiteFile:
    """A file of a site.

    Attributes
    ----------
    path : str
        Below the folder, with forward slashes.
    key : str
        Key of everything that it is made from.
    make : callable
        Makes its content.
    """

    path: str
    key: str
    make: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Written:
    """How many files of a site were written, how many stayed as they were, and how many were removed."""

    written: int
    kept: int
    removed: int


def check_site(folder: Path) -> None:
    """Refuse a folder that has something in it, but no site.

    Raises
    ------
    InputError
        For such a folder, and for a file.
    """
    _known(folder)


def write_files(folder: Path, files: Sequence[SiteFile]) -> Written:
    """Bring a folder up to date.

    Parameters
    ----------
    folder : Path
        Made if missing.
    files : sequence of SiteFile
        All files of the site; they are written in this order, each whole or not at all.

    Raises
    ------
    InputError
        If the folder has something in it, but no site, or cannot be written.
    """
    known = _known(folder)
    wanted = {file.path: file.key for file in files}
    kept = {path for path, key in wanted.items() if known.get(path) == key and (folder / path).is_file()}
    gone = [path for path in known if path not in wanted]
    changed = [file for file in files if file.path not in kept]
    if changed or gone or not known:
        # An empty key says that a file may be there and may be of anything.
        _write_manifest(folder, {path: wanted[path] if path in kept else "" for path in {**known, **wanted}})
    for file in changed:
        with writing(folder / file.path) as stream:
            stream.write(file.make())
    for path in gone:
        (folder / path).unlink(missing_ok=True)
    if changed or gone or not known:
        _write_manifest(folder, wanted)
    _tidy(folder, [*known, *wanted, MANIFEST])
    return Written(len(changed), len(kept), len(gone))


def _known(folder: Path) -> dict[str, str]:
    """Read from what the files in a folder were made; empty if there is no site yet."""
    check_folder(folder)
    path = folder / MANIFEST
    if not path.is_file():
        if folder.exists() and any(one for one in folder.iterdir() if not _is_scrap(one.name, [MANIFEST])):
            raise InputError("a folder with other files", path=folder, expected="an empty folder, or a site")
        return {}
    found = read_json(path)
    files = found.get("files") if isinstance(found, Mapping) and found.get("schema") == SCHEMA else None
    if not isinstance(files, Mapping) or not all(
        isinstance(name, str) and isinstance(key, str) and _is_inside(name) for name, key in files.items()
    ):
        raise InputError("no manifest of a site", path=path, expected="an empty folder, or a site")
    return dict(files)


def _is_inside(path: str) -> bool:
    """Tell whether a path of a manifest stays below its folder: what it names may be removed."""
    parts = PurePosixPath(path)
    return bool(path) and "\\" not in path and not parts.is_absolute() and ".." not in parts.parts


def _write_manifest(folder: Path, files: Mapping[str, str]) -> None:
    about: dict[str, Json] = {"schema": SCHEMA, "files": dict(sorted(files.items()))}
    with writing(folder / MANIFEST) as stream:
        stream.write(canonical_json(about).replace('","', '",\n"').encode() + b"\n")


def _tidy(folder: Path, paths: Iterable[str]) -> None:
    """Remove unfinished files that a killed build left behind, and folders that have become empty."""
    folders: dict[Path, list[str]] = {}
    for path in paths:
        folders.setdefault((folder / path).parent, []).append(PurePosixPath(path).name)
    for own, names in folders.items():
        if own.is_dir():
            for scrap in [one for one in own.iterdir() if _is_scrap(one.name, names)]:
                scrap.unlink(missing_ok=True)
            if own != folder and not any(own.iterdir()):
                own.rmdir()


def _is_scrap(name: str, names: Iterable[str]) -> bool:
    """Tell whether a name is that of a temporary file of one of these files, as :func:`writing` calls them."""
    found = re.fullmatch(r"\.(.+)\.[a-z0-9_]{8}", name)
    return found is not None and found[1] in names
