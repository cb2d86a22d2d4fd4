"""What a task does that says nothing else: asks prompts with options or labels, beside right answers and people's.

An item's data have ``prompt``, and if need be ``wordings`` (other prompts by name, for conditions); ``options`` (texts
that may follow it) or ``labels`` (words that may, or a mapping of the names of answers to their words); and, where they
are known, ``people``: how many of them gave each answer. ``gold`` is the right option or label, or "".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats
from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.distributions.option_views import distribution
from probsense.analysis.human_choices.distributions import distributions
from probsense.analysis.human_choices.floors import FLOORS
from probsense.analysis.human_choices.measures import MEASURES
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate, mean_of_known
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.core.errors import InputError
from probsense.core.records import Item, Json, LabelRequest, LabelResponse, Request, ScoreRequest
from probsense.show.words import PEOPLE
from probsense.tasks.base import Answers, Method, PeopleAnswers
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, whole
from probsense.tasks.results import Results
from probsense.tasks.shared.item_scores import choice_scores
from probsense.tasks.shared.options import option_answers, option_estimates, option_notes, option_table
from probsense.tasks.shared.orders import Order, Turned, composed, listed_order, turned

LABEL_COLUMNS: Final = {
    **dict.fromkeys(("id", "cluster", "gold", "resp"), pl.String),
    **dict.fromkeys(("p_gold", "other"), pl.Float64),
}
"""Columns of the table of answers by labels: the right one, the most probable one, the share of the right one among the
labels, and the probability of everything else."""

USUAL: Final = "usual"
"""The name of the wording in which a question is asked without conditions."""
DISTANCES: Final = {"total_variation": "total_variation", "squared_distance_corrected": "squared_corrected"}
"""The measures of distance from people, by the names of their estimates."""


def names_of(item: Item) -> list[str]:
    """Return the names of the answers that an item lists.

    Raises
    ------
    InputError
        If it lists none.
    """
    for key in ("options", "labels"):
        if key in item.data:
            return [one[0] if isinstance(one, list) else str(one) for one in _entries(item.data[key])]
    raise InputError(f"item {item.id!r} lists no answers", expected="options or labels in its data")


def _entries(listed: Any) -> Sequence[Any]:
    """Return answers in order, each a word or, for a mapping, a name with its words."""
    return [*map(list, listed.items())] if isinstance(listed, Mapping) else listed


def in_order(item: Item) -> Item:
    """Return an item whose labels keep their order where mappings lose theirs, as in a store."""
    if not isinstance(item.data.get("labels"), Mapping):
        return item
    return replace(item, data={**item.data, "labels": _entries(item.data["labels"])})


def _words_of(item: Item) -> list[tuple[str, ...]]:
    """Return the words of each answer that an item lists."""
    entries = _entries(item.data.get("labels", names_of(item)))
    return [tuple(one[1]) if isinstance(one, list) else (str(one),) for one in entries]


def plain_facets(items: Sequence[Item]) -> Mapping[str, Sequence[str]]:
    """Return the wordings, if the questions have several."""
    wordings = items[0].data.get("wordings") if items else None
    return {"wording": [USUAL, *sorted(wordings)]} if wordings else {}


def plain_varied(item: Item, levels: Mapping[str, str]) -> Item:
    """Ask in another wording.

    Raises
    ------
    InputError
        If the item has no such wording.
    """
    wordings, name = {USUAL: item.data.get("prompt"), **item.data.get("wordings", {})}, levels["wording"]
    if name not in wordings:
        raise InputError(
            f"item {item.id!r} has no wording {name!r}", expected=f"one of {', '.join(wordings)}"
        )
    return replace(item, data={**item.data, "prompt": wordings[name]})


def plain_requests(item: Item, method: Method) -> Sequence[Request]:
    """Ask for the scores of the options, or for the mass of the labels, behind the prompt."""
    if "prompt" not in item.data:
        raise InputError(f"item {item.id!r} has no prompt", expected="the key prompt in its data")
    prompt, names = str(item.data["prompt"]), names_of(item)
    join = "" if prompt[-1:].isspace() else " "
    if method == "options":
        return [ScoreRequest(prompt, tuple(join + name for name in names), item=item.id)]
    return [LabelRequest(prompt, tuple(zip(names, _words_of(item), strict=True)), item=item.id)]


def by_place(item: Item) -> Item:
    """Return an item whose right answer is given by its place among those that are listed.

    Raises
    ------
    InputError
        If the right answer is none of them.
    """
    names = names_of(item)
    if item.gold and item.gold not in names:
        raise InputError(
            f"item {item.id!r} has the right answer {item.gold!r}", expected=f"one of {', '.join(names)}"
        )
    return replace(
        item, gold=str(names.index(item.gold)) if item.gold else "", data={**item.data, "options": names}
    )


def plain_turned(item: Item, turn: Order) -> Turned:
    """List the answers in another order, wherever the prompt lists all of them.

    Raises
    ------
    InputError
        If it lists them nowhere.
    """
    answers = tuple(_words_of(item))
    prompt = str(item.data.get("prompt", ""))
    order = listed_order(prompt, answers)
    if order is None:
        raise InputError(
            f"the prompt of item {item.id!r} lists its answers nowhere", expected=" or ".join(names_of(item))
        )
    data = {**item.data, "prompt": turned(prompt, answers, turn)}
    return Turned(replace(item, data=data), composed(order, turn))


def plain_people(item: Item) -> PeopleAnswers | None:
    """Return how people answered, if the item knows."""
    given: Mapping[str, float] = item.data.get("people", {})
    total = sum(given.values())
    shares = sorted(((name, count / total) for name, count in given.items()), key=lambda pair: -pair[1])
    return PeopleAnswers((*shares,), round(total)) if total else None


def plain_form(task: str) -> PeopleForm:
    """Return the form in which people choose among the answers that an item lists."""

    def question(item: Item) -> PeopleQuestion:
        listed = by_place(item)
        right = int(listed.gold) if listed.gold else None
        return PeopleQuestion(item.id, item.data["prompt"], tuple(names_of(item)), right, whole(task, item))

    return PeopleForm(task, "choose", question)


def plain_choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
    """Score what people chose: whether it is the right answer."""
    return choice_scores([*map(by_place, items)], chosen)


def plain_results(
    items: Sequence[Item],
    method: Method,
    requests: Callable[[Item], Sequence[Request]],
    answers: Answers,
    by: Mapping[str, Json],
    *,
    seed: int,
) -> Results:
    """Measure accuracy, label mass, and the distance from people, as far as items know of each.

    Parameters
    ----------
    items : sequence of Item
    method : {"options", "labels"}
    requests : callable
        The requests of an item.
    answers : Mapping of Request to Response
    by : Mapping
        What the estimates describe.
    seed : int
        Seeds the intervals that are drawn.

    Returns
    -------
    Results
        With options the estimates of :func:`~probsense.tasks.shared.options.option_estimates`; with labels "accuracy",
        "p_gold", "other_mass", and "label_mass" by ``label``; with people :data:`DISTANCES`; of people
        "accuracy", and the "total_variation" of another sample of as many.
    """
    listed = [by_place(item) for item in items]
    if method == "options":
        table = option_table(listed, lambda item: option_answers(requests(item), answers), "sum")
        shares = [distribution(option_answers(requests(item), answers)[0], "sum") for item in items]
        found, notes = option_estimates(table, by, "sum", seed=seed), option_notes(table)
    else:
        table, shares = _label_table(items, requests, answers)
        found, notes = _label_estimates(table, items, shares, by), []
    coverage = [{"asked": len(items), "with_gold": table["gold"].count()}]
    return Results([*found, *_distances(items, shares, by)], coverage, notes, table)


def _label_table(
    items: Sequence[Item], requests: Callable[[Item], Sequence[Request]], answers: Answers
) -> tuple[pl.DataFrame, list[Floats]]:
    """Make a row for each item, and return the shares of its labels among each other; NaN where none has any."""
    rows, shares = [], []
    for item in items:
        response = answers[requests(item)[0]]
        assert isinstance(response, LabelResponse)
        mass = np.array([*response.mass.values()])
        total = mass.sum()
        own = mass / total if total > 0 else np.full(len(mass), np.nan)
        by_name = dict(zip(response.mass, own.tolist(), strict=True))
        best = max(by_name, key=by_name.__getitem__) if total > 0 else None
        rows.append((item.id, item.cluster, item.gold or None, best, by_name.get(item.gold), response.other))
        shares.append(own)
    return pl.DataFrame(rows, schema=LABEL_COLUMNS, orient="row"), shares


def _label_estimates(
    table: pl.DataFrame, items: Sequence[Item], shares: Sequence[Floats], by: Mapping[str, Json]
) -> list[Estimate]:
    """Estimate accuracy where something is right; the mass of each label, if all items have the same; and the rest."""
    found, names, clusters = [], names_of(items[0]), table["cluster"]
    judged = table.filter(pl.col("gold").is_not_null() & pl.col("p_gold").is_not_nan())
    if judged.height:
        right, own = (judged["gold"] == judged["resp"]).fill_null(False), judged["cluster"]
        chance = float(np.mean([1 / len(names_of(item)) for item in items if item.gold]))
        found = [
            proportion_estimate("accuracy", by, right, own, chance=chance),
            mean_estimate("p_gold", by, judged["p_gold"], own, chance=chance),
        ]
    if all(names_of(item) == names for item in items):
        for name, values in zip(names, np.stack(shares).T, strict=True):
            found += mean_of_known("label_mass", {**by, "label": name}, values, clusters)
    return [*found, mean_estimate("other_mass", by, table["other"], clusters)]


def _distances(items: Sequence[Item], shares: Sequence[Floats], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate distances from people's answers; of people, how often they are right, and another sample's distance."""
    asked = [(item, own) for item, own in zip(items, shares, strict=True) if plain_people(item)]
    if not asked:
        return []
    most = max(len(own) for _, own in asked)
    counts, model = (np.full((len(asked), most), np.nan) for _ in range(2))
    for row, (item, own) in enumerate(asked):
        names = names_of(item)
        if strange := sorted({*item.data["people"]} - {*names}):
            raise InputError(f"people answered {strange[0]!r} to item {item.id!r}", expected=", ".join(names))
        counts[row, : len(names)] = [item.data["people"].get(name, 0) for name in names]
        model[row, : len(names)] = own
    pair = distributions(counts, model)
    clusters = [item.cluster for item, _ in asked]
    people = {**by, "model": PEOPLE}

    found: list[Estimate] = []
    if all(item.gold for item, _ in asked):
        right = [pair.p[row, names_of(item).index(item.gold)] for row, (item, _) in enumerate(asked)]
        found.append(mean_estimate("accuracy", people, right, clusters))
    for measure, name in DISTANCES.items():
        found += mean_of_known(measure, by, MEASURES[name].function(pair), clusters)
    return found + mean_of_known("total_variation", people, FLOORS["total_variation"](pair), clusters)
