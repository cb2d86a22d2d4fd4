"""Draws distributions over queries, and holds the words of suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from probsense.show.shapes.distributions import Distribution, distributions
from probsense.show.text import plain, shorten
from probsense.show.theme import WIDE, Spec, labels, specification, strings
from probsense.show.words import WordsFile
from probsense.tasks.shared.option_words import OPTION_WORDS

if TYPE_CHECKING:
    import polars as pl

PANELS, MODELS = 6, 3
"""Contexts whose distributions are shown, and the models in each."""
TEXT: Final = 160
"""Letters of a context that are shown at most."""


def queries_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each of some contexts: a row for each query, a bar for each model.

    Parameters
    ----------
    table : DataFrame
        suite, context (its id), text, model, query, score (from 0 to 1).
    width : int
    """
    import polars as pl

    models = labels(strings(table, "model")[:MODELS])
    known = table.filter(pl.col("model").is_in([*models]))
    chosen = _spread(known.select("suite", "context").unique(maintain_order=True).rows())
    panels = []
    for context in chosen:
        own = known.filter(pl.col("context") == context)
        text = shorten(plain(" ".join(f"{own['suite'][0]}: {own['text'][0]}".split())), TEXT)
        panels.append(Distribution(text, own.select("query", "model", "score").rows()))
    about = f"Probabilities of queries to {', '.join(models)} in {len(chosen)} contexts."
    return specification(distributions(panels, models, "Probability (%)", 100, width), about)


def _spread(contexts: Sequence[tuple[str, str]]) -> list[str]:
    """Choose contexts, each suite's first before its second, in their own order."""
    seen: dict[str, int] = defaultdict(int)
    turns = []
    for place, (suite, context) in enumerate(contexts):
        turns.append((seen[suite], place, context))
        seen[suite] += 1
    return [context for _, _, context in sorted(sorted(turns)[:PANELS], key=lambda turn: turn[1])]


_FILE: Final = WordsFile("probsense.tasks.suite", panels=PANELS, models=MODELS)
QUERIES: Final = _FILE.chart(
    "queries", queries_chart, texts=("suite", "context", "text", "model", "query"), numbers=("score",)
)
WORDS: Final = _FILE.words(OPTION_WORDS, charts={"queries": QUERIES})
