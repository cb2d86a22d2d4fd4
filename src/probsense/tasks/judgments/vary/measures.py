"""How much of a model's answers is the prompt's: components of variance, pulls of wordings, flips, agreement.

The first variant, which asks as published, gives all other results of a run. What stands here is about all variants.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.bootstrap import statement_bootstrap
from probsense.analysis.distributions.divergence import LEAST, clarity
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.quantiles import LEVEL
from probsense.analysis.inference.resampling import Replicates
from probsense.analysis.inference.variance_components import level_effects, told_shares
from probsense.core.records import Json
from probsense.show.text import counted, joined
from probsense.tasks.judgments.measures.coverage import RULE, silent_models
from probsense.tasks.judgments.measures.estimates import Settings, estimate_table
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.questions.wordings import MASSES
from probsense.tasks.judgments.vary.variants import VARIANT, Variants
from probsense.tasks.results import Results

COMPONENTS, PROMPTS = "variance components", "statements and prompts"
"""Methods."""
FEWEST: Final = 10
"""Fewer statements make no components."""
ALIKE: Final = 1e-9
"""A smaller error than this is that of rounding."""
FLOOR: Final = 1e-6
"""Probabilities of yes and of no below this count as this."""
STATEMENT: Final = "statement"
SCORES: Final = {"commonsensicality": "common sense", "consensus": "consensus", "awareness": "awareness"}
"""Scores against what most people say, the most telling first, and what they are called."""


class _Asked(NamedTuple):
    """Answers to one question.

    Attributes
    ----------
    ids : ndarray of int, shape (statements,)
        Statements with an answer in every variant.
    log_odds : ndarray, shape (statements, variants)
        Of yes against no, whatever has the rest of the probability.
    """

    ids: NDArray[np.int64]
    log_odds: NDArray[np.float64]


def prompt_results(
    table: pl.DataFrame, variants: Variants, across: Study, model: str, settings: Settings
) -> Results:
    """Derive everything there is to say of a run that varies its questions.

    Parameters
    ----------
    table : DataFrame
        One row for each item: columns as of a run, and :data:`~probsense.tasks.judgments.vary.variants.VARIANT`.
    variants : Variants
    across : Study
        The same answers beside what people said, as if each variant were a model.
    model : str
    settings : Settings

    Returns
    -------
    Results
        Estimates have "question", and "component", "level", "prompts" or "bias" in ``by``.
    """
    found: list[Estimate] = []
    notes = [_design(variants)]
    warnings: list[str] = []
    for question in table["question"].unique(maintain_order=True):
        rows, by = table.filter(pl.col("question") == question), {"model": model, "question": question}
        too_little, said = _how_little(rows)
        warnings += [f"{question}: {said}"] if said else []
        asked = _asked(rows, variants)
        if lost := rows["statement_id"].n_unique() - len(asked.ids):
            notes.append(
                f"{counted(lost, 'statement')} without an answer to {question} in some variant: left out of all of them"
            )
        if len(asked.ids) < FEWEST:
            notes.append(f"what is the prompt's in answers to {question} takes {FEWEST} statements to tell")
        elif not too_little:
            for part in (_components, _pulls, _biases):
                found += part(asked, variants, by)
            found += _flips(asked, by)
    if across.beside_people and "" not in silent_models(across):
        scores, said_of_scores = _agreement(across, variants, model, settings)
        found += scores
        notes += said_of_scores
    tables = {
        "components": estimate_table(found, "prompt_share", ["model", "question", "component"]),
        "pulls": estimate_table(found, "prompt_pull", ["model", "question", "level"]),
    }
    drawn = {name: one for name, one in tables.items() if not one.is_empty()}
    return Results(found, notes=notes, tables=drawn, warnings=[*_mostly_prompts(found), *warnings])


def _mostly_prompts(found: Sequence[Estimate]) -> Iterator[str]:
    """Warn of questions to which answers vary more with the prompt than with the statement."""
    small = [
        f"{100 * e.value:.1f} % ({e.by['question']})"
        for e in found
        if e.measure == "prompt_share" and e.by["component"] == STATEMENT and e.value < 0.5
    ]
    if small:
        yield (
            "the prompt matters more than the statement: of the variance of the log odds of yes, only"
            f" {joined(small)} is the statement's, whatever the prompt"
        )


def _design(variants: Variants) -> str:
    """Say what was varied."""
    levels = joined([f"{len(names)} of {facet}" for facet, names in variants.facets.items()])
    count = len(variants.by_name)
    how = (
        "all combinations"
        if count == variants.possible
        else f"a balanced part of {variants.possible:,} combinations"
    )
    return (
        f"each question was asked in {count:,} variants, {how} of levels: {levels}; results other than those of prompts"
        " are of the first variant"
    )


def _asked(rows: pl.DataFrame, variants: Variants) -> _Asked:
    """Arrange the log odds of yes by statement and variant; texts have half an answer of each kind more."""
    yes, no, n = pl.col("p_yes"), pl.col("p_no"), pl.col("n")
    counted = ((yes * n + 0.5) / (no * n + 0.5)).log()
    exact = (yes.clip(FLOOR) / no.clip(FLOOR)).log()
    known = rows.select(
        "statement_id", VARIANT, log_odds=pl.when(n.is_null()).then(exact).otherwise(counted)
    ).drop_nulls()
    wide = known.pivot(VARIANT, index="statement_id", values="log_odds")
    missing = [name for name in variants.by_name if name not in wide.columns]
    wide = (
        wide.with_columns(pl.lit(None, pl.Float64).alias(name) for name in missing)
        .drop_nulls()
        .sort("statement_id")
    )
    return _Asked(wide["statement_id"].to_numpy(), wide.select([*variants.by_name]).to_numpy())


def _how_little(rows: pl.DataFrame) -> tuple[bool, str]:
    """Tell whether both answers have too little of the probability to say anything, and in how many variants."""
    masses = [
        clarity(part.select(MASSES).to_numpy()) for _, part in rows.group_by(VARIANT, maintain_order=True)
    ]
    little = sum(one.too_little("drop") for one in masses)
    if not little:
        return False, ""
    mean = float(np.mean([one.mass for one in masses]))
    said = (
        f"in {little:,} of {len(masses):,} variants both answers have less than {100 * LEAST:.0f} % of the probability"
        " of the first word"
    )
    return (True, f"{said}; {RULE}") if mean < LEAST else (False, said)


def _components(asked: _Asked, variants: Variants, by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate components of the variance of log odds; where all statements are alike, no error is known."""
    shape = asked.log_odds.shape
    told = told_shares(asked.log_odds, variants.levels, unit=STATEMENT, whole="prompt", level=LEVEL)
    for name, value, stderr, low, high in told:
        if stderr < ALIKE:
            stderr = low = high = math.nan
        where, n = {**by, "component": name}, math.prod(shape)
        yield Estimate("prompt_share", where, value, stderr, low, high, LEVEL, n, shape[0], COMPONENTS)


