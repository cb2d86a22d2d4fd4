"""Figures of the chains of thought before the answers of a run: how they ended, and how much answers depend on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probsense.analysis.distributions.mixture import shares
from probsense.core.records import Json, LabelResponse, Request, SampleResponse, ScoreRequest, ScoreResponse
from probsense.runs.ask.rounds import Outcome
from probsense.runs.ask.thinking import AfterChains, Chain, Chains
from probsense.show.text import counted
from probsense.tasks.base import Method, Task
from probsense.tasks.results import voiding


def variance_of_chains(answers: Sequence[LabelResponse | ScoreResponse]) -> tuple[float, float]:
    """Estimate how much an answer varies between chains of thought, and altogether.

    Parameters
    ----------
    answers : sequence of LabelResponse or ScoreResponse, length K
        After one chain each; at least two.

    Returns
    -------
    between : float
        The unbiased estimate of Σ Var_c p(y | x, c), the sum over the answers y. Over K, it is the square of the
        standard error of the mean distribution.
    whole : float
        The variance of one answer after one chain, Σ p(y)(1 − p(y)), without the bias that the mean over K brings. It
        is ``between`` and the mean variance after a chain, by the law of total variance.
    """
    found = [shares(answer) for answer in answers]
    between, mean = float(np.var(found, axis=0, ddof=1).sum()), np.mean(found, axis=0)
    return between, float((mean * (1 - mean)).sum()) + between / len(found)


@dataclass(frozen=True, slots=True)
class ThoughtFigures:
    """Figures of all chains of a run.

    Attributes
    ----------
    chains : int
    closed : int
        Those that the model closed itself; the others were closed for it.
    ended : int
        Those in which it ended its text; what is neither closed nor ended was cut.
    tokens : tuple of int
        The tokens of each.
    between : float
        The share of the variance of an answer that lies between chains; NaN where it cannot be known.
    stderr : float
        The root mean square over questions of the standard error of a distribution; NaN where it cannot be known.
    asked : Chains
        How the model was to think.
    unseen : bool
        Whether some answers stand within a text whose end the model has not seen when it thinks.
    """

    chains: int
    closed: int
    ended: int
    tokens: tuple[int, ...]
    between: float
    stderr: float
    asked: Chains
    unseen: bool

    @property
    def cut(self) -> int:
        """Those that had all their tokens."""
        return self.chains - self.closed - self.ended

    def coverage(self) -> dict[str, Json]:
        """Return the columns that a row of coverage has of chains."""
        if not self.chains:
            return {}
        return {
            "thoughts": self.chains,
            "thoughts_closed": self.closed,
            "thoughts_cut": self.cut,
            "thoughts_ended": self.ended,
            "tokens_of_a_thought": float(np.median(self.tokens)),
        }

    def warnings(self) -> list[str]:
        """Warn where the model closed few thoughts, so that its answers are those of a model that was interrupted.

        This voids a result, unless it is a point of a curve, where thoughts are cut to see what comes of it.
        """
        if not any(self.tokens):
            return []
        few, among = self.closed * 2 < self.chains, f"of {counted(self.chains, 'thought')}"
        said = {
            f"{self.cut:,} {among} were cut: the model was interrupted (--thinking-budget lets it think longer)": (
                few and self.cut
            ),
            f"{self.ended:,} {among} ended without {self.asked.manner.mark!r}: does the model think between these"
            " marks? (see -M think_start, -M think_end and --thinking off)": few and self.ended,
        }
        found = [words for words, true in said.items() if true]
        unseen = "the model thinks before it has seen what follows the options, so that thoughts may miss the question"
        curve = len(self.asked.budgets) > 1
        return [*(found if curve else map(voiding, found)), *([unseen] if self.unseen else [])]

    def notes(self) -> list[str]:
        """Say how far the answers depend on the chains."""
        if not any(self.tokens):
            return ["every thought was closed before its first word"] if self.chains else []
        how = (
            f"thoughts before answers: {counted(self.chains, 'chain')}, {100 * self.closed / self.chains:.0f} % closed"
            f" by the model, median {np.median(self.tokens):.0f} tokens,"
            f" 90 % within {np.quantile(self.tokens, 0.9):.0f}, drawn at {self.asked.manner.sampling}"
        )
        if math.isnan(self.between):
            return [how]
        return [
            how,
            f"{100 * self.between:.0f} % of the variance of an answer lies between chains; the distribution of a"
            f" question has a standard error of {self.stderr:.2g}",
        ]


def thought_figures(outcome: Outcome, task: Task, method: Method) -> ThoughtFigures | None:
    """Compute the figures of a run; None if its model did not think first.

    Parameters
    ----------
    outcome : Outcome
    task : Task
    method : Method
    """
    view = outcome.answers
    if not isinstance(view, AfterChains):
        return None
    seen: dict[Request, Chain] = {}
    apart, squares = list[tuple[float, float]](), list[float]()
    unseen = False
    for item in outcome.items:
        variances = list[float]()
        for request in task.requests(item, method, view):
            unseen = unseen or bool(isinstance(request, ScoreRequest) and request.suffix.strip())
            answers = []
            for number, (chain, answer) in enumerate(view.parts(request)):
                seen[view.chains.beginning(request, number)] = chain
                if not isinstance(answer, SampleResponse):
                    answers.append(answer)
            if len(answers) > 1:
                apart.append(variance_of_chains(answers))
                variances.append(apart[-1][0] / len(answers))
        together = task.joined(item, method, view)
        if together is not None and variances:
            # The answer is the mean of several distributions.
            variances = [sum(variances) / len(variances) ** 2]
        squares += variances
    total = math.fsum(whole for _, whole in apart)
    return ThoughtFigures(
        len(seen),
        sum(chain.closed for chain in seen.values()),
        sum(chain.ended for chain in seen.values()),
        tuple(chain.tokens for chain in seen.values()),
        math.fsum(between for between, _ in apart) / total if total > 0 else math.nan,
        math.sqrt(np.mean(squares)) if squares else math.nan,
        view.chains,
        unseen,
    )
