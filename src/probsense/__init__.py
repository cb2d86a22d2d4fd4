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

from probsense.errors import InputError, ModelError, ProbSenseError
from probsense.records import Item, LabelRequest, SampleRequest, ScoreRequest
from probsense.shown import shown_by

if TYPE_CHECKING:
    from probsense.comparison.compare import Comparison
    from probsense.interop.compare import compare
    from probsense.models.registry import load_model
    from probsense.planning.plan import Plan
    from probsense.reporting.chart import chart
    from probsense.reporting.listing import runs
    from probsense.reporting.planned import plan
    from probsense.reporting.profiled import Profile, profile
    from probsense.reporting.runs import report
    from probsense.run.distribution import Distribution
    from probsense.run.evaluate import Run, evaluate, load_run
    from probsense.run.score import score, score_many
    from probsense.stats.estimate import Estimate
    from probsense.tasks.registry import load_task
    from probsense.website.build import site

_LAZY = {
    "Comparison": "probsense.comparison.compare",
    "Distribution": "probsense.run.distribution",
    "Estimate": "probsense.stats.estimate",
    "Plan": "probsense.planning.plan",
    "Profile": "probsense.reporting.profiled",
    "Run": "probsense.run.evaluate",
    "chart": "probsense.reporting.chart",
    "compare": "probsense.interop.compare",
    "evaluate": "probsense.run.evaluate",
    "load_model": "probsense.models.registry",
    "load_run": "probsense.run.evaluate",
    "load_task": "probsense.tasks.registry",
    "plan": "probsense.reporting.planned",
    "profile": "probsense.reporting.profiled",
    "report": "probsense.reporting.runs",
    "runs": "probsense.reporting.listing",
    "score": "probsense.run.score",
    "score_many": "probsense.run.score",
    "site": "probsense.website.build",
}

__all__ = [
    "Comparison",
    "Distribution",
    "Estimate",
    "InputError",
    "Item",
    "LabelRequest",
    "ModelError",
    "Plan",
    "ProbSenseError",
    "Profile",
    "Run",
    "SampleRequest",
    "ScoreRequest",
    "chart",
    "compare",
    "evaluate",
    "load_model",
    "load_run",
    "load_task",
    "plan",
    "profile",
    "report",
    "runs",
    "score",
    "score_many",
    "site",
]


def __getattr__(name: str) -> Any:
    """Import what is heavy when it is first used."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'probsense' has no attribute {name!r}")


# Results lie below the layer that says what they look like, so it is named here, above all layers.
shown_by(lambda result: import_module("probsense.reporting.cells").cell(result))


def __dir__() -> list[str]:
    return sorted(__all__)
