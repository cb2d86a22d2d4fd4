"""Chooses the prompt format in which a model is asked for labels: that of earlier runs, or by a short examination."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from probsense.core.files import keep_json, kept_json
from probsense.core.records import LabelRequest, Request, digest
from probsense.models.base import FORMAT, Finding, Forecasting, Formatted, Model
from probsense.models.next_token.trial import code
from probsense.models.prompts.control import Kind, control_questions, examine_formats, kind_of
from probsense.models.registry import fingerprint
from probsense.runs.ask.plan import Plan
from probsense.runs.store.store import Store


def in_kept_format(planned: Plan, store: Store) -> tuple[Plan, list[LabelRequest]]:
    """Return a plan in the format that is known from the store or from an earlier examination; nothing is asked.

    Returns
    -------
    Plan
    list of LabelRequest
        The control questions that the run would ask in the usual format before its own, if the format is not known.
    """
    control: list[LabelRequest] = []

    def note(model: Model, kind: Kind) -> None:
        control.extend(question.request for question in control_questions(kind))

    return _in_format(planned, store, note), control


def in_fitting_format(planned: Plan, store: Store, max_cost: float | None = None) -> Plan:
    """Return a plan in the format in which the model answers with labels; examine the model if nobody has.

    A task that the store has asked before in the usual format, without an examination, is asked so again. Otherwise
    what an examination chose is kept in the store, with the run, and in the cache, with the model's fingerprint.

    Parameters
    ----------
    planned : Plan
    store : Store
        The store of the run.
    max_cost : float, optional
        What the examination may cost; a model that cannot be examined for that is asked in its usual format.
    """

    def examine(model: Model, kind: Kind) -> Finding | None:
        before = model.usage

        def may_ask(asked: Model, requests: Sequence[Request]) -> bool:
            if max_cost is None or not isinstance(asked, Forecasting):
                return True
            return model.usage.since(before).cost + asked.forecast(requests).cost <= max_cost

        found = examine_formats(model, kind, may_ask)
        if found is None:
            return None
        return replace(found, data={**found.data, "cost": model.usage.since(before).cost})

    return _in_format(planned, store, examine)


def _in_format(planned: Plan, store: Store, examine: Callable[[Model, Kind], Finding | None]) -> Plan:
    model, kind = planned.model, _kind(planned)
    if kind is None or not isinstance(model, Formatted) or model.settled:
        return planned
    own = fingerprint(model)
    if _asked_as_usual(planned, store, own):
        return planned
    found = _in_store(store, own, kind) or _in_cache(own, kind)
    if found is None:
        found = examine(model, kind)
        if found is None:
            return planned
        # The fingerprint that the examined model has in its usual format.
        found = replace(found, data={**found.data, "of": own})
        keep_json(_name(own, kind), {"ok": found.ok, "detail": found.detail, "data": dict(found.data)})
    chosen = str(found.data["chosen"])
    asked = model.in_prompt_format(chosen) if found.data.get("moved") else model
    return planned._replace(model=asked, findings=[found])


def _kind(planned: Plan) -> Kind | None:
    """Return the kind of the labels that a plan asks for; None if it asks for none, or lets the model think first."""
    task, method = planned.task, planned.method
    if method != "labels" or planned.chains is not None or not (items := planned.items()):
        return None
    requests = task.requests(items[0], method, {})
    return next((kind_of(one.labels) for one in requests if isinstance(one, LabelRequest)), None)


def _asked_as_usual(planned: Plan, store: Store, own: str) -> bool:
    """Tell whether a store has runs of the task in the usual format that knew of no examination."""
    of_task = (planned.task.name, planned.method, own)
    return any(
        (run.task, run.method, run.fingerprint) == of_task
        and not any(found.name == FORMAT for found in store.findings(run.id))
        for run in store.runs()
    )


def _in_store(store: Store, own: str, kind: Kind) -> Finding | None:
    """Return the last finding of an examination in a store."""
    for found in reversed(store.all_findings(FORMAT)):
        match dict(found.data):
            case {"of": of, "kind": asked, "chosen": str(), "moved": bool()} if (of, asked) == (own, kind):
                return found
    return None


def _in_cache(own: str, kind: Kind) -> Finding | None:
    """Return what an examination found, out of the cache."""
    value: Any = kept_json(_name(own, kind))
    match value:
        case {
            "ok": bool() | None as ok,
            "detail": str(detail),
            "data": {"chosen": str(), "moved": bool()} as data,
        }:
            return Finding(FORMAT, ok, detail, data)
    return None


def _name(own: str, kind: Kind) -> str:
    return f"formats/{digest([own, kind, code()])}.json"