def _pulls(asked: _Asked, variants: Variants, by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate by how much each level of a facet moves answers towards yes, from the mean over all variants."""
    for (facet, names), level in zip(variants.facets.items(), variants.levels.values(), strict=True):
        for name, effects in zip(names, level_effects(asked.log_odds, level).T, strict=True):
            yield mean_estimate("prompt_pull", {**by, "level": f"{facet}: {name}"}, effects, asked.ids)


def _biases(asked: _Asked, variants: Variants, by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate what draws answers whatever they mean: to be named first, and to be a certain word or letter."""
    levels = variants.levels
    if "answers" in levels:
        first, second = level_effects(asked.log_odds, levels["answers"]).T
        yield mean_estimate("prompt_bias", {**by, "bias": "named first"}, (first - second) / 2, asked.ids)
    if "labels" in levels:
        effects = level_effects(asked.log_odds, levels["labels"]).T
        for one, other, word in variants.swapped:
            named = {**by, "bias": f"“{word}”"}
            yield mean_estimate("prompt_bias", named, (effects[one] - effects[other]) / 2, asked.ids)


def _flips(asked: _Asked, by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate how often a variant gives another answer than most."""
    yes = (asked.log_odds > 0) + (asked.log_odds == 0) / 2
    share = yes.mean(axis=1)
    yield mean_estimate("prompt_flips", by, np.minimum(share, 1 - share), asked.ids)


def _agreement(
    across: Study, variants: Variants, model: str, settings: Settings
) -> tuple[list[Estimate], list[str]]:
    """Estimate scores against what most people say: the mean over variants, and over those with each level."""
    if not {*variants.by_name} <= {*across.models}:
        return [], []  # all requests of a variant failed
    order = [across.models.index(name) for name in variants.by_name]
    q1, q2 = across.answers.q1[order], across.answers.q2[order]
    draws = statement_bootstrap(q1, q2, across.key, settings.generator(8), draws=settings.draws)
    estimates: list[Estimate] = []
    notes: list[str] = []
    for name, words in SCORES.items():
        scores = draws[name]
        if np.isnan(scores.value).any():
            continue
        n = int((~np.isnan(across.key) & ~np.isnan(q1).all(axis=0)).sum())
        estimates.append(_score(f"prompt_{name}", {"model": model}, scores, np.arange(len(order)), n))
        if not notes:  # the first score that is known
            for level, chosen in _members(variants).items():
                by = {"model": model, "level": level}
                estimates.append(_score(f"prompt_{name}", by, scores, chosen, n))
            places = int(scores.value.argmin()), int(scores.value.argmax())
            low, high = (
                f"{100 * scores.value[i]:.1f} % ({[*variants.by_name][i] or 'as published'})" for i in places
            )
            notes.append(f"{words} goes from {low} to {high}, from variant to variant")
    return estimates, notes


def _score(
    measure: str, by: Mapping[str, Json], scores: Replicates, chosen: NDArray[np.int64], n: int
) -> Estimate:
    """Make an estimate of the mean over some variants; each draw of the statements draws one variant."""
    drawn = scores.draws[:, chosen]
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    value = float(scores.value[chosen].mean())
    return Estimate(
        measure, by, value, float(drawn.std(ddof=1)), float(low), float(high), LEVEL, n, n, PROMPTS
    )


def _members(variants: Variants) -> dict[str, NDArray[np.int64]]:
    """Tell the places of the variants that have each level."""
    return {
        f"{facet}: {name}": np.flatnonzero(level == place)
        for (facet, names), level in zip(variants.facets.items(), variants.levels.values(), strict=True)
        for place, name in enumerate(names)
    }
