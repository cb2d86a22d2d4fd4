"""Figures of the chains of thought before the answers of a run: how they ended, and how much answers depend on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

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
    between = float(np.var(found, axis=0, ddof=1).sum())
    mean = np.mean(found, axis=0)
    return between, float((mean * (1 - mean)).sum()) + between / len(found)


class Thoughts(NamedTuple):
    """What there is to say of all chains of a run.

    Attributes
    ----------
    coverage : Mapping
        The columns that a row of coverage has of chains: how many there were, how many the model closed itself, how
        many had all their tokens, in how many it ended its text, and their median length.
    warnings, notes : sequence of str
    """

    coverage: Mapping[str, Json]
    warnings: Sequence[str]
    notes: Sequence[str]


def thoughts_of(outcome: Outcome, task: Task, method: Method) -> Thoughts:
    """Say what there is to say of the chains of thought of a run; nothing if its model did not think first.

    Parameters
    ----------
    outcome : Outcome
    task : Task
    method : Method
    """
    view = outcome.answers
    if not isinstance(view, AfterChains):
        return Thoughts({}, (), ())
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
    if not seen:
        return Thoughts({}, (), ())
    chains = [*seen.values()]
    closed, ended = sum(chain.closed for chain in chains), sum(chain.ended for chain in chains)
    tokens = [chain.tokens for chain in chains]
    coverage: dict[str, Json] = {
        "thoughts": len(chains),
        "thoughts_closed": closed,
        "thoughts_cut": len(chains) - closed - ended,
        "thoughts_ended": ended,
        "tokens_of_a_thought": float(np.median(tokens)),
    }
    if not any(tokens):
        return Thoughts(coverage, (), ["every thought was closed before its first word"])
    warnings = [*_interrupted(len(chains), closed, ended, view.chains)]
    if unseen:
        missed = "what follows the options, so that thoughts may miss the question"
        warnings.append(f"the model thinks before it has seen {missed}")
    notes = [
        f"thoughts before answers: {counted(len(chains), 'chain')}, {100 * closed / len(chains):.0f} % closed"
        f" by the model, median {np.median(tokens):.0f} tokens,"
        f" 90 % within {np.quantile(tokens, 0.9):.0f}, drawn at {view.chains.manner.sampling}"
    ]
    if (total := math.fsum(whole for _, whole in apart)) > 0:
        between = math.fsum(one for one, _ in apart) / total
        notes.append(
            f"{100 * between:.0f} % of the variance of an answer lies between chains; the distribution of a"
            f" question has a standard error of {math.sqrt(np.mean(squares)):.2g}"
        )
    return Thoughts(coverage, warnings, notes)


def _interrupted(number: int, closed: int, ended: int, asked: Chains) -> Iterator[str]:
    """Warn where the model closed few thoughts, so that its answers are those of a model that was interrupted.

    This voids a result, unless it is a point of a curve, where thoughts are cut to see what comes of it.
    """
    if closed * 2 >= number:
        return
    among, cut = f"of {counted(number, 'thought')}", number - closed - ended
    void: Callable[[str], str] = voiding if len(asked.budgets) == 1 else str
    if cut:
        yield void(
            f"{cut:,} {among} were cut: the model was interrupted (--thinking-budget lets it think longer)"
        )
    if ended:
        yield void(
            f"{ended:,} {among} ended without {asked.manner.mark!r}: does the model think between these marks? (see"
            " -M think_start, -M think_end and --thinking off)"
        )
