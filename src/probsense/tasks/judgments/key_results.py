"""The opening words of a page about judgments: where models stand among people."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import KeyResult, KeyResults, in_sentence
from probsense.show.words import Words
from probsense.tasks.judgments.first_words import listed
from probsense.tasks.judgments.measures import PEOPLE
from probsense.tasks.judgments.silence import LEAST, MOST, about_answers

SHOWN = 5
"""The most models that get a sentence each."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say how many models beat most people, and where the models with the highest scores stand.

    The headline is "" if the win rates of several models are not known. Models come in the order of their scores, the
    best first. Models that say next to nothing come before them.
    """
    silent = _silent(estimates)
    scores, rates, correlations = (
        _models([e for e in estimates if about_answers(e, silent)], name, words)
        for name in ("commonsensicality", "win_rate", "group_r")
    )
    best = sorted(scores.keys() - {PEOPLE}, key=lambda model: (-scores[model].value, model))
    found = [
        KeyResult(
            model,
            f"says too little that is yes or no: {_how_little(estimates, model)}.",
            _instead(estimates, model) + "What rests on its answers is left out.",
        )
        for model in silent
    ]
    for model in best[:SHOWN]:
        besides = []
        if model in rates:
            besides.append(f"It beats {in_sentence(rates[model], words.measure('win_rate'))} of the people.")
        if model in correlations:
            correlation = in_sentence(correlations[model], words.measure("group_r"))
            besides.append(f"As a population it correlates with people by {correlation}.")
        score = in_sentence(scores[model], words.measure("commonsensicality"))
        found.append(KeyResult(model, f"scores {score} as an individual.", " ".join(besides)))
    return KeyResults(_headline([*rates.values()]), found)


def _headline(rates: Sequence[Estimate]) -> str:
    if len(rates) < 2:
        return ""
    ahead, surely = sum(e.value > 0.5 for e in rates), sum(e.low > 0.5 for e in rates)
    if not ahead:
        return f"None of {len(rates)} models beats more than half of the people in common sense as an individual."
    return (
        f"Of {len(rates)} models, {ahead} beat more than half of the people in common sense as individuals,"
        f" {surely} of them beyond doubt (the whole interval is above one half)."
    )


def _silent(estimates: Sequence[Estimate]) -> list[str]:
    """Find the models that say so little that their own values of statements are left out."""
    known = {e.by.get("model") for e in estimates if e.measure == "group_commonsensicality"}
    return [
        *dict.fromkeys(
            str(e.by["model"])
            for e in estimates
            if e.by.get("question") in ("q1", "q2")
            and e.value > {"other_rate": MOST, "other_mass": 1 - LEAST}.get(e.measure, inf)
            and e.by["model"] not in known
        )
    ]


def _how_little(estimates: Sequence[Estimate], model: str) -> str:
    """Say how probable yes and no are as first words."""
    return " and ".join(
        f"{100 * (1 - e.value):.1f} % of the probability of the first word in answer to {e.by['question']}"
        for e in estimates
        if e.measure == "other_mass" and e.by["model"] == model and e.by.get("question") in ("q1", "q2")
    )


def _instead(estimates: Sequence[Estimate], model: str) -> str:
    """Say what a model says first instead; "" if that is not known."""
    words = listed(e for e in estimates if e.by.get("model") == model and e.by.get("question") == "q1")
    return f"To q1 it says instead: {words}. " if words else ""


def _models(estimates: Sequence[Estimate], measure: str, words: Words) -> dict[str, Estimate]:
    """Find the overall estimate of each model, the first one if there are several."""
    found: dict[str, Estimate] = {}
    for estimate in estimates:
        model = estimate.by.get("model")
        if estimate.measure == measure and words.is_overall(estimate) and words.is_model(model):
            found.setdefault(str(model), estimate)
    return found
