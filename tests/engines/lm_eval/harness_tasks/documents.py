"""Makes documents for the tasks of the tests."""

from __future__ import annotations

import random
from typing import Any

from datasets import Dataset

WORDS = [
    *("the", "a", "lamp", "rope", "soup", "is", "was", "brighter", "thicker", "hotter", "than", "under"),
    *("over", "and", "so", "then", "goes", "back", "with", "his", "red"),
]


def documents(**_: Any) -> dict[str, Dataset]:
    """Make the same few documents always."""
    draws = random.Random(0)

    def words(count: int) -> str:
        return " ".join(draws.choices(WORDS, k=count))

    rows = [
        {
            "context": words(20),
            "endings": [words(draws.randint(1, 5)) for _ in range(4)],
            "label": draws.randrange(4),
            "text": words(40),
        }
        for _ in range(12)
    ]
    return {"test": Dataset.from_list(rows), "validation": Dataset.from_list(rows[:4])}
