"""The words of choices: those of ``words.toml`` with what draws the charts."""

from __future__ import annotations

from typing import Final

from probsense.show.words import Words, WordsFile
from probsense.tasks.choices.charts import MODELS, PANELS, calibration_chart, shares_chart
from probsense.tasks.choices.measures.baselines import HALVES, MAJORITY, PEOPLE, UNIFORM

_FILE: Final = WordsFile("probsense.tasks.choices", panels=PANELS, models=MODELS)
WORDS: Final[Words] = _FILE.words(
    baselines=(PEOPLE, HALVES, UNIFORM, MAJORITY),
    charts={
        "choice_shares": _FILE.chart(
            "choice_shares", shares_chart, ("question", "text", "model", "option"), ("share",)
        ),
        "choice_calibration": _FILE.chart(
            "choice_calibration",
            calibration_chart,
            ("model", "bin"),
            ("options", "probability", "share", "low", "high"),
            unknown=("low", "high"),
        ),
    },
)
"""The words of the task; the charts have the names of the tables that they are drawn from."""
