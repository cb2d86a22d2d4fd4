"""Sets results in the examined prompt format beside those in every format that fits.

    python benchmarks/studies/prompt_formats.py [MODEL ...] [--limit N] [--data STATEMENTS]

An examination must not choose the format in which a model happens to score best. So each model answers in all formats
that it can have: yes and no to statements (other words are dropped), and letters of options. A format fits if the task
does not withhold its results. The table has the score in each; "in" says that the interval in the chosen format holds
the mean over those that fit. Two made models come along, whose leanings differ from format to format.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import ProbSenseError
from probsense.core.records import LabelRequest, LabelResponse
from probsense.models.base import Batch, Capabilities, Formatted, Model, Usage, in_form
from probsense.models.prompts.control import Kind
from probsense.models.prompts.examination import examine_formats
from probsense.models.registry import load_model
from probsense.runs.evaluate import evaluate

MODELS = ("builtin:tiny", "builtin:smollm2")
TASKS: Mapping[str, tuple[Kind, str, str, Mapping[str, Any]]] = {
    "judgments": (
        "words",
        "commonsensicality",
        "statement bootstrap",
        {"questions": ["q1", "q2"], "other": "drop"},
    ),
    "choices": ("letters", "jensen_shannon", "plug-in", {}),
}
"""The labels that each task asks for, its measure with the estimator, and its options."""
ALL = ("chat", "chat-answer", "plain")


@dataclass(frozen=True)
class Made:
    """A model that leans to one label or the other by chance, anew in each format; in some it says little.

    Attributes
    ----------
    name : str
    masses : tuple of float
        The probability of labels in each of :data:`ALL`.
    format : str
    """

    name: str
    masses: tuple[float, ...]
    format: str = ALL[0]
    settled: bool = False
    capabilities: Capabilities = field(default=Capabilities(labels="exact"))
    usage: Usage = field(default_factory=Usage)

    @property
    def details(self) -> Mapping[str, Any]:
        """What it answers by."""
        return {"made": self.name, "prompt_format": self.format}

    def prompt_formats(self) -> Mapping[str, str]:
        """All of them."""
        return dict.fromkeys(ALL, "")

    def in_prompt_format(self, name: str) -> Made:
        """Return the model in a format."""
        return replace(self, format=name, settled=True)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Lean as the words of the request, the name and the format have it; and to an answer that is given away."""
        mass = self.masses[ALL.index(self.format)]
        for i, request in enumerate(requests):
            names = [name for name, _ in request.labels]
            seed = zlib.crc32(f"{self.name} {self.format} {request.prompt}".encode())
            shares = np.random.default_rng(seed).dirichlet(np.ones(len(names)))
            for k, name in enumerate(names):
                if f'with "{name}"' in request.prompt:
                    shares = 0.3 * shares + 0.7 * (np.arange(len(names)) == k)
            yield [(i, LabelResponse(dict(zip(names, map(float, mass * shares), strict=True)), 1 - mass))]

    def score(self, requests: Any) -> Any:
        """Refuse: it gives labels only."""
        raise ProbSenseError("labels only")

    sample = score


def score(task: str, model: Model, options: Mapping[str, Any]) -> Estimate | None:
    """Return the score of a model on a task; None where results are withheld."""
    _, measure, estimator, own = TASKS[task]
    given = own | {name: value for name, value in options.items() if name != "data" or task == "judgments"}
    run = evaluate(task, model, method="labels", store=None, quiet=True, **given)
    if run.results.withheld:
        return None
    alone = {"model", "prompting"}
    return next(
        e
        for e in run.results.estimates
        if e.measure == measure and e.method == estimator and {*e.by} == alone and e.by["model"] == model.name
    )


def study(model: Model, options: Mapping[str, Any]) -> None:
    """Print the scores of a model in all formats."""
    asked = in_form(model, "question")
    assert isinstance(asked, Formatted)
    for task, (kind, measure, *_) in TASKS.items():
        started = time.process_time()
        found = examine_formats(replace(asked, settled=False), kind)  # type: ignore[type-var]
        seconds = time.process_time() - started
        assert found is not None
        names = [name for name, why_not in asked.prompt_formats().items() if not why_not]
        scores = {name: score(task, asked.in_prompt_format(name), options) for name in names}
        fit = {name: one for name, one in scores.items() if one is not None}
        print(f"\n{model.name}, {task}, {measure}: {found.detail}")
        print(f"  {found.data['questions']} questions, {seconds:.1f} s of CPU time")
        for name, one in scores.items():
            mark = "*" if name == found.data["chosen"] else " "
            said = "withheld" if one is None else f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
            print(f"  {mark} {name:16} {said}")
        own = fit.get(str(found.data["chosen"]))
        if own is None:
            print("  no format passes, and results in the usual one are withheld")
            continue
        mean = float(np.mean([one.value for one in fit.values()]))
        print(
            f"  mean over {len(fit)} that fit: {mean:.3f}, {'in' if own.low <= mean <= own.high else 'OUT'}"
        )


def main() -> None:
    """Print a table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    parser.add_argument("--limit", type=int, help="questions of each task")
    parser.add_argument("--data", type=Path, help="statements, instead of those of the package")
    chosen = parser.parse_args()
    options = {name: value for name, value in (("limit", chosen.limit), ("data", chosen.data)) if value}
    made = [Made("made:quiet-in-chat", (0.05, 0.9, 0.7)), Made("made:clear", (0.8, 0.9, 0.7))]
    for model in [*map(load_model, chosen.models), *made]:
        study(model, options)


if __name__ == "__main__":
    main()
