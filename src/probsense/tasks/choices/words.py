"""The words of choices: those of ``words.toml`` with what draws the charts."""

from __future__ import annotations

from typing import Final

from probsense.show.words import Words, WordsFile
from probsense.tasks.choices.charts import MODELS, PANELS, calibration_chart, shares_chart
from probsense.tasks.choices.measures.baselines import HALVES, MAJORITY, PEOPLE, UNIFORM
from probsense.tasks.choices.measures.notes import FEW

_FILE: Final = WordsFile("probsense.tasks.choices", panels=PANELS, models=MODELS, few=FEW)
WORDS: Final[Words] = _FILE.words(
    baselines=(PEOPLE, HALVES, UNIFORM, MAJORITY),
    charts={
        "shares": _FILE.chart("shares", shares_chart, ("question", "text", "model", "option"), ("share",)),
        "calibration": _FILE.chart(
            "calibration",
            calibration_chart,
            ("model", "bin"),
            ("options", "probability", "share", "low", "high"),
            unknown=("low", "high"),
        ),
    },
)
"""The words of the task; the charts have the names of the tables that they are drawn from."""
