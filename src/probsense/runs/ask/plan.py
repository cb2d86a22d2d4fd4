"""Plans what a task asks a model: which items, by which method, and in which form and format of prompts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, Self, TypeAlias, cast

from probsense.core.errors import InputError, brief, check_name
from probsense.core.files import read_text
from probsense.core.records import Item, Json, LabelRequest, Request
from probsense.models.base import (
    FORMAT,
    Capabilities,
    Finding,
    Forecasting,
    Formatted,
    Model,
    even_cuts,
    findings_of,
    in_form,
    size,
)
from probsense.models.prompts.control import Kind, control_questions, examine_formats, kind_of
from probsense.models.registry import fingerprint
from probsense.runs.ask.thinking import AUTO, Chains, Wish, let_think
from probsense.runs.store.rows import ALL_ITEMS, ITEMS, OF_RUN, THINKING, RunRecord
from probsense.runs.store.store import Store
from probsense.tasks.base import Method, Task
from probsense.tasks.registry import load_task, named_in_data

ItemList: TypeAlias = "Path | str | Sequence[str]"
"""A file with the id of an item in each line, where lines that begin with "#" are comments; or the ids."""


def listed_ids(listed: ItemList) -> list[str]:
    """Read ids of items, each once and sorted.

    Raises
    ------
    InputError
        If there are none.
    """
    path: Path | None = None
    if isinstance(listed, Path | str):
        path = Path(listed)
        lines = map(str.strip, read_text(path).splitlines())
        listed = [line for line in lines if line and not line.startswith("#")]
    if not listed:
        raise InputError("no ids of items", path=path, expected="one at least")
    return sorted({*listed})


def chosen_items(task: Task, listed: ItemList | None) -> Sequence[Item]:
    """Return the items of a task that are asked, in its order: those whose ids are given, or else all.

    Raises
    ------
    InputError
        If an id is none of the task's, and for ids beside a limit, as it would leave out some of them.
    """
    items = task.questions
    if listed is None:
        return items
    if task.options.get("limit") is not None:
        raise InputError("a limit beside a list of items", expected="one of them")
    ids = {*listed_ids(listed)}
    if unknown := sorted(ids.difference(item.id for item in items)):
        raise InputError(
            f"{len(unknown):,} of {len(ids):,} items are not in {task.name}, such as {brief(unknown[0])}",
            path=listed if isinstance(listed, Path | str) else None,
            expected="ids of its items with these options",
        )
    return [item for item in items if item.id in ids]


def selection_note(options: Mapping[str, Json], asked: int) -> list[str]:
    """Say how many of a task's items were asked, if they were listed."""
    if ITEMS not in options:
        return []
    source = f"in {options[ITEMS]}" if isinstance(options[ITEMS], str) else "by their ids"
    return [f"{asked:,} of {options[ALL_ITEMS]:,} items, as listed {source}"]


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of several: its number, which counts from 1, and how many there are."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``number/of``, such as ``3/8``.

        Raises
        ------
        InputError
            For anything else, and for a number that is not from 1 to ``of``.
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
        if not found or not 0 < int(found[1]) <= int(found[2]):
            raise InputError(f"{text!r} as a shard", expected="number/of, from 1/8 to 8/8 for eight")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"shard {self.number:,} of {self.of:,}"


def shard_items(task: Task, items: Sequence[Item], method: Method, shard: Shard) -> list[Item]:
    """Choose the items of one part, such that all parts together have each item once.

    Items of one cluster stay together. Clusters come in the order of their first prompts, so that those that begin
    alike lie in one part and a model computes their beginning once. :func:`~probsense.models.base.even_cuts`
    says where parts end.

    Parameters
    ----------
    task : Task
    items : sequence of Item
    method : Method
    shard : Shard

    Returns
    -------
    list of Item
        In their order; it may be empty if there are fewer clusters than parts.
    """
    clusters: dict[str, list[int]] = {}
    for position, item in enumerate(items):
        clusters.setdefault(item.cluster or f"\0{position}", []).append(position)

    def sizes(cluster: Sequence[int]) -> list[tuple[str, int]]:
        requests = (task.requests(items[position], method, {}) for position in cluster)
        return sorted(size(one) for own in requests for one in dict.fromkeys(own))

    order = sorted((sizes(cluster), cluster) for cluster in clusters.values())
    start, stop = even_cuts((asked for asked, _ in order), shard.of)[shard.number - 1]
    chosen = {position for _, cluster in order[start:stop] for position in cluster}
    return [item for position, item in enumerate(items) if position in chosen]


