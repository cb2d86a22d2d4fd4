"""The pairs of things that the task asks about, and the verb that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from probsense.core.errors import InputError
from probsense.core.files import read_jsonl
from probsense.core.records import Json

OWN = Path(__file__).with_name("pairs.jsonl")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things, and how many times as heavy the heavier one is."""

    light: str
    heavy: str
    factor: float


def read_pairs(path: Path | str | None = None) -> list[Pair]:
    """Read a file of pairs; by default that of the package.

    Raises
    ------
    InputError
        If a line is no pair; the message names the line.
    """
    path, found = Path(path or OWN), []
    for line, record in read_jsonl(path):
        match record:
            case {"light": str(light), "heavy": str(heavy), "factor": int() | float() as factor} if (
                factor > 1
            ):
                found.append(Pair(light, heavy, factor))
            case _:
                expected = '{"light": TEXT, "heavy": TEXT, "factor": NUMBER ABOVE 1}'
                raise InputError("this is no pair", path=path, line=line, expected=expected)
    return found


@dataclass(frozen=True, slots=True)
class Pairs:
    """What the verb finds: ``str()`` of it is printed, or with ``--json`` what ``to_json()`` returns."""

    pairs: Sequence[Pair]

    def __str__(self) -> str:
        return "\n".join(f"{pair.heavy} > {pair.light} (× {pair.factor:,g})" for pair in self.pairs)

    def to_json(self) -> dict[str, Json]:
        """Return what ``probsense pairs heavier --json`` prints."""
        return {"schema": 1, "pairs": [asdict(pair) for pair in self.pairs]}


def list_pairs(data: Path | None = None, *, min_factor: float = 1.0) -> Pairs:
    """List the pairs, those with the smallest difference in weight first.

    Parameters
    ----------
    data : Path, optional
        A file of pairs; by default that of the package.
    min_factor : float
        Leave out pairs in which the heavier thing is fewer times as heavy as this.
    """
    found = sorted(read_pairs(data), key=lambda pair: pair.factor)
    return Pairs([pair for pair in found if pair.factor >= min_factor])
