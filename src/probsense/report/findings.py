"""The first lines of a page about accuracy: who is best, and whether that is more than chance, in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from probsense.report.measure import Finding
from probsense.report.tables import Grid, grid, kinds
from probsense.report.words import measure_of, sentence_value
from probsense.stats.estimate import Estimate

SHOWN = 3
"""Of more parts than this, where there is no overall figure, the first are told of."""


def headline(estimates: Sequence[Estimate], method: str) -> str:
    """Which model is best, in one sentence; "" where there is nothing to choose from."""
    arranged = grid(in_first_view(estimates), "accuracy", method)
    names, overall = arranged.names(), overall_figures(arranged)
    if len(overall) < 2:
        return ""
    (first, best), *others = overall
    rivals = [(subject, estimate) for subject, estimate in others if not best.low > estimate.high]
    if not rivals:
        return f"{names[first]} is the most accurate of the {len(overall)} compared here."
    unknown = math.isnan(best.low) or any(math.isnan(estimate.high) for _, estimate in rivals)
    reason = (
        "an interval is unknown" if unknown else f"its interval overlaps with that of {names[rivals[0][0]]}"
    )
    return (
        f"{names[first]} has the highest accuracy of the {len(overall)} compared here, but {reason},"
        " so these figures alone do not settle which is best."
    )


def findings(estimates: Sequence[Estimate], method: str) -> list[Finding]:
    """What each model achieved, the best first, whether that is more than chance, and what it hangs on."""
    arranged = grid(in_first_view(estimates), "accuracy", method)
    names = arranged.names()
    found = []
    for subject, estimate in overall_figures(arranged):
        others = [e for (who, _), e in arranged.cells.items() if who == subject and e is not estimate]
        said = _against_chance(estimate), _singly(others), _by_other_views(estimates, estimate)
        figure = f"answers {sentence_value(estimate)} of the questions right."
        found.append(Finding(names[subject], figure, " ".join(filter(None, said))))
    return found


def first_findings(estimates: Sequence[Estimate]) -> list[Finding]:
    """The measure that comes first, for each model, overall or by part: where an instrument has no words of its own."""
    for measure, method in kinds(estimates)[:1]:
        arranged = grid(in_first_view(estimates), measure, method)
        parts = arranged.parts[:1] if "" in arranged.parts else arranged.parts[:SHOWN]
        found = {
            subject: [(part, e) for part in parts if (e := arranged.cells.get((subject, part)))]
            for subject in arranged.subjects
        }
        title = measure_of(measure).title
        return [
            Finding(arranged.names()[subject], f"has “{title}” of {_listed(own)}.", "")
            for subject, own in found.items()
        ]
    return []


def _listed(figures: Sequence[tuple[str, Estimate]]) -> str:
    return "; ".join(f"{part}: {sentence_value(e)}" if part else sentence_value(e) for part, e in figures)


def in_first_view(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Where there are views of the same answers, the estimates under the one that comes first; otherwise all."""
    first = next((e.by["view"] for e in estimates if "view" in e.by), None)
    return [e for e in estimates if e.by.get("view", first) == first]


def _against_chance(estimate: Estimate) -> str:
    if math.isnan(estimate.chance):
        return ""
    verdict = (
        "is above chance"
        if estimate.low > estimate.chance
        else "is below chance"
        if estimate.high < estimate.chance
        else "cannot be told apart from chance"
    )
    return f"That {verdict} ({estimate.chance * 100:.3g} %)."


def _singly(problems: Sequence[Estimate]) -> str:
    if len(problems) < 2 or any(math.isnan(e.chance) for e in problems):
        return ""
    above = sum(e.low > e.chance for e in problems)
    return f"Taken singly, {above} of {len(problems)} problems are above chance."


def _by_other_views(estimates: Sequence[Estimate], chosen: Estimate) -> str:
    others = [
        e.value
        for e in estimates
        if (e.measure, e.method) == (chosen.measure, chosen.method)
        and {**e.by, "view": ""} == {**chosen.by, "view": ""}
        and e.by != chosen.by
    ]
    if not others:
        return ""
    style = measure_of(chosen.measure)
    lowest, highest = style.number(min(others)), style.number(max(others))
    spread = lowest if lowest == highest else f"{lowest} to {highest}"
    return f"By other views of the same scores it is {spread}{style.unit}."


def overall_figures(arranged: Grid) -> list[tuple[tuple[str, ...], Estimate]]:
    """The overall figure of each subject, the highest first; without one, that of the only part."""
    if "" in arranged.parts:
        where = ""
    elif len(arranged.parts) == 1:
        where = arranged.parts[0]
    else:
        return []
    found = [
        (subject, arranged.cells[subject, where])
        for subject in arranged.subjects
        if (subject, where) in arranged.cells
    ]
    return sorted(found, key=lambda pair: (math.isnan(pair[1].value), -pair[1].value))
