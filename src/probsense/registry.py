"""Finding what is installed under a name: one way for tasks and models, ours and other people's alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from probsense.errors import InputError, ProbSenseError, did_you_mean


def entries(group: str) -> dict[str, EntryPoint]:
    """The installed entry points of a group, by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def find(group: str, noun: str, name: str) -> Callable[..., Any]:
    """The factory that an entry-point group holds under a name.

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
    if name not in known:
        raise InputError(
            f"no such {noun}: {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
        )
    try:
        factory: Callable[..., Any] = known[name].load()
    except (ImportError, AttributeError) as error:
        raise ProbSenseError(f"the {noun} {name!r} cannot be loaded: {error}") from error
    return factory


def build(factory: Callable[..., Any], what: str, given: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Call a factory with the user's options, after checking that it takes them.

    Parameters
    ----------
    factory : callable
    what : str
        How an error calls the thing to be made: "task 'worldsense'".
    given : tuple of str
        Positional arguments, which are no options.
    options : Mapping[str, Any]

    Raises
    ------
    InputError
        For an option that the factory does not take, or one that it needs and does not get.
    """
    taken = options_taken(factory, len(given))
    for name in options:
        if taken is not None and name not in taken:
            raise InputError(
                f"the {what} takes no option {name!r}{did_you_mean(name, taken)}",
                expected=f"one of {', '.join(taken)}" if taken else "no options at all",
            )
    missing = [name for name in _options_needed(factory, len(given)) if name not in options]
    if missing:
        raise InputError(f"the {what} needs the option {missing[0]!r}")
    return factory(*given, **options)


def options_taken(factory: Callable[..., Any], positional: int = 0) -> tuple[str, ...] | None:
    """Names of the options of a factory, after its positional arguments; None where it takes any."""
    parameters = list(inspect.signature(factory).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return tuple(
        p.name for p in parameters[positional:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    )


def _options_needed(factory: Callable[..., Any], positional: int) -> list[str]:
    parameters = list(inspect.signature(factory).parameters.values())[positional:]
    return [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
