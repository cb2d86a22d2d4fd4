"""What the soak asks of which model, and when two findings are the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS: dict[str, dict[str, Any]] = {
    "worldsense": {"data": "set", "limit": 60},
    "judgments": {"limit": 30},
    "frames": {"limit": 5},
    "winogrande": {},
    "suite": {},
    "choices": {"limit": 40},
}
"""What random models are asked; the set is made at the start."""
CHAT = {"abilities": "chat,top_logprobs=5,many,seed", "max_tries": 20, "concurrency": 2}
ECHO = CHAT | {"abilities": "completions,echo,top_logprobs=5,many,seed"}
SERVED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("worldsense", {"data": "set", "limit": 30}, CHAT),
    ("judgments", {"limit": 20}, CHAT),
    ("judgments", {"limit": 15, "method": "sample"}, CHAT),
    ("frames", {"limit": 2}, CHAT),
    ("winogrande", {"limit": 40}, ECHO),
    ("suite", {}, ECHO),
    ("choices", {"limit": 20}, CHAT),
]
"""What the small server is asked, and how."""
TINY: list[tuple[str, dict[str, Any]]] = [
    ("winogrande", {"limit": 10}),
    ("choices", {"limit": 6}),
    ("worldsense", {"data": "set", "limit": 12}),
]
"""What the network is asked that comes with ProbSense."""
SLACK = 1e-4
"""By how much figures of a network may differ, because a batch of other questions moves what it computes."""


@dataclass(frozen=True)
class Recipe:
    """Names a task, a model and the options of both, as JSON; ``hostile`` says which server is asked."""

    task: str
    model: str
    options: str = "{}"
    asking: str = "{}"
    hostile: bool = False

    @property
    def scheme(self) -> str:
        """Return the kind of its model."""
        return self.model.partition(":")[0]

    @property
    def asks(self) -> tuple[str, ...]:
        """Return what is asked, of whatever model."""
        return self.task, self.options

    @property
    def served(self) -> bool:
        """Tell whether a server is asked."""
        return self.scheme == "openai"

    @property
    def comparable(self) -> bool:
        """Tell whether its runs are compared; the people of the frames that come with ProbSense are made up."""
        return self.task != "frames"

    @property
    def slack(self) -> float:
        """Return by how much its figures may differ."""
        return SLACK if self.scheme == "builtin" else 0.0

    def command(self, url: str, store: Path) -> list[object]:
        """Return the words of the command that runs it."""
        options = json.loads(self.options) | self.loading(url)
        flags = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]
        return ["run", self.task, "--model", self.model, *flags, "--store", store, "--quiet", "--json"]

    def loading(self, url: str) -> dict[str, Any]:
        """Return the options of the model."""
        return {**json.loads(self.asking), "base_url": url} if self.served else {}


def recipes(seeds: int) -> Iterator[Recipe]:
    """Yield all recipes, with so many random models."""
    for task, options in TASKS.items():
        for seed in range(1, seeds + 1):
            yield Recipe(task, f"random:{seed}", json.dumps(options))
    for task, options in TINY:
        yield Recipe(task, "builtin:tiny", json.dumps(options))
    for task, options, asking in SERVED:
        yield Recipe(task, "openai:toy", json.dumps(options), json.dumps(asking))


def figures(document: dict[str, Any]) -> dict[str, Any]:
    """Take out of a document what must be the same each time."""
    return {part: document[part] for part in ("task", "coverage", "estimates", "warnings")}


def rows(document: dict[str, Any]) -> list[tuple[object, ...]]:
    """Return the measure, value and interval of every estimate, sorted."""
    fields = ("measure", "value", "low", "high")
    return sorted((tuple(one[field] for field in fields) for one in document["estimates"]), key=str)


def unnamed(value: Any) -> Any:
    """Leave out what names a run, because its id covers the address of the server that was asked."""
    if isinstance(value, dict):
        return {key: unnamed(one) for key, one in value.items() if key not in ("run", "source")}
    return [unnamed(one) for one in value] if isinstance(value, list) else value


def same(one: Any, other: Any, slack: float = 0.0) -> bool:
    """Tell whether two JSON values are equal, numbers up to ``slack``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], slack) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b, slack) for a, b in zip(one, other, strict=True))
    if slack and isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= slack
    return bool(one == other)


def first_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the first lines that differ, for people."""
    lines = zip(*(json.dumps(document, indent=0).splitlines() for document in (one, other)), strict=False)
    return next((f"{a} instead of {b}" for a, b in lines if a != b), "a part is missing")
