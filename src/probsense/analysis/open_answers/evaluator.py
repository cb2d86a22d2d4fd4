"""Compares a model's answers with people's, at a fixed number of answers, with controls and intervals."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.arrays import ratio
from probsense.analysis.inference.estimate import LEVEL
from probsense.analysis.inference.resampling import redrawn_counts
from probsense.analysis.open_answers import gold as golds
from probsense.analysis.open_answers.comparison import GivenAnswers, compare, instances, numbers
from probsense.analysis.open_answers.gold import Gold
from probsense.analysis.open_answers.questions import ComparisonSettings, Counts, Floats, Question, Similarity
from probsense.analysis.open_answers.similarity import Similarities


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedEstimate:
    """Hold an estimate with its bootstrap replicates.

    Attributes
    ----------
    value : float
        Estimate; NaN where it cannot be known.
    replicates : ndarray, shape (draws,)
        The same estimate with other answers (and, over all questions, other questions) drawn, shifted to the value.
    """

    value: float
    replicates: Floats

    @property
    def stderr(self) -> float:
        """Return the standard deviation of the replicates; NaN for fewer than two."""
        return float(self.replicates.std(ddof=1)) if len(self.replicates) > 1 else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Return the percentile interval of the replicates; NaN for fewer than two."""
        if len(self.replicates) < 2:
            return math.nan, math.nan
        low, high = np.quantile(self.replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Hold an answer of the model that is more likely to belong to no cluster than to any.

    Attributes
    ----------
    answer : str
    count : int
    nearest : str
        Most similar answer of people; "" where no answer is similar at all.
    similarity : float
        Similarity of that answer.
    """

    answer: str
    count: int
    nearest: str
    similarity: float


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    """Hold the results for one question.

    Attributes
    ----------
    id : str
    answers : int
        Number of the model's answers in every comparison.
    people : int
        Number of people's answers in every comparison, which is half of them.
    clusters : tuple of str
        Names of the clusters, "wrong" last: ids of people's clusters, or the most frequent answers of automatic ones.
    people_shares, model_shares : ndarray, shape (len(clusters),)
        Shares of all people's and all of the model's answers in each cluster, without smoothing.
    estimates : Mapping of str to ReplicatedEstimate
        - "kl", "js", "total_variation", "hellinger": the divergence of the model from half of the people, at the number
          of answers above.
        - "split_half": ``ComparisonSettings.divergence`` with the other half of the people in the model's place,
          which no model can be expected to beat.
        - "unrelated": the same with people's answers to other questions in the model's place.
        - "normalised": where the model stands between the two, from 0 to 1.
        - "matched" and "false_match_rate": the shares of the model's answers that find a cluster here, and in other
          questions, where every match is false.

        Estimates that need other questions are missing if there are none.
    unmatched : tuple of Unmatched
        Most frequent first.
    """

    id: str
    answers: int
    people: int
    clusters: tuple[str, ...]
    people_shares: Floats
    model_shares: Floats
    estimates: Mapping[str, ReplicatedEstimate]
    unmatched: tuple[Unmatched, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Hold the results for all questions.

    Attributes
    ----------
    questions : tuple of QuestionResult
        In the order of the questions that were given.
    overall : Mapping of str to ReplicatedEstimate
        Means over the questions. "normalised" relates two differences of such means: that of the model minus that of
        people, to that of unrelated answers minus that of people.
    skipped : Mapping of str to str
        Reason by the id of each question that was not compared, for lack of answers of the model or of people.
    short : tuple of str
        Ids of questions compared at fewer answers than requested.
    """

    questions: tuple[QuestionResult, ...]
    overall: Mapping[str, ReplicatedEstimate]
    skipped: Mapping[str, str]
    short: tuple[str, ...]


def evaluate(
    questions: Sequence[Question],
    predictions: Mapping[str, Counts],
    similarity: Similarity,
    settings: ComparisonSettings = ComparisonSettings(),  # noqa: B008 - frozen
    several: Callable[[Question], Similarities] | None = None,
) -> Evaluation:
    """Compare the answers of a model with those of people.

    A random half of the people's answers to a question is the gold. The evaluator compares three parties with it: n
    answers of the model, n of the other half, and n of people to other questions. It matches all of them to strings of
    the gold half alone, so that nobody is matched to himself. Estimates are means over random halves and random parts
    of n answers. Replicates draw answers of people and of the model with replacement; copies of an answer stay in the
    same half. The replicates are shifted so that their median is the value, because fewer different answers always lie
    further apart. Replicates over all questions draw the questions, too.

    Parameters
    ----------
    questions : sequence of Question
        If clusters made by people are used, people's answers outside them are left out.
    predictions : Mapping of str to Counts
        The model's answers by the id of the question.
    similarity : Similarity
        Cosine of an embedding, WordNet, their union, ...
    settings : ComparisonSettings
    several : callable, optional
        As for :func:`~probsense.analysis.open_answers.gold.gold`.

    Returns
    -------
    Evaluation
        By question and over all. The other questions change the estimates of a question only through its
        controls.
    """
    known: dict[str, Gold] = {}
    skipped: dict[str, str] = {}
    for question in questions:
        own = golds.gold(question, similarity, settings, several)
        if own.counts.sum() < 2:
            skipped[question.id] = "with fewer than two answers of people"
        elif not any(predictions.get(question.id, {}).values()):
            skipped[question.id] = "without answers of the model"
        else:
            known[question.id] = own
    results = tuple(_question(name, known, predictions[name], settings) for name in known)
    return Evaluation(
        results,
        overall(results, settings),
        skipped,
        tuple(result.id for result in results if result.answers < settings.answers),
    )


def _question(
    name: str, known: Mapping[str, Gold], answers: Counts, settings: ComparisonSettings
) -> QuestionResult:
    gold = known[name]
    strings = [answer for answer, count in answers.items() if count]
    counts = np.array([answers[answer] for answer in strings], dtype=np.int64)
    people, strange, model, chosen = (
        np.random.default_rng([settings.seed, zlib.crc32(name.encode()), part]) for part in range(4)
    )
    others = [other for other in known if other != name]
    controls = [known[others[i]] for i in chosen.permutation(len(others))[: settings.controls]]
    theirs, given = _unrelated(controls, int(gold.counts.sum()), chosen)
    raw = gold.similarities.raw([*strings, *theirs], gold.strings)
    alike = gold.contrasted(raw)
    own, nearest = alike[0, : len(strings)], raw[0].argmax(axis=1)
    value, replicates = compare(
        gold,
        GivenAnswers(alike[:, : len(strings)], instances(counts)),
        GivenAnswers(alike[:, len(strings) :], given),
        {"people": people, "unrelated": strange, "model": model},
        settings,
    )
    estimates = {measure: _centred(found, replicates[measure]) for measure, found in value.items()}
    if "unrelated" in estimates:
        estimates["normalised"] = _normalised(*(estimates[m] for m in _between(settings)))
    shares = counts / counts.sum()
    redrawn = redrawn_counts(model, counts, settings.draws) / counts.sum()

    def matched(people: Gold, similarity: Floats) -> ReplicatedEstimate:
        """Compute the share of the model's answers in some cluster; replicates redraw the answers of both sides."""
        lost = people.unmatched(similarity, people.everyone, settings)[0]
        missed = people.unmatched(similarity, people.present(chosen, settings.draws), settings)
        return _centred(float(shares @ (1 - lost)), 1 - (redrawn * missed).sum(axis=1))

    estimates["matched"] = matched(gold, own)
    if controls:
        false = [matched(control, control.alike_at_first(strings)) for control in controls]
        estimates["false_match_rate"] = ReplicatedEstimate(
            float(np.mean([estimate.value for estimate in false])),
            np.mean([estimate.replicates for estimate in false], axis=0),
        )
    lost = gold.unmatched(own, gold.everyone, settings)[0]
    return QuestionResult(
        name,
        numbers(int(gold.counts.sum()), int(counts.sum()), settings)[1],
        int(gold.counts.sum()) // 2,
        gold.names,
        gold.counts @ gold.shown.people() / gold.counts.sum(),
        shares @ gold.shown.assign(own, gold.everyone, settings)[0],
        estimates,
        tuple(
            Unmatched(strings[u], int(counts[u]), gold.strings[near] if alike > 0 else "", float(alike))
            for u in np.argsort(-counts, kind="stable")
            if lost[u] > 0.5
            for near, alike in [(nearest[u], raw[0, u, nearest[u]])]
        ),
    )


def _unrelated(
    controls: Sequence[Gold], number: int, rng: np.random.Generator
) -> tuple[list[str], NDArray[np.int64]]:
    """Select some of people's answers to other questions: strings, and the string of each answer."""
    strings = [string for gold in controls for string in gold.strings]
    answers = instances(np.concatenate([*(gold.counts for gold in controls), np.zeros(0, np.int64)]))
    picked = [strings[i] for i in answers[rng.permutation(len(answers))[:number]]]
    place = {string: i for i, string in enumerate(dict.fromkeys(picked))}  # Questions can share strings.
    return [*place], np.array([place[string] for string in picked], dtype=np.int64)


def _centred(value: float, replicates: Floats) -> ReplicatedEstimate:
    return ReplicatedEstimate(value, replicates + (value - np.median(replicates)))


def _between(settings: ComparisonSettings) -> tuple[str, str, str]:
    """Return the names of the three estimates from which the normalised score follows."""
    return settings.divergence, "split_half", "unrelated"


def _normalised(
    model: ReplicatedEstimate, people: ReplicatedEstimate, unrelated: ReplicatedEstimate
) -> ReplicatedEstimate:
    """Place a model between people (0) and unrelated answers (1); NaN if unrelated answers are no further away than
    people.
    """

    def place(model: Floats, people: Floats, unrelated: Floats) -> Floats:
        return ratio(model - people, unrelated - people)

    replicates = place(model.replicates, people.replicates, unrelated.replicates)
    value = float(place(*(np.array(estimate.value) for estimate in (model, people, unrelated))))
    return ReplicatedEstimate(value, replicates[np.isfinite(replicates)])


def overall(results: Sequence[QuestionResult], settings: ComparisonSettings) -> dict[str, ReplicatedEstimate]:
    """Average over questions; each replicate draws questions with replacement, and takes one replicate of each.

    Parameters
    ----------
    results : sequence of QuestionResult
    settings : ComparisonSettings
    """
    measures = dict.fromkeys(measure for result in results for measure in result.estimates)
    rng = np.random.default_rng([settings.seed, len(results)])
    picks = rng.integers(max(len(results), 1), size=(settings.draws, len(results)))
    draw = np.arange(settings.draws)[:, None]
    found = {}
    for measure in measures:
        if measure == "normalised":
            continue
        own = [result.estimates[measure] for result in results]
        replicates = np.array([estimate.replicates for estimate in own])
        found[measure] = _centred(
            float(np.mean([estimate.value for estimate in own])), replicates[picks, draw].mean(axis=1)
        )
    if "normalised" in measures:
        found["normalised"] = _normalised(*(found[m] for m in _between(settings)))
    return found
