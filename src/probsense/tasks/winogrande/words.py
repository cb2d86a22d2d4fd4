"""The words of Winogrande."""

from __future__ import annotations

from typing import Final

from probsense.show.works import Work
from probsense.tasks.option_words import option_words

WORKS: Final = (
    Work(
        "article",
        (
            "Sakaguchi, Keisuke",
            "Le Bras, Ronan",
            "Bhagavatula, Chandra",
            "Choi, Yejin",
        ),
        "WinoGrande: An Adversarial Winograd Schema Challenge at Scale",
        2019,
        "arXiv",
        arxiv="1907.10641",
    ),
)

WORDS: Final = option_words("Winogrande", works=WORKS)
