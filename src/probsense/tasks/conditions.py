"""The same question under several conditions, for every task: its answers in other orders, other system prompts.

A condition is a level of each facet. Each question is asked in all of them, and the mean of the answers counts as the
answer to it. How far the conditions matter is a result of its own
(:mod:`~probsense.tasks.shared.condition_effects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np

from probsense.analysis.distributions import option_views as views
from probsense.analysis.distributions.mixture import chance_of_chains, mean_labels, mean_options
from probsense.core.errors import InputError, check_name
from probsense.core.files import Place, read_yaml
from probsense.core.records import (
    Item,
    Json,
    LabelResponse,
    Request,
    Response,
    SampleResponse,
    ScoreResponse,
)
from probsense.tasks.base import Answered, Answers, Joined, Method, Task, words_of
from probsense.tasks.results import Results
from probsense.tasks.shared.condition_effects import WORDS, Floats, Seen, condition_estimates
from probsense.tasks.shared.orders import Order, Turned, orders_of

ORDER: Final = "order"
SYSTEM: Final = "system"
FACETS: Final = (ORDER, SYSTEM)
FIRST: Final = 50
"""How many questions are tried before a model is loaded."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Hold the facets of the conditions, and their levels.

    Attributes
    ----------
    given : str
        As the user wrote them.
    order : bool
        Whether the answers are listed in several orders.
    systems : Mapping of str to str
        System prompts by name; one without a name or text if they are no facet.
    file : str
        The path of the system prompts; "" without them.
    """

    given: str
    order: bool
    systems: Mapping[str, str]
    file: str = ""

    @classmethod
    def parse(cls, given: str) -> Self:
        """Read facets: ``order``, ``system=FILE``, or both with a comma between them.

        Raises
        ------
        InputError
            For an unknown or repeated facet, one without its file, and a file that maps no names to texts.
        """
        found: dict[str, str] = {}
        for word in given.split(","):
            name, _, value = word.strip().partition("=")
            check_name("facet", name, FACETS)
            if name in found:
                raise InputError(f"the facet {name} twice", expected="each once")
            if bool(value) is not (name == SYSTEM):
                raise InputError(f"the facet {word.strip()!r}", expected=f"{ORDER}, or {SYSTEM}=FILE.yaml")
            found[name] = value
        file = found.get(SYSTEM, "")
        return cls(given, ORDER in found, _systems(Path(file)) if file else {"": ""}, file)


def _systems(path: Path) -> dict[str, str]:
    """Read system prompts by name; an empty text stands for none."""
    place = Place(path)
    found = place.mapping(read_yaml(path))
    if len(found) < 2:
        raise place.fault(f"{len(found)} system prompts", "two or more names, each with a text")
    return {name: text if text == "" else place.word(text, name) for name, text in found.items()}


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
    system : str
        The name of the system prompt.
    text : str
        The system prompt.
    """

    item: Item
    order: Order
    names: tuple[str, ...]
    system: str
    text: str

    def put(self, request: Request) -> Request:
        """Give a request the system prompt, before one of its own."""
        return (
            replace(request, system="\n\n".join(filter(None, (self.text, request.system))))
            if self.text
            else request
        )


def under(task: Task, conditions: Conditions | str | None) -> Task:
    """Return a task that asks each question under several conditions; the task itself without conditions.

    Parameters
    ----------
    task : Task
    conditions : Conditions, str or None
        A text as :meth:`Conditions.parse` reads it.

    Raises
    ------
    InputError
        For a task whose questions have no such facet.
    """
    if conditions is None:
        return task
    known = Conditions.parse(conditions) if isinstance(conditions, str) else conditions
    kind = type(task)
    words = words_of(task)
    further: dict[str, Any] = {
        "plain": task,
        "conditions": known,
        "words": replace(
            words,
            measures={**words.measures, **WORDS.measures},
            groups=[*words.groups, *WORDS.groups],
            parts=tuple(dict.fromkeys((*words.parts, "component", "level", "place"))),
        ),
    }
    made = copy(task)
    # The class stays that of the task, but for how it asks and measures.
    made.__class__ = type(kind.__name__, (Crossed, kind), {"__module__": kind.__module__, "name": task.name})
    vars(made).update(further)
    try:
        for item in task.questions[:FIRST]:
            [*made.conditions_of(item)]  # type: ignore[attr-defined]
    except InputError as error:
        raise InputError(f"{task.name} under conditions of {ORDER}: {error}") from None
    return made


