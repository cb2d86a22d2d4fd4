"""The published format: its problems with their answers, and the order in which everything is shown.

Sections are those of the WorldSense specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType

HASHED = TRIALS_FILE, TRAINING_FILE, SKINS_FILE = ("trials.jsonl.bz2", "training.jsonl.bz2", "skins.yaml")
"""The files of a set that a manifest can hold the hashes of."""

TRIALS_FILES = (TRIALS_FILE, "trials.jsonl")
"""The file of trials in a set, packed or not."""

INFER, CONSIST, COMPL = ("TRUE", "FALSE"), ("POSSIBLE", "IMPOSSIBLE"), ("1", "2", "3")

PROBLEMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Infer.trivial": INFER,
        "Infer.normal": INFER,
        "Consist.trivial": CONSIST,
        "Consist.normal": CONSIST,
        "Compl.trivial": COMPL,
        "Compl.normal": COMPL,
        "Infer.extrema": INFER,
        "Infer.parallel": INFER,
    }
)
"""The allowed responses of every problem, problems in the order in which they are shown."""

FIRM = ("TRUE", "POSSIBLE", "1", "2")
"""The responses that say that something is so; a bias towards them is positive (section 2.3)."""
WEIGHTS = {"TRUE": 0.5, "FALSE": 0.5, "POSSIBLE": 0.5, "IMPOSSIBLE": 0.5, "1": 0.25, "2": 0.25, "3": 0.5}
"""The weight of a trial in its tuple, by its gold (section 2.3)."""

HIDDEN = {
    "TRUE": "Emmanuel",
    "FALSE": "Megi",
    "POSSIBLE": "Dieuwke",
    "IMPOSSIBLE": "Pascal",
    "1": "Mark",
    "2": "Youssef",
    "3": "Yoda",
}
"""The word that stands for each gold response in a published file (against training on the answers)."""
GOLDS = {word: gold for gold, word in HIDDEN.items()}
"""The gold response that each word of a published file stands for."""

DIFFICULTY = ("facts", "depth")
"""What generated sets record of the difficulty of a trial; siblings differ in the number of facts at most."""

FORM = "form"
"""What they record of each trial besides: a digest of its facts and its claim without names (:mod:`text.form`)."""


MODELS = (
    *("gpt3.5", "GPT3.5", "gpt-4", "GPT4", "llama", "llama2_70b", "Llama2-chat", "llama2_70b_finetuned_0"),
    *("Llama2-FT+0", "Llama2-FT+100k", "Llama2-FT+1M"),
    *(f"llama_finetuned_{size}" for size in ("0", "2k", "10k", "100k", "1M")),
)
PROMPTINGS = ("basic", "direct", "clarified", "COT", "incontext_IID", "incontext_DIFFERENTCAT")


def in_order(found: Iterable[str], preferred: Iterable[str]) -> list[str]:
    """List the distinct names found: the preferred ones in their order, then the others sorted."""
    names = set(found)
    return [name for name in preferred if name in names] + sorted(names.difference(preferred))


def cells_in_order(cells: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """List the distinct pairs of a problem and a size, problems in the order in which they are shown."""
    return sorted({*cells}, key=lambda cell: ([*PROBLEMS].index(cell[0]), cell[1]))


def named_cells(cells: Iterable[tuple[str, int]]) -> list[str]:
    """Name each problem with its sizes: "Infer.normal of size 3, 4"."""
    problems = groupby(cells_in_order(cells), key=itemgetter(0))
    return [f"{problem} of size {', '.join(str(size) for _, size in own)}" for problem, own in problems]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a table, each column as wide as its widest text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
