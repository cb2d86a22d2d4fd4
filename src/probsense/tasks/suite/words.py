"""The words of suites."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from probsense.show.works import Work
from probsense.tasks.option_words import option_words
from probsense.tasks.suite.queries_chart import QUERIES

WORKS: Final = (
    Work(
        "software",
        ("Lipkin, Benjamin",),
        "ProbSem",
        2023,
        "https://github.com/benlipkin/probsem",
        doi="10.5281/zenodo.7603078",
    ),
)

_PLAIN: Final = option_words("Suite", item_group="suite", works=WORKS)
WORDS: Final = replace(_PLAIN, charts={**_PLAIN.charts, "queries": QUERIES})
