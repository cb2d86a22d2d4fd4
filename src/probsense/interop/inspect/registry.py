"""What inspect finds by the entry point ``probsense`` of the group ``inspect_ai``: our tasks and our models."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from probsense.interop.inspect import tasks as inspect_tasks

TASKS = inspect_tasks.TASKS


@modelapi(name="probsense")  # type: ignore[untyped-decorator]
def probsense() -> type[ModelAPI]:
    """Return the class of our models."""
    from probsense.interop.inspect.model import ProbSenseAPI

    return ProbSenseAPI
