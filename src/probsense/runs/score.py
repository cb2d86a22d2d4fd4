"""Scores options without a task: how a model spreads its probability over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from probsense.analysis.distributions import option_views as rules
from probsense.core.errors import InputError, ModelError, brief, did_you_mean
from probsense.core.files import Place, kind_of, read_csv, read_json, read_jsonl
from probsense.core.records import Failure, Json, ScoreRequest, ScoreResponse
from probsense.core.shown import Shown
from probsense.models.base import Model, findings_of, in_form
from probsense.models.registry import load_model
from probsense.runs.ask.execute import ask
from probsense.runs.ask.plan import why_not
from probsense.runs.ask.progress import Progress
from probsense.runs.store.rows import Answer
from probsense.show.text import counted

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True, repr=False)
class Distribution(Shown):
    """Hold a probability for each of some options, and the log-probability of every token behind it.

    A notebook shows the probabilities, and under which view.

    Attributes
    ----------
    request : ScoreRequest
        The prefix, the options and the suffix.
    response : ScoreResponse
        The log-probabilities (nats) of the tokens of every option and suffix.
    rule : str
        The view that turns them into a score; see :data:`probsense.analysis.distributions.option_views.RULES`.
    temperature : float
        Probabilities are softmax(score / temperature).
    neutral : ScoreResponse or None
        The same options after a neutral prefix, if there is one.
    beginning : str
        The token after which the first one of the options is scored, if their prefix is empty and the model says it.
    """

    request: ScoreRequest
    response: ScoreResponse
    rule: str = "sum"
    temperature: float = 1.0
    neutral: ScoreResponse | None = None
    beginning: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options, in the order in which they were given."""
        return self.request.options

    @property
    def logprobs(self) -> NDArray[np.float64]:
        """Return the log-probability (nats) of each option after the prefix, shape (options,)."""
        return rules.scores(self.response)

    @property
    def tokens(self) -> tuple[int, ...]:
        """Return the number of tokens of each option; 0 where the model shows only their sum."""
        return tuple(len(score.option.tokens) for score in self.response.options)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Return the score of each option under the rule, shape (options,)."""
        return rules.scores(self.response, self.rule, self.neutral)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each option under the rule, shape (options,)."""
        return self._under(self.rule)

    @property
    def best(self) -> str:
        """Return the option with the highest score, the first of equals."""
        return self.options[int(self.scores.argmax())]

    @property
    def margin(self) -> float:
        """Return how far the highest score lies above the second highest (infinite for a single option)."""
        return rules.lead(self.scores)

    def views(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the probability of each option under every possible view, shape (options,) each."""
        return {view: self._under(view) for view in rules.views(self.response, self.neutral)}

    def ties(self, views: Sequence[str] = ()) -> list[str]:
        """List the possible views, among those given (by default the rule), under which the best two options are tied.

        The limit is :data:`probsense.analysis.distributions.option_views.NEAR_TIE`.
        """
        there = [view for view in rules.views(self.response, self.neutral) if view in (views or (self.rule,))]
        leads = [rules.lead(rules.scores(self.response, view, self.neutral)) for view in there]
        return [view for view, lead in zip(there, leads, strict=True) if lead < rules.NEAR_TIE]

    def straddling(self) -> list[str]:
        """List the options with a token across a join."""
        scored = zip(self.options, self.response.options, strict=True)
        return [option for option, score in scored if score.straddles]

    def to_json(self) -> dict[str, Json]:
        """Return the distribution as a JSON object."""
        probabilities, scores = self.probabilities.tolist(), self.scores.tolist()
        return {
            "id": self.request.item,
            "prefix": self.request.prefix,
            **({"beginning": self.beginning} if self.beginning else {}),
            "suffix": self.request.suffix,
            "rule": self.rule,
            "temperature": self.temperature,
            "best": self.best,
            "margin": self.margin if self.options[1:] else None,
            "options": [
                {
                    "option": option,
                    "probability": probabilities[i],
                    "score": scores[i],
                    "tokens": list(score.option.tokens),
                    "logprobs": list(score.option.logprobs),
                    "suffix_tokens": list(score.suffix.tokens),
                    "suffix_logprobs": list(score.suffix.logprobs),
                    "straddles": score.straddles,
                }
                for i, (option, score) in enumerate(zip(self.options, self.response.options, strict=True))
            ],
            "views": {view: found.tolist() for view, found in self.views().items()},
            "near_ties": list(self.ties(rules.RULES)),
        }

    def _under(self, rule: str) -> NDArray[np.float64]:
        return rules.distribution(self.response, rule, self.temperature, self.neutral)


def beginning_note(token: str) -> str:
    """Say what the first token of a text is conditional on that has nothing before it."""
    said = f"where nothing stands before an option, its first token is scored after {token!r}"
    return f"{said}; -M beginning=TOKEN chooses another one"


def notes(found: Sequence[Distribution], views: Sequence[str] = ()) -> list[str]:
    """Note what a reader should know: near-ties (see :meth:`Distribution.ties`) and tokens across joins.

    Parameters
    ----------
    found : sequence of Distribution
    views : sequence of str
        The views that are shown; by default the rule.
    """
    said = [beginning_note(token) for token in dict.fromkeys(one.beginning for one in found) if token]
    if tied := [under for one in found if (under := one.ties(views))]:
        names = ", ".join(dict.fromkeys(chain.from_iterable(tied)))
        share = f" ({len(tied):,} of {len(found):,} prefixes)" if found[1:] else ""
        said.append(f"near-tie under {names}{share}: the first of the best options counts")
    if across := [option for one in found for option in one.straddling()]:
        said.append(
            f"a token spans a join of prefix, option and suffix in {counted(len(across), 'option')};"
            " it counts for the later part"
        )
    return said


def score(
    model: str | Model,
    prefix: str,
    options: Sequence[str],
    *,
    suffix: str = "",
    rule: str = "sum",
    temperature: float = 1.0,
    neutral: str | None = None,
) -> Distribution:
    """Compute how a model spreads its probability over the options after a prefix.

    The model reads exactly prefix + option + suffix; no blank is added or removed.

    Parameters
    ----------
    model : str or Model
        Its specification, such as "hf:NAME", or a model object.
    prefix : str
    options : sequence of str
    suffix : str
        The text after every option, which the views "partial" and "full" score.
    rule : str
        The view that turns token log-probabilities into a score; see
        :data:`probsense.analysis.distributions.option_views.RULES`.
    temperature : float
        Probabilities are softmax(score / temperature).
    neutral : str, optional
        A neutral prefix, such as "Answer:", for the view "pmi".

    Returns
    -------
    Distribution

    Raises
    ------
    InputError
        For no, empty or repeated options, a rule that is not possible, a temperature that is not above 0, or a model
        that cannot score.
    """
    if isinstance(options, str):
        raise InputError(f"the options are one text, {options!r}", expected="several texts")
    request = ScoreRequest(prefix, tuple(options), suffix)
    (found,) = score_many(model, [request], rule=rule, temperature=temperature, neutral=neutral)
    return found


def score_many(
    model: str | Model,
    requests: Sequence[ScoreRequest],
    *,
    rule: str = "sum",
    temperature: float = 1.0,
    neutral: str | None = None,
    progress: Progress = lambda done, total: None,
) -> list[Distribution]:
    """Do what :func:`score` does, for many prefixes in one pass of the model.

    Parameters
    ----------
    model, rule, temperature, neutral
        As for :func:`score`.
    requests : sequence of ScoreRequest
    progress : callable
        Is told the number of requests answered, and of all requests.

    Returns
    -------
    list of Distribution
        In the order of the requests.

    Raises
    ------
    InputError
        As for :func:`score`.
    ModelError
        If the model leaves a request without an answer, or its answer does not fit.
    """
    check_requests(requests, rule=rule, temperature=temperature, neutral=neutral)
    model = in_form(load_model(model) if isinstance(model, str) else model, "completion")
    if not model.capabilities.score:
        why = why_not(findings_of(model), "options")
        raise InputError(
            f"{model.name} cannot score options{why}",
            expected="a model that gives the log-probabilities of prompts",
        )
    after_neutral = [] if neutral is None else [ScoreRequest(neutral, r.options) for r in requests]
    answers = _answers(model, [*requests, *after_neutral], progress)
    neutrals: Sequence[ScoreResponse | None] = answers[len(requests) :] or [None] * len(requests)
    first = str(getattr(model, "beginning", ""))
    return [
        Distribution(request, answer, rule, temperature, other, "" if request.prefix else first)
        for request, answer, other in zip(requests, answers, neutrals, strict=False)
    ]


def check_requests(
    requests: Sequence[ScoreRequest], *, rule: str, temperature: float, neutral: str | None
) -> None:
    """Refuse what :func:`score_many` would refuse, before a model is loaded.

    Raises
    ------
    InputError
        As for :func:`score`.
    """
    rules.check_temperature(temperature)
    for request in requests:
        if fault := fault_of(request):
            raise InputError(f"{request.item}: {fault}" if request.item else fault)
        rules.check_rule(rule, suffix=bool(request.suffix), neutral=neutral is not None)


def fault_of(request: ScoreRequest) -> str:
    """Say why no model could answer a request; "" if one could."""
    for text in (request.prefix, request.suffix, *request.options):
        if not isinstance(text, str):
            return f"{text!r} is not a text"
        try:
            text.encode()
        except UnicodeEncodeError:
            return f"{text!r} is not Unicode text"
    if not request.options:
        return "no options"
    if "" in request.options:
        return "an option is empty"
    twice = next((option for option in request.options if request.options.count(option) > 1), None)
    return "" if twice is None else f"the option {twice!r} is given twice"


def _answers(model: Model, requests: Sequence[ScoreRequest], progress: Progress) -> list[ScoreResponse]:
    found: dict[str, Answer] = {}
    wanted = {str(number): request for number, request in enumerate(requests)}
    for batch in ask(model, wanted):
        for key, response in batch:
            if isinstance(response, Failure):
                options = wanted[key].options
                raise ModelError(f"{model.name} gave no answer for the options {options}: {response.reason}")
        found |= batch
        progress(len(found), len(requests))
    if missing := [one.options for key, one in wanted.items() if key not in found]:
        raise ModelError(f"{model.name} gave no answer for the options {missing[0]}")
    return [cast("ScoreResponse", found[key]) for key in wanted]


EXPECTED = '{"prefix": text, "options": [text, …]}, with "suffix" and "id" if you like'
CSV_EXPECTED = "the columns prefix, option1, option2, …, with suffix and id if you like"
_KNOWN = ("prefix", "options", "suffix")


def read_requests(path: Path) -> list[ScoreRequest]:
    """Read prefixes with their options.

    Parameters
    ----------
    path : Path
        ``.csv``: the columns prefix, option1, option2, … (an empty cell is no option) and, if needed, suffix and id.
        ``.json``: a list of objects with the keys prefix, options, suffix, id. Anything else: JSON lines of such
        objects. Each may be packed (``.bz2``, ``.gz``). Other columns and keys are ignored.

    Returns
    -------
    list of ScoreRequest
        Their ``item`` is the id, or else their number from 1.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing key, a value of a wrong type, no, empty or repeated options, an id
        that occurs twice, or a file without prefixes.
    """
    records = {".csv": _csv_records, ".json": _json_records}.get(kind_of(path), read_jsonl)(path)
    found: list[ScoreRequest] = []
    seen: dict[str, Place] = {}
    for number, (line, record) in enumerate(records, 1):
        place = Place(path, line, part="" if line else f"entry {number}")
        request = _request(record, number, place)
        if fault := fault_of(request):
            raise place.fault(fault)
        place.once(request.item, "id", seen)
        found.append(request)
    if not found:
        raise InputError("holds nothing to score", path=path, expected=EXPECTED)
    return found


def _request(record: dict[str, Any], number: int, place: Place) -> ScoreRequest:
    for name in record:
        if name not in _KNOWN and (hint := did_you_mean(name, [k for k in _KNOWN if k not in record])):
            raise place.fault(f"has the key {brief(name)}{hint}", EXPECTED)
    for name in ("prefix", "options"):
        if name not in record:
            raise place.fault(f"lacks the key {name!r}", EXPECTED)
    options = place.entries(record["options"], "options", of="texts")
    name = record.get("id", number)
    item = str(name) if isinstance(name, int) else place.word(name, "id")
    return ScoreRequest(record["prefix"], tuple(options), record.get("suffix", ""), item=item)


def _json_records(path: Path) -> Iterator[tuple[None, dict[str, Any]]]:
    place = Place(path)
    for number, entry in enumerate(place.entries(read_json(path))):
        yield None, place.mapping(entry, number)


def _csv_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    columns, rows = read_csv(path)
    options = [name for name in columns if re.fullmatch("option[0-9]+", name)]
    if "prefix" not in columns or not options:
        found = f"has the columns {', '.join(map(brief, columns)) or '(none)'}"
        raise InputError(found, path=path, line=1, expected=CSV_EXPECTED)
    for line, row in rows:
        texts = [row.pop(column) for column in options]
        yield line, {**row, "options": [text for text in texts if text]}


def options_table(found: Sequence[Distribution], views: Sequence[str]) -> pl.DataFrame:
    """Return a table with a row for each option.

    Parameters
    ----------
    found : sequence of Distribution
    views : sequence of str
        Those that no distribution has are left out.

    Returns
    -------
    DataFrame
        The columns id, option, logprob and tokens (null where only the sum of their log-probabilities is known), and
        the probability under each view, such as ``p.sum``, null where a distribution lacks it.
    """
    import polars as pl

    tables = (
        pl.DataFrame(
            {
                "id": one.request.item,
                "option": one.options,
                "logprob": one.logprobs,
                "tokens": pl.Series([count or None for count in one.tokens], dtype=pl.Int64),
                **{f"p.{view}": shares for view, shares in one.views().items() if view in views},
            }
        )
        for one in found
    )
    return pl.concat(tables, how="diagonal")
