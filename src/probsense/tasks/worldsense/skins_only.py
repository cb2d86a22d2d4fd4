"""Why the intervals of some results do not speak for other skins."""

from __future__ import annotations

from collections.abc import Sequence

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_SETTINGS


def why_these_skins_only(found: Sequence[Estimate]) -> str:
    """Say why no overall interval speaks for other skins; "" if every one of them does."""
    overall = [e for e in found if not {"problem", "skin"} & set(e.by)]
    asked, given = (
        {(e.measure, str(e.by)) for e in overall if e.method == method}
        for method in ("stratified", OVER_SETTINGS)
    )
    if asked == given:
        return ""
    skins = max(len({e.by["skin"] for e in found if "skin" in e.by}), 1)
    if skins < ENOUGH:
        what = "1 skin is" if skins == 1 else f"{skins} skins are"
        return f"{what} too few to speak for others (at least {ENOUGH} are needed)"
    return "a problem of one size was asked in a single skin"


def skins_only_notes(found: Sequence[Estimate]) -> list[str]:
    """Write a note on intervals that do not speak for other skins; none if all overall ones do."""
    why = why_these_skins_only(found)
    return [f"intervals speak for other questions in the same skins only: {why}"] if why else []
