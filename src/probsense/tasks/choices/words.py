"""The words of choices: those of ``words.toml`` and what draws the charts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from probsense.analysis.human_choices.normalised import NOISY
from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import KeyResult, KeyResults
from probsense.show.sentences import sentence, short
from probsense.show.shapes.calibration import calibration
from probsense.show.shapes.distributions import Distribution, distributions
from probsense.show.shapes.marks import percent
from probsense.show.text import plain, shorten
from probsense.show.theme import WIDE, Spec, labels, specification, strings
from probsense.show.words import Words, WordsFile
from probsense.tasks.choices.measures.baselines import HALVES, MAJORITY, PEOPLE, UNIFORM
from probsense.tasks.choices.measures.scores import BASE
from probsense.tasks.shared.option_words import PLAIN_WORDS

if TYPE_CHECKING:
    import polars as pl


PANELS, MODELS = 6, 3
"""Questions whose distributions are shown, and the models in each, beside people."""
TEXT: Final = 160
"""Letters of a question that are shown at most."""


def shares_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each of some questions: a row for each option, a bar for people and for each model.

    Parameters
    ----------
    table : DataFrame
        question (its id), text, model, option, share (from 0 to 1).
    width : int
    """
    import polars as pl

    models = labels(strings(table, "model")[: MODELS + 1])
    known = table.filter(pl.col("model").is_in([*models]))
    names = strings(known, "question")
    step = max(len(names) // PANELS, 1)
    panels = []
    for name in names[::step][:PANELS]:
        own = known.filter(pl.col("question") == name)
        text = shorten(plain(" ".join(str(own["text"][0]).split())), TEXT)
        panels.append(Distribution(text, own.select("option", "model", "share").rows()))
    about = f"Shares of options, for {', '.join(models)}, in {len(panels)} questions."
    return specification(distributions(panels, models, "Share (%)", 100, width), about)


def calibration_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both are the same.

    Parameters
    ----------
    table : DataFrame
        model, bin, options, probability, share, low, high.
    width : int
    """
    models = labels(strings(table, "model"))
    records = [
        {
            "model": models[row["model"]],
            "tip": plain(f"{row['model']}, {row['bin']}: {100 * row['share']:.1f} % of people"),
            **{name: percent(row[name]) for name in ("probability", "share", "low", "high")},
        }
        for row in table.iter_rows(named=True)
    ]
    about = f"Share of people by the share that models give, for {', '.join(models)}."
    titles = "Share that the model gives (%)", "Share of people (%)"
    return calibration(records, [*models.values()], titles, about, width, 300)


SHOWN: Final = 5
"""The most models that get a sentence each."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say how far each model is from people, the nearest first, beside equal shares and another sample of people.

    The total variation leads or, where few people answered, the corrected squared distance, which they do not bias.

    Parameters
    ----------
    estimates : sequence of Estimate
        If several estimate one measure of one model, the first one counts.
    words : Words
        Those of the task.
    """
    found = {
        (str(e.by.get("model")), e.measure): e
        for e in reversed(estimates)
        if words.is_overall(e) and not math.isnan(e.value)
    }
    leading = "squared_distance_corrected" if _few(found) else "total_variation"
    distances = {model: one for (model, measure), one in found.items() if measure == leading}
    style, how = words.measure(leading), words.sentence(leading)
    models = sorted((m for m in distances if words.is_model(m)), key=lambda m: (distances[m].value, m))
    said = []
    for model in models[:SHOWN]:
        own = distances[model]
        rest = ""
        if leading == BASE and PEOPLE in distances:
            theirs = short(distances[PEOPLE].value, own, how.unit or style.unit)
            rest = f"Another sample of as many people would have to move {theirs}."
        said.append(KeyResult(model, f"{sentence(own, style, how, distances)}.", rest))
    return KeyResults("", said)


def _few(found: Mapping[tuple[str, str], Estimate]) -> bool:
    """Whether people are so few that their noise makes most of what equal shares are off by."""
    noise, level = (found.get((name, "total_variation")) for name in (PEOPLE, UNIFORM))
    return noise is not None and level is not None and noise.value > NOISY * level.value


_FILE: Final = WordsFile("probsense.tasks.choices", panels=PANELS, models=MODELS)
WORDS: Final[Words] = _FILE.words(
    measures={
        **{name: PLAIN_WORDS.measures[name] for name in ("squared_distance_corrected", BASE)},
        **_FILE.measures,
    },
    baselines=(PEOPLE, HALVES, UNIFORM, MAJORITY),
    key_results=key_results,
    charts={
        "choice_shares": _FILE.chart("choice_shares", shares_chart),
        "choice_calibration": _FILE.chart("choice_calibration", calibration_chart),
    },
)
"""The words of the task; the charts have the names of the tables that they are drawn from."""
