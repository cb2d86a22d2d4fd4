"""The words of suites, and their table of distributions over queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from probsense.show.measure import ABSENT
from probsense.show.text import plain, shorten
from probsense.show.words import Table, read_words
from probsense.tasks.shared.options import OPTION_WORDS

if TYPE_CHECKING:
    import polars as pl

LETTERS: Final = 50
"""Letters of a context, and of a query, in a table."""


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


WORDS: Final = read_words("probsense.tasks.suite", base=OPTION_WORDS, listing=queries_table)
