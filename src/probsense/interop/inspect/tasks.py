"""Every installed task as a task of inspect: ``inspect eval probsense/worldsense --model …``.

One solver asks in the rounds of the task, one scorer keeps the answers, and one metric returns the task's own
estimates. Options of the task are given by ``-T``, and ``-T method=…`` says how to ask. Inspect imports this module
by an entry point of the group ``inspect_ai``, and our models with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from logging import getLogger
from math import isnan
from typing import Any, Final

from inspect_ai import Task as InspectTask
from inspect_ai import task as inspect_task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from probsense.analysis.distributions import option_views
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import LabelResponse, Request, SampleResponse, ScoreRequest, ScoreResponse
from probsense.interop import hosted
from probsense.interop.inspect.model import ProbSenseAPI, asker
from probsense.tasks.base import Answers, Method
from probsense.tasks.registry import task_names
from probsense.tasks.shared.items import plain_scores

LOG: Final = getLogger(__name__)


def made(name: str, options: Mapping[str, Any]) -> InspectTask:
    """Make the task of inspect for one of ours.

    Parameters
    ----------
    name : str
    options : Mapping
        Options of the task, and "method".
    """
    try:
        who = get_model()
        asked = hosted.ready_task(
            name,
            options,
            who=str(who),
            capabilities=lambda form: asker(who, form).capabilities,
            usual=None if isinstance(who.api, ProbSenseAPI) else "sample",
        )
        task, items = hosted.task_again(asked)
    except ProbSenseError as error:
        raise PrerequisiteError(str(error)) from None
    samples = [
        Sample(
            one["text"] or one["id"], target=one["gold"], id=one["id"], metadata={"cluster": one["cluster"]}
        )
        for one in hosted.documents(items.values())
    ]
    return InspectTask(
        dataset=MemoryDataset(samples, name=name),
        solver=ask(*asked),
        scorer=answers(*asked),
        version=task.version,
        metadata={"options": dict(task.options), "method": asked.method},
    )


@solver  # type: ignore[untyped-decorator]
def ask(name: str, version: int, options: str, method: Method) -> Solver:
    """Ask about a sample in the rounds of the task."""
    asked = hosted.Asked(name, version, options, method)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > 1:
            raise InputError(
                "several epochs", expected="one: how many texts a question has is an option of the task"
            )
        task, items = hosted.task_again(asked)
        item = items[str(state.sample_id)]
        answering = asker(get_model(), task.prompt_form)
        found: dict[Request, Any] = {}
        while wanted := hosted.open_requests(task, item, method, found):
            found |= zip(wanted, await answering.ask(wanted), strict=True)
        state.store.set(hosted.KEY, hosted.written(found))
        state.output.completion = _shown(found)
        return state

    return solve


@metric  # type: ignore[untyped-decorator]
def estimates() -> Metric:
    """Return the estimates of the task, each with its standard error."""

    def measure(scores: list[SampleScore]) -> dict[str, float]:
        kept = {
            str(one.sample_id): own for one in scores if (own := (one.score.metadata or {}).get(hosted.KEY))
        }
        if not kept:
            return {}
        try:
            _, answered = hosted.measure_kept(kept)
        except InputError as error:  # While samples arrive, they can be too few to be measured.
            LOG.warning("no estimates: %s", error)
            return {}
        return figures(answered.results.estimates)

    return measure


@scorer(metrics=[estimates()])  # type: ignore[untyped-decorator]
def answers(name: str, version: int, options: str, method: Method) -> Scorer:
    """Score a sample by every number that its task has for a single item, and keep the answers for the metric."""
    asked = hosted.Asked(name, version, options, method)

    async def score(state: TaskState, target: Target) -> Score:
        recorded = state.store.get(hosted.KEY)
        return Score(
            value=_values(asked, {str(state.sample_id): recorded}),
            answer=state.output.completion,
            metadata={hosted.KEY: {"asked": [*asked], "answers": recorded}},
        )

    return score


def _values(asked: hosted.Asked, recorded: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the scores of a single item; of a task that scores whole clusters, those of its row in the table."""
    try:
        answered = hosted.answered_again(asked, recorded)
        scores = hosted.task_again(asked)[0].item_scores(answered).scores
        row = (scores if scores.height else plain_scores(answered).scores).row(0, named=True)
    except InputError:  # One item can be too few to be measured.
        return {"answered": 1.0}
    return {key: None if value is None or isnan(value) else float(value) for key, value in row.items()}


def _shown(answers: Answers) -> str:
    """Show the last answer: a text, or the likeliest label or option."""
    *_, request = answers
    match request, answers[request]:
        case _, SampleResponse(texts=texts):
            return texts[0]
        case _, LabelResponse(mass=mass):
            return max(mass, key=mass.__getitem__)
        case ScoreRequest(options=options), ScoreResponse() as scored:
            return options[int(option_views.scores(scored).argmax())].strip()
        case _:
            return ""


def figures(found: Sequence[Estimate]) -> dict[str, float]:
    """Name the estimates about all items, which are those with the fewest keys, and their standard errors.

    Parameters
    ----------
    found : sequence of Estimate

    Returns
    -------
    dict of str to float
        Estimates are called MEASURE KEY=VALUE …, with " (METHOD)" for all but the first method of a measure, and
        standard errors have " stderr" after that.
    """
    named: dict[str, float] = {}
    first: dict[str, str] = {}
    own = [one for one in found if one.by.get("model") == hosted.ASKED]
    fewest = {(one.measure, one.method): len(one.by) for one in sorted(own, key=lambda one: -len(one.by))}
    for one in own:
        usual = first.setdefault(one.measure, one.method)
        if len(one.by) > fewest[one.measure, one.method]:
            continue
        by = "".join(f" {key}={value}" for key, value in one.by.items() if key not in ("model", "prompting"))
        name = one.measure + by + ("" if one.method == usual else f" ({one.method})")
        named |= {name: one.value, f"{name} stderr": one.stderr}
    return {name: value for name, value in named.items() if not isnan(value)}


def _register(name: str) -> Callable[..., InspectTask]:
    def make(**options: Any) -> InspectTask:
        return made(name, options)

    make.__doc__ = f"Ask by the task {name} of ProbSense, with its options."
    registered: Callable[..., InspectTask] = inspect_task(name=name)(make)
    return registered


TASKS: Final = {name: _register(name) for name in task_names()}
"""The tasks of inspect by name."""
