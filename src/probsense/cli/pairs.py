"""Reads options that are given as KEY=VALUE: those of models, of readers of results, and of checks of data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probsense.core.errors import InputError, did_you_mean
from probsense.core.options import Option, declared

if TYPE_CHECKING:
    from probsense.models.base import Model

ModelOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-M",
        help="Option of the model, such as dtype=float32; may be repeated. 'probsense models SCHEME' lists them.",
        metavar="KEY=VALUE",
    ),
]
FurtherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-O",
        help="Option of what reads the files, such as input_dir=FOLDER; may be repeated.",
        metavar="KEY=VALUE",
    ),
]


def read_pairs(words: Iterable[str], known: Mapping[str, Option], flag: str) -> dict[str, Any]:
    """Read options that are given as KEY=VALUE.

    Parameters
    ----------
    words : iterable of str
    known : Mapping of str to Option
    flag : str
        Stands before each of them, for errors.

    Raises
    ------
    InputError
        For a word that is no pair, an unknown key, a value of a wrong kind, and a second value where there is one.
    """
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        name = key.strip().replace("-", "_")
        if not equals:
            raise InputError(f"{flag} {word!r}", expected="KEY=VALUE")
        if name not in known:
            expected = f"one of {', '.join(known)}" if known else "no options at all"
            raise InputError(f"no such option: {flag} {name}{did_you_mean(name, known)}", expected=expected)
        option = known[name]
        if name in found and not option.many:
            raise InputError(f"{flag} {name} twice", expected="each once")
        one = option.parse(value, f"{flag} {name}")
        found[name] = [*found.get(name, []), *one] if option.many else one
    return found


def options_of(
    specs: Sequence[str], words: Sequence[str] | None, further: Mapping[str, Option] | None = None
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Read the options of models.

    Parameters
    ----------
    specs : sequence of str
        The specifications of the models; each gets the options that its schemes take.
    words : sequence of str or None
        As the command line gives them.
    further : Mapping of str to Option, optional
        Options that are for the run, whatever the model.

    Returns
    -------
    dict of str to dict
        Options by specification.
    dict
        Those of ``further``.

    Raises
    ------
    InputError
        For a specification that is none, and as :func:`read_pairs` does.
    """
    from probsense.models.registry import check_spec, model_options, schemes_in

    takes: dict[str, dict[str, Option]] = {}
    for spec in dict.fromkeys(specs):
        schemes = schemes_in(spec)
        if not schemes:
            check_spec(spec, {})
        takes[spec] = {name: one for scheme in schemes for name, one in model_options(scheme).items()}
    known = {name: one for own in takes.values() for name, one in own.items()}
    given = read_pairs(words or (), {**known, **(further or {})}, "-M")
    found = {spec: {name: given[name] for name in own if name in given} for spec, own in takes.items()}
    return found, {name: given[name] for name in further or () if name in given}


def of_thoughts() -> dict[str, Option]:
    """Return the options of models that are about thoughts, whatever the model."""
    from probsense.runs.ask.thinking import wished

    options = declared(wished)
    return {name: options[name] for name in ("think_start", "think_end", "thinking_sampling")}


def options_of_one(spec: str, words: Sequence[str] | None) -> dict[str, Any]:
    """Read the options of the one model of a command."""
    found, _ = options_of([spec], words)
    return found[spec]


def load(spec: str, options: Mapping[str, Any], *, quiet: bool = False) -> Model:
    """Load a model; say so if it is slow."""
    from probsense.models.registry import load_model
    from probsense.runs.ask.progress import show_waiting

    with show_waiting(f"getting {spec} ready", quiet=quiet):
        return load_model(spec, **options)
