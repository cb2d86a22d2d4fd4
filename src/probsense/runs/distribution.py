"""Holds a model's probabilities for some options after a prefix, with the token log-probabilities behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from probsense.analysis.distributions import option_views as rules
from probsense.core.records import Json, ScoreRequest, ScoreResponse
from probsense.core.shown import Shown

if TYPE_CHECKING:
    import numpy as np
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
        asked = views or (self.rule,)
        there = [view for view in rules.views(self.response, self.neutral) if view in asked]
        return [v for v in there if rules.margin(self.response, v, self.neutral) < rules.NEAR_TIE]

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
    return f"{said}; the option beginning chooses another token"


def notes(found: Sequence[Distribution], views: Sequence[str] = ()) -> list[str]:
    """Note what a reader should know: near-ties (see :meth:`Distribution.ties`) and tokens across joins.

    Parameters
    ----------
    found : sequence of Distribution
    views : sequence of str
        The views that are shown; by default the rule.
    """
    first = dict.fromkeys(one.beginning for one in found if one.beginning)
    tied = [under for one in found if (under := one.ties(views))]
    across = [options for one in found if (options := one.straddling())]

    def share(part: Sequence[object]) -> str:
        return f" ({len(part):,} of {len(found):,} prefixes)" if found[1:] else ""

    said = [*map(beginning_note, first)]
    if tied:
        names = ", ".join(dict.fromkeys(chain.from_iterable(tied)))
        said.append(f"near-tie under {names}{share(tied)}: the first of the best options counts")
    if across:
        which = "" if found[1:] else f" (options {', '.join(map(repr, across[0]))})"
        said.append(
            f"a token spans a join of prefix, option and suffix{which}{share(across)};"
            " it counts for the later part"
        )
    return said
