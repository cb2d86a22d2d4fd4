"""Draws distributions over queries, and holds the words of suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from probsense.show.measure import ABSENT
from probsense.show.shapes.distributions import Distribution, distributions
from probsense.show.tables import Table
from probsense.show.text import plain, shorten
from probsense.show.theme import WIDE, Spec, labels, specification, strings
from probsense.show.words import WordsFile
from probsense.tasks.shared.option_words import OPTION_WORDS

if TYPE_CHECKING:
    import polars as pl

PANELS, MODELS = 6, 3
"""Contexts whose distributions are shown, and the models in each."""
LETTERS: Final = 50
"""Letters of a context, and of a query, in a table."""
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


def queries_table(tables: Mapping[str, pl.DataFrame], most: int) -> Table:
    """List the probability of each query after each of some contexts, with a column for each model."""
    table = tables["queries"]
    models = table["model"].unique(maintain_order=True).to_list()
    contexts = table["context"].unique(maintain_order=True)
    chosen = contexts.head(most).to_list()
    rows: dict[tuple[str, int], list[str]] = {}
    for (context, model), own in table.group_by("context", "model", maintain_order=True):
        if context in chosen:
            rows.setdefault((context, -1), [_in_a_line(own["text"][0]), *[""] * len(models)])
            for place, (query, score) in enumerate(own.select("query", "score").rows()):
                row = rows.setdefault((context, place), [f"  {_in_a_line(query)}", *[ABSENT] * len(models)])
                row[1 + models.index(model)] = f"{100 * score:.1f}"
    rest = len(contexts) - len(chosen)
    title = f"Probabilities of queries in %{f' (--full shows {rest:,} more)' if rest else ''}"
    columns = ("Context, and its queries", *(plain(model) for model in models))
    return Table(title, columns, tuple(map(tuple, rows.values())))


def _in_a_line(text: str) -> str:
    return shorten(plain(" ".join(text.split())), LETTERS)


def _spread(contexts: Sequence[tuple[str, str]]) -> list[str]:
    """Choose contexts, each suite's first before its second, in their own order."""
    seen: dict[str, int] = defaultdict(int)
    turns = []
    for place, (suite, context) in enumerate(contexts):
        turns.append((seen[suite], place, context))
        seen[suite] += 1
    return [context for _, _, context in sorted(sorted(turns)[:PANELS], key=lambda turn: turn[1])]


_FILE: Final = WordsFile("probsense.tasks.suite", panels=PANELS, models=MODELS)
QUERIES: Final = _FILE.chart("queries", queries_chart)
WORDS: Final = _FILE.words(OPTION_WORDS, charts={"queries": QUERIES}, listing=queries_table)
