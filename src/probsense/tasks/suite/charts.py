"""Draws distributions over queries, and holds the words of suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from probsense.show.shapes import APART, bars
from probsense.show.text import plain, shorten
from probsense.show.theme import (
    CHARACTER,
    NARROW,
    WIDE,
    Spec,
    labels,
    letters,
    specification,
    strings,
)
from probsense.show.words import WordsFile
from probsense.tasks.shared.option_words import OPTION_WORDS

if TYPE_CHECKING:
    import altair as alt
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
    import altair as alt
    import polars as pl

    models = labels(strings(table, "model")[:MODELS])
    known = table.filter(pl.col("model").is_in([*models]))
    chosen = _spread(known.select("suite", "context").unique(maintain_order=True).rows())
    size = 24 if width > NARROW else 15
    queries = known.filter(pl.col("context").is_in(chosen))["query"].unique().to_list()
    inner = width - letters(labels(queries, size).values()) - 40
    panels = []
    for context in chosen:
        own = known.filter(pl.col("context") == context)
        words = shorten(plain(" ".join(f"{own['suite'][0]}: {own['text'][0]}".split())), TEXT)
        panel = _panel(own, models, inner, size, last=context == chosen[-1])
        panels.append(panel.properties(title=wrap(words, int(inner / CHARACTER))))
    about = f"Probabilities of queries to {', '.join(models)} in {len(chosen)} contexts."
    return specification(alt.vconcat(*panels, spacing=APART), about)


def _panel(own: pl.DataFrame, models: dict[str, str], width: float, size: int, *, last: bool) -> alt.Chart:
    """Draw one context; only the last panel has the title of the axis."""
    import altair as alt

    queries = labels(strings(own, "query"), size)
    records = [
        {
            "outcome": queries[row["query"]],
            "model": models[row["model"]],
            "share": row["score"] * 100,
            "tip": plain(f"{row['model']}, {row['query']}: {row['score'] * 100:z.1f} %"),
        }
        for row in own.iter_rows(named=True)
    ]
    scale = alt.Scale(domain=[0, 100], nice=False)
    place = alt.X("share:Q", title="Probability (%)" if last else None, scale=scale)
    return bars(records, [*queries.values()], [*models.values()], place, width)


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
