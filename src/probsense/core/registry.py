"""Finds what is installed under a name, in one way for tasks, models and readers, ours and other people's
alike; and says how to install what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from urllib.parse import urlsplit

from probsense.core.errors import ProbSenseError, check_name


def entries(group: str) -> dict[str, EntryPoint]:
    """List the installed entry points of a group, by name."""
    return {entry.name: entry for entry in _installed(entry_points, group, tuple(sys.path))}


@lru_cache(maxsize=64)
def _installed(
    read: Callable[..., Iterable[EntryPoint]], group: str, path: tuple[str, ...]
) -> list[EntryPoint]:
    """Look once for what is installed on a path of Python: that takes as long as to load a task."""
    return sorted(read(group=group), key=lambda entry: entry.name)


def find(group: str, noun: str, name: str) -> Any:
    """Import what an entry-point group holds under a name.

    Parameters
    ----------
    group : str
        Entry-point group, such as "probsense.tasks".
    noun : str
        What the user calls a member of it, such as "task".
    name : str

    Raises
    ------
    InputError
        If the group has no such name; the message proposes the nearest one.
    ProbSenseError
        If the name is declared but its code cannot be imported.
    """
    known = entries(group)
    check_name(noun, name, known)
    try:
        return known[name].load()
    except (ImportError, AttributeError) as error:
        raise ProbSenseError(f"the {noun} {name!r} cannot be loaded: {error}") from error


class _Later:
    def __init__(self, place: str) -> None:
        self.place = place

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return resolve_name(self.place)


def later(place: str) -> Any:
    """Make an attribute of a class that is imported when it is used: what a class does is often heavier than its names.

    Parameters
    ----------
    place : str
        "module:name".
    """
    return _Later(place)


def install(extras: str) -> str:
    """Return the command that installs extras, from where the package itself was installed.

    Parameters
    ----------
    extras : str
        Such as "hf", or "hf,embed".
    """
    from urllib.request import url2pathname

    try:
        origin = json.loads(distribution("probsense").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url = origin.get("url", "")
    if "dir_info" in origin:
        folder = Path(url2pathname(urlsplit(url).path))
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {editable}'{'.' if folder == Path.cwd() else folder}[{extras}]'"
    program = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    source = f" @ {program}{url}" if url else ""
    return f"pip install 'probsense[{extras}]{source}'"
