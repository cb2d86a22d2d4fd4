"""Tries the prompt formats of a model on a task that can tell which of them fits: ``doctor --task``."""

from __future__ import annotations

from typing import NamedTuple

from probsense.core.errors import InputError, ModelError
from probsense.models.base import Finding, Formatted, Model
from probsense.models.doctor import ask
from probsense.runs.ask.plan import NEEDS, plan
from probsense.runs.ask.thinking import Wish
from probsense.tasks.base import Answers, Examination, Examines, Task
from probsense.tasks.registry import load_task, tasks_with

OWN = "as it is"
"""The name of the only format of a model that has no choice."""


class Examined(NamedTuple):
    """What was seen in each prompt format, and what the task advises; no advice where no format gave answers."""

    findings: list[Finding]
    advice: Examination | None


def examinable(name: str) -> Task:
    """Make a task that brings an examination.

    Raises
    ------
    InputError
        If it brings none, or there is no such task.
    """
    task = load_task(name)
    if not isinstance(task, Examines):
        able = ", ".join(tasks_with(Examines)) or "no task"
        raise InputError(f"{name} brings no examination of its own", expected=able)
    return task


def examine_for(task: Task, model: Model, method: str | None = None) -> Examined:
    """Ask what the task wants to know in every prompt format that the model can have.

    Parameters
    ----------
    task : Task
        As from :func:`examinable`.
    model : Model
    method : str, optional
        How to ask; by default as a run would.
    """
    task, asked, way, _ = plan(task, model, method, Wish("off"))
    assert isinstance(task, Examines)
    requests = task.examination(way)
    formats = asked.prompt_formats if isinstance(asked, Formatted) else {OWN: ""}
    findings: list[Finding] = []
    answers: dict[str, Answers] = {}
    for name, why_not in formats.items():
        if why_not:
            findings.append(Finding(f"{task.name}, {name}", None, f"not tried: {why_not}"))
            continue
        formatted = asked.in_prompt_format(name) if isinstance(asked, Formatted) else asked
        if not getattr(formatted.capabilities, NEEDS[way]):
            findings.append(Finding(f"{task.name}, {name}", None, f"not tried: it cannot answer {way}"))
            continue
        try:
            answers[name] = dict(zip(requests, ask(getattr(formatted, NEEDS[way]), requests), strict=True))
        except ModelError as error:
            findings.append(Finding(f"{task.name}, {name}", None, str(error)))
    if not answers:
        return Examined(findings, None)
    found = task.examined(way, answers)
    seen = [
        Finding(f"{task.name}, {name}", tried.fits or None, tried.detail, tried.data)
        for name, tried in found.tried.items()
    ]
    return Examined([*seen, *findings], found)
