"""Verdicts about networks, kept from one command to the next, because a trial costs seconds of a large vocabulary."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from probsense.core.errors import InputError
from probsense.core.files import cache_folder, writing
from probsense.core.records import Json, digest

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether trees are right for a network; if not, why, in words."""

    trie: bool
    reason: str = ""


def kept_verdict(
    identity: Mapping[str, Json], decide: Callable[[], Verdict], folders: Sequence[Path] = (HERE,)
) -> Verdict:
    """Return the verdict about a network, from an earlier command if it was the same network and the same code.

    Parameters
    ----------
    identity : mapping
        All that the verdict depends on beside the code of the trees: weights, precision, device, versions.
    decide : callable
        Makes the trial.
    folders : sequence of Path
        Where the code lies that computes trees.

    Returns
    -------
    Verdict
        A folder that cannot be read or written costs time, never the verdict.
    """
    code = [
        path.read_text("utf-8") for path in sorted(one for folder in folders for one in folder.glob("*.py"))
    ]
    path = cache_folder() / "verdicts" / f"{digest([dict(identity), code])}.json"
    try:
        found = json.loads(path.read_bytes())
        if isinstance(found["trie"], bool) and isinstance(found["reason"], str):
            return Verdict(found["trie"], found["reason"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    verdict = decide()
    try:
        with writing(path) as file:
            file.write(json.dumps(asdict(verdict)).encode())
    except (OSError, InputError):
        pass
    return verdict
