"""The words of judgments: those of ``words.toml`` with what draws the charts, and the opening words of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import KeyResult, KeyResults, in_sentence, sentence
from probsense.show.words import Words, read_words
from probsense.tasks.judgments import charts
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE, overall
from probsense.tasks.judgments.measures.published import PUBLISHED

SHOWN = 5
"""The most models that get a sentence each."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say how many models beat most people, and where the models with the highest scores stand.

    The headline is "" if the win rates of several models are not known. Models come in the order of their scores, the
    best first. The published calculation counts if there is no other.
    """
    ours = [e for e in estimates if not e.method.startswith(PUBLISHED)] or estimates
    raters = {
        name: {str(e.by["model"]): e for e in overall(ours, name)}
        for name in ("consensus", "commonsensicality", "win_rate", "group_r")
    }
    scores = raters["commonsensicality"]
    models = {name for name in scores if words.is_model(name)} - {PEOPLE}
    found = []
    for model in sorted(models, key=lambda name: (-scores[name].value, name))[:SHOWN]:
        besides = []
        if rate := raters["win_rate"].get(model):
            wins = sentence(rate, words.measure("win_rate"), words.sentence("win_rate"), {})
            besides.append(f"It {wins}.")
        if r := raters["group_r"].get(model):
            correlation = in_sentence(r, words.measure("group_r"))
            besides.append(f"As a population it correlates with people by {correlation}.")
        name = "consensus" if model in raters["consensus"] else "commonsensicality"
        own = raters[name][model]
        said = sentence(own, words.measure(name), words.sentence(name), raters[name])
        found.append(KeyResult(model, f"{said}.", " ".join(besides)))
    return KeyResults(_headline([e for name, e in raters["win_rate"].items() if words.is_model(name)]), found)


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


WORDS: Final = read_words(
    "probsense.tasks.judgments",
    given={"baseline": BASELINE, "false": f"{100 * charts.FALSE:.0f}"},
    charts={
        "individuals": {"draw": charts.among_people_chart},
        "statements": {"rows": charts.in_bins},
        "departures": {"rows": charts.farthest_from_people},
    },
    key_results=key_results,
)
"""The words of the task; the charts have the names of the tables that they are drawn from."""
