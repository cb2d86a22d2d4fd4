"""Scores without a task: how a model spreads its probability over some options."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probsense.errors import InputError, ModelError
from probsense.models.base import Model
from probsense.models.registry import load_model
from probsense.prob import options as rules
from probsense.records import Json, ScoreRequest, ScoreResponse
from probsense.run.execute import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Distribution:
    """A probability for each of some options, and the log-probability of every token behind it.

    Attributes
    ----------
    request : ScoreRequest
        What was asked: prefix, options, suffix.
    response : ScoreResponse
        The log-probabilities (nats) of the tokens of every option and suffix.
    rule : str
        The view that makes a score of them, see :data:`probsense.prob.options.RULES`.
    temperature : float
        Probabilities are softmax(score / temperature).
    neutral : ScoreResponse or None
        The same options after a neutral prefix, where there is one.
    """

    request: ScoreRequest
    response: ScoreResponse
    rule: str = "sum"
    temperature: float = 1.0
    neutral: ScoreResponse | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options, in the order in which they were given."""
        return self.request.options

    @property
    def logprobs(self) -> NDArray[np.float64]:
        """Log-probability (nats) of each option after the prefix, shape (options,)."""
        return rules.scores(self.response)

    @property
    def tokens(self) -> tuple[int, ...]:
        """Number of tokens of each option."""
        return tuple(len(score.option.logprobs) for score in self.response.options)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score of each option under the rule, shape (options,)."""
        return rules.scores(self.response, self.rule, self.neutral)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each option under the rule, shape (options,)."""
        return self._under(self.rule)

    @property
    def best(self) -> str:
        """The option with the highest score; of equals, the first."""
        return self.options[int(self.scores.argmax())]

    @property
    def margin(self) -> float:
        """How far the highest score lies above the second highest (infinite for a single option)."""
        return rules.lead(self.scores)

    def views(self) -> Mapping[str, NDArray[np.float64]]:
        """Probability of each option under every view that there is, shape (options,) each."""
        return {view: self._under(view) for view in rules.views(self.response, self.neutral)}

    def notes(self, views: Sequence[str] = ()) -> list[str]:
        """What a reader should know: near-ties under these views (the rule, unless given), tokens across a join."""
        asked = views or (self.rule,)
        tied = [v for v in asked if rules.margin(self.response, v, self.neutral) < rules.NEAR_TIE]
        scored = zip(self.options, self.response.options, strict=True)
        across = [repr(option) for option, score in scored if score.straddles]
        found = []
        if tied:
            found.append(f"the best options are as good as tied under {', '.join(tied)} (the first counts)")
        if across:
            found.append(
                f"a token spans the join of prefix, option or suffix of {', '.join(across)}"
                " (it counts for the later part)"
            )
        return found

    def to_json(self) -> dict[str, Json]:
        """The distribution as a JSON object."""
        probabilities, scores = self.probabilities.tolist(), self.scores.tolist()
        return {
            "id": self.request.item,
            "prefix": self.request.prefix,
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
            "notes": list(self.notes()),
        }

    def __repr__(self) -> str:
        width = max(len(repr(option)) for option in self.options)
        lines = [
            f"  {p * 100:7.3f} %  {option!r:{width}}  log p {logp:9.3f}  {n} token{'s' * (n != 1)}"
            for p, option, logp, n in zip(
                self.probabilities, self.options, self.logprobs, self.tokens, strict=True
            )
        ]
        return "\n".join([f"Distribution(rule={self.rule!r}, temperature={self.temperature:g})", *lines])

    def _under(self, rule: str) -> NDArray[np.float64]:
        return rules.distribution(self.response, rule, self.temperature, self.neutral)


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
    """How a model spreads its probability over the options after a prefix.

    The text that is fed is exactly prefix + option + suffix: no blank is added or removed.

    Parameters
    ----------
    model : str or Model
        Its specification, such as "hf:NAME", or a model loaded before.
    prefix : str
    options : sequence of str
    suffix : str
        What follows every option; views "partial" and "full" are about it.
    rule : str
        The view that makes a score of token log-probabilities, see :data:`probsense.prob.options.RULES`.
    temperature : float
        Probabilities are softmax(score / temperature).
    neutral : str, optional
        A prefix that says nothing, such as "Answer:", for the view "pmi".

    Returns
    -------
    Distribution

    Raises
    ------
    InputError
        For no, empty or repeated options, a rule that cannot be had, a temperature that is not above 0, a model
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
    """What :func:`score` does, for many prefixes in one pass of the model.

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
        If the model leaves a request without an answer, or gives one that is none.
    """
    rules.check_temperature(temperature)
    for request in requests:
        if fault := fault_of(request):
            raise InputError(f"{request.item}: {fault}" if request.item else fault)
        rules.check_rule(rule, suffix=bool(request.suffix), neutral=neutral is not None)
    model = load_model(model) if isinstance(model, str) else model
    if not model.capabilities.score:
        raise InputError(f"{model.name} cannot score options", expected="a model with log-probabilities")
    after_neutral = [] if neutral is None else [ScoreRequest(neutral, r.options) for r in requests]
    answers = _answers(model, [*requests, *after_neutral], progress)
    neutrals: Sequence[ScoreResponse | None] = answers[len(requests) :] or [None] * len(requests)
    return [
        Distribution(request, answer, rule, temperature, other)
        for request, answer, other in zip(requests, answers, neutrals, strict=False)
    ]


def fault_of(request: ScoreRequest) -> str:
    """Why no model could answer a request; "" where one could."""
    for text in (request.prefix, request.suffix, *request.options):
        if not isinstance(text, str):
            return f"{text!r} is no text"
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
    found: dict[int, ScoreResponse] = {}
    for batch in model.score(requests):
        found |= dict(batch)
        progress(len(found), len(requests))
    for i, request in enumerate(requests):
        if i not in found or not _fits(request, found[i]):
            raise ModelError(f"{model.name} gave no answer that fits the options {request.options}")
    return [found[i] for i in range(len(requests))]


def _fits(request: ScoreRequest, response: ScoreResponse) -> bool:
    """Whether every option has tokens, each with a log-probability."""
    return len(response.options) == len(request.options) and all(
        score.option.logprobs and all(map(math.isfinite, (*score.option.logprobs, *score.suffix.logprobs)))
        for score in response.options
    )
