"""A task that asks each question under several conditions, for every task.

A condition is a level of each facet. Each question is asked in all of them, and the mean of the answers counts as the
answer to it. How far the conditions matter is a result of its own (:mod:`~probsense.tasks.conditions.measures`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from probsense.analysis.distributions.mixture import chance_of_chains
from probsense.core.errors import InputError
from probsense.core.records import (
    Item,
    Json,
    LabelResponse,
    Request,
    Response,
    SampleResponse,
    ScoreResponse,
)
from probsense.show.text import counted
from probsense.tasks.base import Answered, Answers, Joined, Method, Task, words_of
from probsense.tasks.conditions.facets import MOST, PERSONA, Conditions, Level, crossed_orders
from probsense.tasks.conditions.measures import (
    WORDS,
    Seen,
    condition_estimates,
    counted_texts,
    mean_of,
    mostly_conditions,
    shares_of,
    texts_in,
)
from probsense.tasks.conditions.personas import persona_results
from probsense.tasks.results import Results
from probsense.tasks.shared.orders import Order, Turned

CONDITIONS, LEVELS = "conditions", "levels"
"""The options of a task under conditions: what they are, and what their files said."""
FIRST: Final = 50
"""How many questions are tried before a model is loaded."""


class Condition(NamedTuple):
    """Hold a question under one condition.

    Attributes
    ----------
    item : Item
        As it asks under the condition.
    order : tuple of int
        The answer in each place; () where order is no facet.
    names : tuple of str
        The answer for which each option of its requests stands; () where that is as without conditions.
    levels : Mapping of str to Level
        The level of each other facet.
    """

    item: Item
    order: Order
    names: tuple[str, ...]
    levels: Mapping[str, Level]

    @property
    def weight(self) -> float:
        """How much the answer counts in the mean."""
        return prod(level.weight for level in self.levels.values())

    def put(self, request: Request) -> Request:
        """Give a request the texts of the levels, before a system prompt of its own."""
        texts = [level.text for level in self.levels.values()]
        return replace(request, system="\n\n".join(filter(None, (*texts, request.system))))


Responses: TypeAlias = "list[tuple[Condition, list[Response]]]"
"""The answers to the requests of a question under each condition, with the answers in the order of the question."""


def under(
    task: Task, conditions: str | None, most: int | None = None, kept: Mapping[str, Any] | None = None
) -> Task:
    """Return a task that asks each question under several conditions; the task itself without conditions.

    Parameters
    ----------
    task : Task
    conditions : str or None
        As :meth:`~probsense.tasks.conditions.facets.Conditions.parse` reads them; without any, those that the task
        usually has.
    most : int, optional
        The most conditions, if these do not say it.
    kept : Mapping, optional
        Levels that a run has recorded, in place of files.

    Raises
    ------
    InputError
        For a facet that the task does not have, and levels that cannot be read.
    """
    if isinstance(task, Crossed):
        return task if conditions is None else under(task.plain, conditions, most, kept)
    conditions = conditions or task.usual_conditions
    if not conditions:
        if most is not None:
            raise InputError(f"at most {most} conditions", expected="conditions: the facets that may vary")
        return task
    if most is not None:
        conditions += f",{MOST}={most}"
    kind, words = type(task), words_of(task)
    known = Conditions.parse(conditions, lambda: task.facets, kept)
    made = copy(task)
    # The class stays that of the task, but for how it asks and measures.
    made.__class__ = type(kind.__name__, (Crossed, kind), {"__module__": kind.__module__, "name": task.name})
    vars(made).pop("questions", None)
    vars(made).update(
        plain=task,
        conditions=known,
        options={**task.options, CONDITIONS: conditions, **({LEVELS: known.kept} if known.kept else {})},
        words=replace(
            words,
            measures={**words.measures, **WORDS.measures},
            groups=[*words.groups, *WORDS.groups],
            methods={**words.methods, **WORDS.methods},
            parts=tuple(dict.fromkeys((*words.parts, *WORDS.parts))),
            left_alone=(*words.left_alone, *WORDS.left_alone),
        ),
    )
    return made


class Crossed(Task):
    """Ask and measure each question under all conditions.

    Two underscores keep its own names apart from those of any task.

    Attributes
    ----------
    plain : Task
        The task without conditions.
    conditions : Conditions
    """

    plain: Task
    conditions: Conditions

    @cached_property
    def questions(self) -> Sequence[Item]:
        """Those of the task, if the first ones can be asked under all conditions."""
        found = self.plain.questions
        try:
            for item in found[:FIRST]:
                [*self.conditions_of(item)]
        except InputError as error:
            raise InputError(f"{self.name} under conditions of {self.conditions.given}: {error}") from None
        return found

    @property
    def methods(self) -> Sequence[Method]:
        """The ways of the task whose answers have a mean; texts that are not counted have none by weights."""
        weights = {one.weight for one in self.conditions.facets.get(PERSONA, ())}
        texts = self.plain.brings("most_requests") or self.conditions.order or len(weights) > 1
        lost = ["sample"] if texts and self.__measured_as("sample") == "sample" else []
        found = [method for method in self.plain.methods if method not in lost]
        if not found:
            asks = " and ".join(self.plain.methods)
            raise InputError(f"{self.name} under conditions", expected=f"another way to ask than {asks}")
        return found

    def __measured_as(self, method: Method) -> Method:
        """Return the method; texts that count by the answer which they give are measured as the mass of labels."""
        return "labels" if method == "sample" and "labels" in self.plain.methods else method

    def for_model(self, method: str | None, *, chat: bool) -> Task:
        """Return the task as it asks the model, under the same conditions."""
        fitted = self.plain.for_model(method, chat=chat)
        if fitted is self.plain:
            return self
        return under(fitted, self.conditions.given, kept=self.conditions.kept)

    def conditions_of(self, item: Item) -> Iterator[Condition]:
        """Yield a question under each condition; the first level of each facet of the task is the question as it is."""
        facets = self.conditions.facets
        listed = len(self.plain.listed(item)) if self.conditions.order else 1
        sizes = (*map(len, facets.values()),)
        for *places, turn in crossed_orders(sizes, listed, self.conditions.most):
            levels = {name: known[place] for (name, known), place in zip(facets.items(), places, strict=True)}
            named = {name: level.name for name, level in levels.items() if name not in self.conditions.files}
            asked = self.plain.varied(item, named) if named else item
            turned = self.plain.turned(asked, turn) if self.conditions.order else Turned(asked, ())
            yield Condition(*turned, levels)

    def __asked(self, item: Item, method: Method) -> Iterator[tuple[Condition, list[Request]]]:
        """Yield each condition with its requests; one in which the method asks the same again counts once."""
        known = set[tuple[Any, ...]]()
        for one in self.conditions_of(item):
            requests = [*map(one.put, self.plain.requests(one.item, method, {}))]
            asked = (*requests, *(one.levels[name].name for name in self.conditions.files))
            if asked not in known:
                known.add(asked)
                yield one, requests

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return the requests of the question under each condition."""
        return [request for _, own in self.__asked(item, method) for request in own]

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Return the same: no answer decides what is asked next."""
        return self.requests(item, method, {})

    def __answers(
        self, item: Item, method: Method, answers: Answers
    ) -> tuple[Responses, dict[Request, Response]]:
        """Return the answers under each condition, and their means by the requests of the task without conditions."""
        found = [
            (one, [self.__read(one, method, answers[request]) for request in requests])
            for one, requests in self.__asked(item, method)
        ]
        weights, alike = [one.weight for one, _ in found], self.plain.mean_of_shares
        own = self.plain.requests(item, self.__measured_as(method), {})
        each = zip(*(responses for _, responses in found), strict=True)
        means = (mean_of(under_all, weights, alike) for under_all in each)
        return found, dict(zip(own, means, strict=True))

    def __read(self, condition: Condition, method: Method, response: Response) -> Response:
        """Count texts, and put options into the order in which they stand without conditions."""
        if isinstance(response, SampleResponse) and self.__measured_as(method) == "labels":
            return counted_texts(self.plain, condition.item, response)
        if not (condition.names and isinstance(response, ScoreResponse)):
            return response
        places = [condition.names.index(name) for name in self.plain.listed(condition.item)]
        chains = tuple(replace(one, options=tuple(one.options[k] for k in places)) for one in response.chains)
        return replace(response, options=tuple(response.options[k] for k in places), chains=chains)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure the mean answers as the task does, and how far the conditions matter."""
        means: dict[Request, Response] = {}
        seen: dict[str, Seen | None] = {}
        several = False
        for item in items:
            responses, mean = self.__answers(item, method, answers)
            means |= mean
            seen[item.id] = self.__seen(item, method, responses)
            several |= len(responses) > 1
        found = self.plain.measure(items, self.__measured_as(method), means, by)
        if found.withheld or not several:
            return found

        def of(own: Sequence[Item]) -> list[Seen | None]:
            return [seen[item.id] for item in own]

        parts = [*self.__parts(items)]
        more = [Results(condition_estimates(of(own), {**by, **part})) for part, own in parts]
        # A group of questions has people of its own.
        for part, own in (parts[1:] or parts) if PERSONA in self.conditions.facets else ():
            named = "".join(f"{group}, " for group in part.values())
            groups = self.plain.people_in_groups(own)
            more.append(persona_results(of(own), groups, by, named))
        estimates = [estimate for one in more for estimate in one.estimates]
        notes = [note for one in more for note in one.notes]
        silent = sum(one is not None and not len(one.shares) for one in seen.values())
        if silent:
            notes.insert(0, f"{counted(silent, 'question')} without an answer under some condition: left out")
        how = "each question was asked under several conditions, whose mean counts"
        return replace(
            found,
            estimates=[*found.estimates, *estimates],
            notes=[f"{how}: {self.conditions.given}", *dict.fromkeys(notes), *found.notes],
            # Orders have measures of their own.
            warnings=[
                *(mostly_conditions(estimates) if self.conditions.facets else ()),
                *dict.fromkeys(warning for one in more for warning in one.warnings),
                *found.warnings,
            ],
        )

    def __parts(self, items: Sequence[Item]) -> Iterator[tuple[dict[str, Json], Sequence[Item]]]:
        """Yield all questions, then each group of them by which pages sort questions."""
        yield {}, items
        key = words_of(self.plain).item_group
        groups = list(dict.fromkeys(str(item.data[key]) for item in items if key in item.data))
        for group in groups if len(groups) > 1 else ():
            yield {key: group}, [item for item in items if str(item.data.get(key)) == group]

    def __seen(self, item: Item, method: Method, found: Responses) -> Seen | None:
        """Read the shares of the answers under each condition; None where texts are put together."""
        # Options have one request that counts, labels as many as the task has.
        given = [own[:1] if method == "options" else own for _, own in found]
        if any(isinstance(response, SampleResponse) for own in given for response in own):
            return None
        shares = [shares_of(self.plain, item, own) for own in given]
        known = all(map(len, shares))
        first = [own[0] for own in given]
        return Seen(
            item.cluster,
            np.array([own.mean(axis=0) for own in shares]) if known else shares[0][:0],
            [one.order for one, _ in found],
            [one.levels for one, _ in found],
            self.plain.right(item),
            chance_of_chains(first, lambda own: shares_of(self.plain, item, own))
            if self.conditions.order
            else 0.0,
            [np.inf if self.__measured_as(method) == method else texts_in(one) for one in first],
        )

    def joined(self, item: Item, method: Method, answers: Answers) -> Joined | None:
        """Return the mean distribution over conditions."""
        _, mean = self.__answers(item, method, answers)
        if (own := self.plain.joined(item, self.__measured_as(method), mean)) is not None:
            return own
        request, response = next(iter(mean.items()))
        match response:
            case LabelResponse():
                return tuple(response.mass.items()), response.other
            case ScoreResponse():
                names = (option.strip() for option in request.options)  # type: ignore[union-attr]
                shares = shares_of(self.plain, item, [response])[0].tolist()
                return (*zip(names, shares, strict=True),), 0.0
        return None

    def __answered(self, answered: Answered) -> Answered:
        means: dict[Request, Response] = {}
        for item in answered.items:
            means |= self.__answers(item, answered.method, answered.answers)[1]
        return replace(answered, method=self.__measured_as(answered.method), answers=means)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the mean answers."""
        return self.plain.write_results(folder, self.__answered(answered))

    def item_scores(self, answered: Answered) -> Any:
        """Score the mean answers."""
        return self.plain.item_scores(self.__answered(answered))
