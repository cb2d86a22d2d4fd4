"""Distributions over options as tables: under one view with bars, or under all views at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from probsense.show.tables import Table
from probsense.show.text import plain, shorten

if TYPE_CHECKING:
    from probsense.runs.distribution import Distribution

BAR = 10
"""Width of a bar for probability 1."""


def distribution_table(found: Distribution) -> Table:
    """List each option with its probability under the rule, a bar for it, its log-probability and number of tokens."""
    rule = found.rule
    scores = {} if rule == "sum" else {"Score": [f"{score:.4f}" for score in found.scores]}
    columns = {
        "p": [f"{100 * p:.2f} %" for p in found.probabilities],
        "": [bar(p) for p in found.probabilities],
        **scores,
        "log p": [f"{logprob:.3f}" for logprob in found.logprobs],
        "Tokens": [str(n or "–") for n in found.tokens],
    }
    return _table(found, f"rule {rule}", columns)


def views_table(found: Distribution) -> Table:
    """List the probability of each option, in per cent, under every view."""
    columns = {
        view: [f"{100 * p:.2f}" for p in probabilities] for view, probabilities in found.views().items()
    }
    return _table(found, "probability in % by view", columns)


def bar(share: float, width: int = BAR) -> str:
    """Draw a bar as long as a share of its width, to an eighth of a character; never empty for what is not nothing."""
    eighths = max(round(share * width * 8), int(share > 0))
    whole, rest = divmod(eighths, 8)
    drawn = "█" * whole + " ▏▎▍▌▋▊▉"[rest].strip()
    return drawn + "░" * (width - len(drawn))


def quoted(text: str) -> str:
    """Put a text in quotes, so that blanks at its ends and line breaks in it show."""
    return plain(json.dumps(text, ensure_ascii=False))


def _table(found: Distribution, what: str, columns: dict[str, list[str]]) -> Table:
    suffix = f" {shorten(quoted(found.request.suffix), 30)}" if found.request.suffix else ""
    return Table(
        f"{shorten(quoted(found.request.prefix), 40)} …{suffix}: {what}, temperature {found.temperature:g}",
        ("Option", *columns),
        tuple(zip(map(quoted, found.options), *columns.values(), strict=True)),
    )