class Crossed(Task):
    """Ask and measure each question under all conditions.

    Attributes
    ----------
    plain : Task
        The task without conditions.
    conditions : Conditions
    """

    plain: Task
    conditions: Conditions

    @property
    def methods(self) -> Sequence[Method]:
        """The ways of the task whose answers have a mean."""
        lost = {
            "stated",
            *(["sample"] if self.conditions.order or self.plain.brings("most_requests") else []),
        }
        found = [method for method in self.plain.methods if method not in lost]
        if not found:
            asks = " and ".join(self.plain.methods)
            raise InputError(f"{self.name} under conditions", expected=f"another way to ask than {asks}")
        return found

    def for_model(self, method: str | None, *, chat: bool) -> Task:
        """Return the task as it asks the model, under the same conditions."""
        return under(self.plain.for_model(method, chat=chat), self.conditions)

    def conditions_of(self, item: Item) -> Iterator[Condition]:
        """Yield a question under each condition, the first as it stands."""
        listed = [Turned(item, ())]
        if self.conditions.order:
            listed = [self.plain.turned(item, turn) for turn in orders_of(len(self.plain.listed(item)))]
        for name, text in self.conditions.systems.items():
            for one in listed:
                yield Condition(*one, name, text)

    def _asked(self, item: Item, method: Method) -> list[tuple[Condition, list[Request]]]:
        return [
            (one, [*map(one.put, self.plain.requests(one.item, method, {}))])
            for one in self.conditions_of(item)
        ]

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return the requests of the question under each condition."""
        return [request for _, own in self._asked(item, method) for request in own]

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Return the same: no answer decides what is asked next."""
        return self.requests(item, method, {})

    def _mean(self, items: Sequence[Item], method: Method, answers: Answers) -> dict[Request, Response]:
        """Average the answers over conditions, by the requests that the task makes without them."""
        found: dict[Request, Response] = {}
        for item in items:
            asked = self._asked(item, method)
            for place, request in enumerate(self.plain.requests(item, method, {})):
                own = [self._aligned(one, answers[requests[place]]) for one, requests in asked]
                found[request] = _mean_of(own)
        return found

    def _aligned(self, condition: Condition, response: Response) -> Response:
        """Put options into the order in which they stand without conditions."""
        if not (condition.names and isinstance(response, ScoreResponse)):
            return response
        places = [condition.names.index(name) for name in self.plain.listed(condition.item)]
        chains = tuple(replace(one, options=tuple(one.options[k] for k in places)) for one in response.chains)
        return replace(response, options=tuple(response.options[k] for k in places), chains=chains)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure the mean answers as the task does, and how far the conditions matter."""
        found = self.plain.measure(items, method, self._mean(items, method, answers), by)
        seen = {item.id: self._seen(item, method, answers) for item in items}
        estimates = [
            estimate
            for part, own in self._parts(items)
            for estimate in condition_estimates([seen[item.id] for item in own], {**by, **part})
        ]
        note = f"each question was asked under several conditions, whose mean counts: {self.conditions.given}"
        return replace(found, estimates=[*found.estimates, *estimates], notes=[note, *found.notes])

    def _parts(self, items: Sequence[Item]) -> Iterator[tuple[dict[str, Json], Sequence[Item]]]:
        """Yield all questions, then each group of them by which pages sort questions."""
        yield {}, items
        key = words_of(self.plain).item_group
        groups = list(dict.fromkeys(str(item.data[key]) for item in items if key in item.data))
        for group in groups if len(groups) > 1 else ():
            yield {key: group}, [item for item in items if str(item.data.get(key)) == group]

    def _seen(self, item: Item, method: Method, answers: Answers) -> Seen | None:
        """Read the shares of the answers under each condition; None where texts were sampled."""
        asked = self._asked(item, method)
        # Options have one request that counts, labels as many as the task has.
        counts = [requests[:1] if method == "options" else requests for _, requests in asked]
        given = [
            [self._aligned(one, answers[request]) for request in requests]
            for (one, _), requests in zip(asked, counts, strict=True)
        ]
        if any(isinstance(response, SampleResponse) for own in given for response in own):
            return None
        shares = [self._shares(item, own) for own in given]
        known = all(map(len, shares))
        systems = [one.system for one, _ in asked]
        return Seen(
            item.cluster,
            np.array([own.mean(axis=0) for own in shares]) if known else shares[0][:0],
            [one.order for one, _ in asked],
            systems,
            self.plain.right(item),
            self._chance(item, [own[0] for own in given], systems) if self.conditions.order else 0.0,
        )

    def _chance(self, item: Item, responses: Sequence[Response], systems: Sequence[str]) -> float:
        """Compute the variance of the shares in an order for the chance of its chains, the mean over system prompts."""

        def shares(own: Sequence[Response]) -> Floats:
            return self._shares(item, own)

        found = [
            chance_of_chains(
                [one for one, own in zip(responses, systems, strict=True) if own == name], shares
            )
            for name in self.conditions.systems
        ]
        return float(np.mean(found))

    def _shares(self, item: Item, responses: Sequence[Response]) -> Floats:
        """Return the shares of the listed answers, shape (responses, answers); no rows if one response has none."""
        rule = getattr(self.plain, "rule", "sum")
        found = []
        for one in responses:
            if isinstance(one, ScoreResponse):
                found.append(views.distribution(one, rule if rule != "pmi" else "sum"))
            elif isinstance(one, LabelResponse):
                mass = np.array([one.mass[name] for name in self.plain.listed(item)])
                if mass.sum() == 0:
                    return np.empty((0, len(mass)))
                found.append(mass / mass.sum())
        return np.array(found)

    def joined(self, item: Item, method: Method, answers: Answers) -> Joined | None:
        """Return the mean distribution over conditions."""
        mean = self._mean([item], method, answers)
        if (own := self.plain.joined(item, method, mean)) is not None:
            return own
        request, response = next(iter(mean.items()))
        match response:
            case LabelResponse():
                return tuple(response.mass.items()), response.other
            case ScoreResponse():
                names = (option.strip() for option in request.options)  # type: ignore[union-attr]
                return tuple(zip(names, self._shares(item, [response])[0].tolist(), strict=True)), 0.0
        return None

    def _answered(self, answered: Answered) -> Answered:
        return replace(answered, answers=self._mean(answered.items, answered.method, answered.answers))

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the mean answers."""
        return self.plain.write_results(folder, self._answered(answered))

    def item_scores(self, answered: Answered) -> Any:
        """Score the mean answers."""
        return self.plain.item_scores(self._answered(answered))


def _mean_of(responses: Sequence[Response]) -> Response:
    """Average the answers of one question under all conditions; texts are put together."""
    match responses[0]:
        case LabelResponse():
            return replace(mean_labels(responses), chains=())  # type: ignore[arg-type]
        case ScoreResponse():
            return replace(mean_options(responses), chains=())  # type: ignore[arg-type]
    texts = [one for one in responses if isinstance(one, SampleResponse)]
    return SampleResponse(
        tuple(text for one in texts for text in one.texts), unfinished=sum(one.unfinished for one in texts)
    )