NEEDS: Final[dict[Method, str]] = {
    "options": "score",
    "labels": "labels",
    "sample": "sample",
    "stated": "sample",
}
"""Capability of a model that each method needs."""


WORDS: Final[dict[str, tuple[Method, ...]]] = {"exact": ("options",), "both": ("sample", "options")}
"""Words that users may say for methods: option scores are exact, without the noise of samples."""


class Plan(NamedTuple):
    """A task as it asks a model, the model as it is asked, and how.

    Attributes
    ----------
    task : Task
    model : Model
    method : Method
    items : sequence of Item
        Those that are asked.
    listed : ItemList or None
        How the user chose them; None for all.
    chains : Chains or None
        How the model thinks first, if it does.
    findings : sequence of Finding
        What an examination found about the way to ask, beside the findings of the model itself.
    """

    task: Task
    model: Model
    method: Method
    items: Sequence[Item]
    listed: ItemList | None = None
    chains: Chains | None = None
    findings: Sequence[Finding] = ()

    def start(self, store: Store, seed: int, name: str | None = None) -> RunRecord:
        """Record in a store what is going to be asked, under a name if there is one."""
        further: dict[str, Json] = {}
        if self.chains is not None:
            further[THINKING] = self.chains.to_json()
        if self.listed is not None:
            path = isinstance(self.listed, Path | str)
            further[ITEMS] = str(self.listed) if path else listed_ids(self.listed)
            further[ALL_ITEMS] = len(self.task.questions)
        findings = [*findings_of(self.model), *self.findings]
        return store.start_run(self.task, self.items, self.method, seed, self.model, name, further, findings)


def task_of(name: str, options: Mapping[str, Json]) -> Task:
    """Make the task of a run, by its name and the options that the run records.

    Raises
    ------
    InputError
        For a task, an option or a file that is not there any more.
    """
    return load_task(
        named_in_data(name), **{key: value for key, value in options.items() if key not in OF_RUN}
    )


def plan(
    task: Task,
    model: Model,
    asked: str | None = None,
    thinking: Wish = AUTO,
    listed: ItemList | None = None,
) -> Plan:
    """Fit a task and a model to each other, and choose how the task asks.

    A task that follows the model learns first whether that takes questions as a chat. Then the model takes the form of
    the task's prompts, which are texts to continue or questions.

    Parameters
    ----------
    task : Task
    model : Model
    asked : str, optional
        The user's wish; without one, the task's best method that the model can answer is chosen.
    thinking : Wish
        Whether and how the model is to think before its answers.
    listed : ItemList, optional
        Which items are to be asked; by default, all.

    Raises
    ------
    InputError
        If the task does not know the wished method, or the model cannot answer it or any, and for items that are none.
    """
    model, chains = let_think(model, thinking)
    task = task.for_model(asked, chat=in_form(model, "question").capabilities.chat)
    model = in_form(model, task.prompt_form)
    method = fitting_method(task, asked, model.name, model.capabilities, findings_of(model))
    return Plan(task, model, method, chosen_items(task, listed), listed, chains)


def plans(
    task: Task,
    model: Model,
    asked: str | None = None,
    wishes: Sequence[Wish] = (AUTO,),
    listed: ItemList | None = None,
) -> list[Plan]:
    """Plan for each wish by each of the methods that a word stands for, which may be one of :data:`WORDS`."""
    methods = WORDS.get(asked or "", (asked,))
    return [plan(task, model, method, wish, listed) for wish in wishes for method in methods]


