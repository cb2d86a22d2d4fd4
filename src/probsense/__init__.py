"""ProbSense measures the common sense of language models as probability distributions, and sets them against people.

import probsense as ps

run = ps.evaluate("worldsense", "builtin:tiny", limit=500)
run.estimates()
ps.chart(run, "accuracy")
ps.report("report.html", run)
ps.score("builtin:tiny", "The sky is", [" blue", " yellow-pink"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.records import Item, LabelRequest, SampleRequest, ScoreRequest
from probsense.core.shown import shown_by

if TYPE_CHECKING:
    from probsense.analysis.comparison.compare import Comparison
    from probsense.analysis.inference.estimate import Estimate
    from probsense.interop.compare import compare, items
    from probsense.interop.plan import StudyPlan, plan
    from probsense.models.registry import load_model
    from probsense.results.charts import chart
    from probsense.results.listing import list_runs
    from probsense.results.page.report import report
    from probsense.results.profile import Profile, profile
    from probsense.runs.evaluate import evaluate, load_run
    from probsense.runs.reproduce import Reproduced, reproduce
    from probsense.runs.run import Run
    from probsense.runs.score import Distribution, score, score_many
    from probsense.tasks.base import Task
    from probsense.tasks.registry import load_task

_LAZY = {
    "Comparison": "probsense.analysis.comparison.compare",
    "Distribution": "probsense.runs.score",
    "Estimate": "probsense.analysis.inference.estimate",
    "Profile": "probsense.results.profile",
    "Reproduced": "probsense.runs.reproduce",
    "Run": "probsense.runs.run",
    "StudyPlan": "probsense.interop.plan",
    "Task": "probsense.tasks.base",
    "chart": "probsense.results.charts",
    "compare": "probsense.interop.compare",
    "evaluate": "probsense.runs.evaluate",
    "load_model": "probsense.models.registry",
    "load_run": "probsense.runs.evaluate",
    "load_task": "probsense.tasks.registry",
    "plan": "probsense.interop.plan",
    "profile": "probsense.results.profile",
    "report": "probsense.results.page.report",
    "reproduce": "probsense.runs.reproduce",
    "items": "probsense.interop.compare",
    "list_runs": "probsense.results.listing",
    "score": "probsense.runs.score",
    "score_many": "probsense.runs.score",
}

__all__ = [
    "Comparison",
    "Distribution",
    "Estimate",
    "InputError",
    "Item",
    "LabelRequest",
    "ModelError",
    "ProbSenseError",
    "Profile",
    "Reproduced",
    "Run",
    "SampleRequest",
    "ScoreRequest",
    "StudyPlan",
    "Task",
    "chart",
    "compare",
    "evaluate",
    "items",
    "list_runs",
    "load_model",
    "load_run",
    "load_task",
    "plan",
    "profile",
    "report",
    "reproduce",
    "score",
    "score_many",
]


def __getattr__(name: str) -> Any:
    """Import what is heavy when it is first used."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'probsense' has no attribute {name!r}")


# Results lie below the layer that says what they look like, so it is named here, above all layers.
shown_by(lambda result: import_module("probsense.results.notebook").cell(result))


def __dir__() -> list[str]:
    return sorted(__all__)
