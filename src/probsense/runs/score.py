"""Scores options without a task: how a model spreads its probability over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from probsense.analysis.distributions import option_views as rules
from probsense.core.errors import InputError, ModelError
from probsense.core.records import Failure, ScoreRequest, ScoreResponse
from probsense.models.base import Model, in_form
from probsense.models.registry import load_model
from probsense.runs.ask.execute import ask
from probsense.runs.ask.plan import why_not
from probsense.runs.ask.progress import Progress
from probsense.runs.distribution import Distribution
from probsense.runs.store.rows import Answer


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
        why = why_not(model, "options")
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