def check_budget(model: Model, max_cost: float | None) -> None:
    """Refuse a budget that is not above 0, or that a model without prices could not keep.

    Raises
    ------
    InputError
        If it is not above 0, or the prices of the model are not known.
    """
    if max_cost is None:
        return
    if not max_cost > 0:
        raise InputError(f"a budget of {max_cost:g}", expected="above 0")
    if not (isinstance(model, Forecasting) and model.priced):
        raise InputError(
            f"a budget, but no prices of {model.name}", expected="a table with them: -M prices=FILE"
        )


def fitting_method(
    task: Task,
    asked: str | None,
    who: str,
    capabilities: Capabilities,
    findings: Sequence[Finding] = (),
) -> Method:
    """Choose how a task asks somebody who answers.

    Parameters
    ----------
    task : Task
    asked : str or None
        The user's wish.
    who : str
        How errors call the one who answers.
    capabilities : Capabilities
    findings : sequence of Finding
        Those of the examination of a model, which may have prevented a method.
    """
    able = [method for method in task.methods if getattr(capabilities, NEEDS[method])]
    can = f"{who} can answer {', '.join(able) or 'none of them'}"
    if asked is None:
        if able:
            return able[0]
        whys = "".join(why_not(findings, method) for method in task.methods)
        raise InputError(f"{task.name} asks by {', '.join(task.methods)}, and {can}{whys}")
    check_name(f"method of {task.name}", asked, task.methods)
    method = cast("Method", asked)
    if method not in able:
        raise InputError(f"{who} cannot answer the method {asked!r}{why_not(findings, method)}", expected=can)
    return method


def why_not(findings: Sequence[Finding], method: Method) -> str:
    """Say what the examination of a model found to prevent a method."""
    return "".join(f": {found.detail}" for found in findings if found.name == method and not found.ok)


def in_kept_format(planned: Plan, store: Store) -> tuple[Plan, list[LabelRequest]]:
    """Return a plan in the format that the store knows of an earlier examination; nothing is asked.

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
    what an examination chose is kept in the store, with the run and the model's fingerprint.

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

        return examine_formats(model, kind, may_ask)

    return _in_format(planned, store, examine)


def _in_format(planned: Plan, store: Store, examine: Callable[[Model, Kind], Finding | None]) -> Plan:
    model, kind = planned.model, _kind_of_labels(planned)
    if kind is None or not isinstance(model, Formatted) or model.settled:
        return planned
    own = fingerprint(model)
    if _asked_as_usual(planned, store, own):
        return planned
    found = _known_format(store, own, kind) or examine(model, kind)
    if found is None:
        return planned
    # The fingerprint that the examined model has in its usual format.
    found = replace(found, data={**found.data, "of": own})
    chosen = str(found.data["chosen"])
    asked = model.in_prompt_format(chosen) if found.data.get("moved") else model
    return planned._replace(model=asked, findings=[found])


def _kind_of_labels(planned: Plan) -> Kind | None:
    """Return the kind of the labels that a plan asks for; None if it asks for none, or lets the model think first."""
    task, method = planned.task, planned.method
    if method != "labels" or planned.chains is not None or not planned.items:
        return None
    requests = task.requests(planned.items[0], method, {})
    return next((kind_of(one.labels) for one in requests if isinstance(one, LabelRequest)), None)


def _asked_as_usual(planned: Plan, store: Store, own: str) -> bool:
    """Tell whether a store has runs of the task in the usual format that knew of no examination."""
    of_task = (planned.task.name, planned.method, own)
    return any(
        (run.task, run.method, run.fingerprint) == of_task
        and not any(found.name == FORMAT for found in store.findings(run.id))
        for run in store.runs()
    )


def _known_format(store: Store, own: str, kind: Kind) -> Finding | None:
    """Return the last finding of an examination in a store."""
    for found in reversed(store.all_findings(FORMAT)):
        match dict(found.data):
            case {"of": of, "kind": asked, "chosen": str(), "moved": bool()} if (of, asked) == (own, kind):
                return found
    return None
