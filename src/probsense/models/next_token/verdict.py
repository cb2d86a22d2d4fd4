"""Keeps what a trial found about a network, as long as nothing changes on which that depends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probsense.core.files import keep_json, kept_json
from probsense.core.records import Json, digest

ROUNDING = {"torch.float16": 0.02, "torch.bfloat16": 0.05}
ROUNDING_ELSE = 1e-4
"""The largest difference of a log-probability that counts as rounding, as a share of the largest one."""


def rounding(network: Any) -> float:
    """Return what counts as rounding in the log-probabilities of a network, by the coarsest type of its weights."""
    weights = (getattr(module, "weight", None) for module in network.modules())
    return max(ROUNDING.get(str(weight.dtype), ROUNDING_ELSE) for weight in weights if weight is not None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a network passed a trial; if not, why, in words."""

    passed: bool
    reason: str = ""


def kept_verdict(identity: Mapping[str, Json], decide: Callable[[], Verdict]) -> Verdict:
    """Return the verdict of a trial, from an earlier command if it was the same trial and the same code.

    Parameters
    ----------
    identity : mapping
        All that the verdict depends on beside the code: weights, precision, device, versions.
    decide : callable
        Makes the trial.

    Returns
    -------
    Verdict
        A folder that cannot be read or written costs time, never the verdict.
    """
    name = f"verdicts/{digest([dict(identity), code()])}.json"
    match kept_json(name):
        case {"passed": bool(passed), "reason": str(reason)}:
            return Verdict(passed, reason)
    verdict = decide()
    keep_json(name, asdict(verdict))
    return verdict


@cache
def code() -> str:
    """Return a digest of the code of all models: what was found out by other code is found out again."""
    files = sorted(Path(__file__).parents[1].rglob("*.py")) + sorted(
        Path(__file__).parents[1].rglob("*.toml")
    )
    return digest([file.read_text("utf-8") for file in files])
