"""Finds models by their specification, SCHEME:ARGUMENT; each entry of the group ``probsense.models`` is a scheme."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from probsense.core import registry
from probsense.core.errors import InputError
from probsense.core.options import Option, check_options, declared, first_line
from probsense.core.records import digest
from probsense.models.base import Model

GROUP = "probsense.models"


def model_schemes() -> list[str]:
    """List the installed schemes, without their colon."""
    return list(registry.entries(GROUP))


def load_model(spec: str, **options: Any) -> Model:
    """Make a model from its specification.

    Parameters
    ----------
    spec : str
        Scheme, colon, argument: "hf:NAME_OR_PATH", "recorded:PATH", ... A scheme whose loader has a default for its
        argument stands alone, too: "random", "random:7".
    **options
        Options of the scheme.

    Raises
    ------
    InputError
        As :func:`check_spec` does, and for what the model itself finds wrong.
    """
    check_spec(spec, options)
    scheme, _, argument = spec.partition(":")
    model: Model = registry.find(GROUP, "kind of model", scheme)(argument, **options)
    return model


def check_spec(spec: str, options: Mapping[str, Any]) -> None:
    """Check a specification without making its model.

    A loader's module may have a function ``check``, which takes what the loader takes and refuses what is not there.

    Raises
    ------
    InputError
        For a specification without a scheme, for an unknown scheme or option, and as the scheme's own check does.
    """
    scheme, colon, argument = spec.partition(":")
    if not colon and not stands_alone(spec):
        known = model_schemes()
        hint = f"{spec}:" if spec in known else f"hf:{spec}"
        raise InputError(
            f"the model {spec!r} has no scheme; did you mean {hint!r}?",
            expected=f"SCHEME:ARGUMENT with one of the schemes {', '.join(known)}",
        )
    loader = registry.find(GROUP, "kind of model", scheme)
    taken = {name: one for own in schemes_in(spec) for name, one in model_options(own).items()}
    check_options(f"model {spec!r}", taken, options)
    if check := getattr(sys.modules[loader.__module__], "check", None):
        check(argument, **options)


def schemes_in(spec: str) -> list[str]:
    """List the schemes of a specification whose options it takes: of "ray:hf:NAME" these are "ray" and "hf".

    A loader that takes ``**options`` passes them to the model that its argument specifies.
    """
    scheme, _, argument = spec.partition(":")
    if scheme not in model_schemes():
        return []
    passes = any(one.kind is one.VAR_KEYWORD for one in _parameters(scheme))
    return [scheme, *(schemes_in(argument) if passes else [])]


def stands_alone(spec: str) -> bool:
    """Tell whether a specification without a colon is a scheme that needs no argument."""
    return spec in model_schemes() and any(one.default is not one.empty for one in _parameters(spec)[:1])


def _parameters(scheme: str) -> list[inspect.Parameter]:
    return [*inspect.signature(registry.find(GROUP, "kind of model", scheme)).parameters.values()]


def model_options(scheme: str) -> dict[str, Option]:
    """Read the options that the loader of a scheme declares, all but its argument, which follows the colon."""
    argument = [one.name for one in _parameters(scheme)[:1]]
    return declared(registry.find(GROUP, "kind of model", scheme), skip=argument)


def model_title(scheme: str) -> str:
    """Return the first line of what documents the loader of a scheme."""
    return first_line(registry.find(GROUP, "kind of model", scheme))


def fingerprint(model: Model) -> str:
    """Return the key of a model in a store: the content key of everything that can change its numbers."""
    return digest(dict(model.details))
