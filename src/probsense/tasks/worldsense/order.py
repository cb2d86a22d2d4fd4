"""The order in which models, promptings and problems are shown (WorldSense specification, section 2.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probsense.tasks.worldsense.trials import PROBLEMS

MODELS = (
    *("gpt3.5", "GPT3.5", "gpt-4", "GPT4", "llama", "llama2_70b", "Llama2-chat", "llama2_70b_finetuned_0"),
    *("Llama2-FT+0", "Llama2-FT+100k", "Llama2-FT+1M"),
    *(f"llama_finetuned_{size}" for size in ("0", "2k", "10k", "100k", "1M")),
)
PROMPTINGS = ("basic", "direct", "clarified", "COT", "incontext_IID", "incontext_DIFFERENTCAT")


def in_order(found: Iterable[str], preferred: Sequence[str]) -> list[str]:
    """List the distinct names found: the preferred ones in their order, then the others sorted."""
    names = set(found)
    return [name for name in preferred if name in names] + sorted(names.difference(preferred))


def models_in_order(found: Iterable[str]) -> list[str]:
    """List distinct model names, in the order of the rows of a table."""
    return in_order(found, MODELS)


def promptings_in_order(found: Iterable[str]) -> list[str]:
    """List distinct promptings, in the order of the blocks of rows of a table."""
    return in_order(found, PROMPTINGS)


def problems_in_order(found: Iterable[str]) -> list[str]:
    """List distinct problem names, in the order of the columns of a table."""
    return in_order(found, tuple(PROBLEMS))
