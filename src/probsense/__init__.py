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
    "probsense.analysis.comparison.compare": {"Comparison"},
    "probsense.analysis.inference.estimate": {"Estimate"},
    "probsense.interop.compare": {"compare", "items"},
    "probsense.interop.plan": {"StudyPlan", "plan"},
    "probsense.models.registry": {"load_model"},
    "probsense.results.charts": {"chart"},
    "probsense.results.listing": {"list_runs"},
    "probsense.results.page.report": {"report"},
    "probsense.results.profile": {"Profile", "profile"},
    "probsense.runs.evaluate": {"evaluate", "load_run"},
    "probsense.runs.reproduce": {"Reproduced", "reproduce"},
    "probsense.runs.run": {"Run"},
    "probsense.runs.score": {"Distribution", "score", "score_many"},
    "probsense.tasks.base": {"Task"},
    "probsense.tasks.registry": {"load_task"},
}
"""The names that are imported when they are first used, by their modules."""

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
    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'probsense' has no attribute {name!r}")


# Results lie below the layer that says what they look like, so it is named here, above all layers.
shown_by(lambda result: import_module("probsense.results.notebook").cell(result))


def __dir__() -> list[str]:
    return sorted(__all__)
