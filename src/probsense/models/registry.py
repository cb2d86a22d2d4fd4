"""Models by specification, SCHEME:ARGUMENT: the entry-point group ``probsense.models``, an entry a scheme."""

from __future__ import annotations

from typing import Any

from probsense import registry
from probsense.errors import InputError
from probsense.models.base import Model
from probsense.records import digest

GROUP = "probsense.models"


def model_schemes() -> list[str]:
    """The installed schemes, without their colon."""
    return list(registry.entries(GROUP))


def load_model(spec: str, **options: Any) -> Model:
    """Make a model from its specification.

    Parameters
    ----------
    spec : str
        Scheme, colon, argument: "hf:NAME_OR_PATH", "recorded:PATH", "random:SEED", ...
    **options
        What the scheme takes.

    Raises
    ------
    InputError
        For a specification without a scheme, an unknown scheme or option.
    """
    scheme, colon, argument = spec.partition(":")
    if not colon:
        known = model_schemes()
        hint = f"{spec}:" if spec in known else f"hf:{spec}"
        raise InputError(
            f"the model {spec!r} has no scheme; did you mean {hint!r}?",
            expected=f"SCHEME:ARGUMENT with one of the schemes {', '.join(known)}",
        )
    factory = registry.find(GROUP, "kind of model", scheme)
    model: Model = registry.build(factory, f"model {spec!r}", (argument,), options)
    return model


def fingerprint(model: Model) -> str:
    """The key of a model in a store: the content key of everything that can change its numbers."""
    return digest(dict(model.details))
