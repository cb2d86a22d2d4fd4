"""The opening words of a page, and what each estimate says of a model in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import OVER_FORMS, OVER_SETTINGS
from probsense.show.measure import KeyResult, KeyResults, Measure, in_sentence, sentence, short
from probsense.show.tables import PUBLISHED, Grid, Subject, grid, kinds
from probsense.show.words import Words

SHOWN = 3
"""Parts that are named at most if there is no overall estimate."""

NORMAL = 1.96
"""Half the width of the interval of a shortcut ceiling, in standard errors."""


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Put the most important estimates into sentences: the task's way, or by accuracy, or by the first measure."""
    if words.key_results is not None:
        found = words.key_results(estimates, words)
        if found.models:
            return found
    return accuracy_results(estimates, words)


def accuracy_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Say which model has the highest accuracy and what each achieved; without an accuracy, by the first measure."""
    found = list[KeyResult]()
    for measure, method in kinds(estimates)[:1]:
        arranged = grid(in_first_view(estimates), measure, method, words)
        style = words.measure(measure)
        names, overall = arranged.names(), overall_estimates(arranged)
        if not overall:
            return KeyResults("", [_by_parts(arranged, who, style) for who in arranged.subjects])
        overall = sorted(overall, key=lambda pair: style.rank(pair[1].value))
        for subject, estimate in overall:
            others = [e for (who, _), e in arranged.cells.items() if who == subject and e is not estimate]
            further = [_against_shortcuts(estimate, words), _singly(others)]
            further.append(_by_other_views(estimates, estimate, words))
            said = f"{sentence(estimate, style, words.sentence(measure), {})}."
            found.append(KeyResult(names[subject], said, " ".join([*filter(None, further)][:2])))
        if measure == "accuracy":
            return KeyResults(_headline(overall, names, words), found)
    return KeyResults("", found)


def _headline(overall: Sequence[tuple[Subject, Estimate]], names: Mapping[Subject, str], words: Words) -> str:
    if len(overall) < 2:
        return ""
    found = [e for _, e in overall]
    if all(e.low <= e.chance for e in found) and len({e.chance for e in found}) == 1:
        return f"None of the {len(found)} compared here is above chance ({found[0].chance * 100:.3g} %)."
    if not any(beats_shortcuts(e) or isnan(e.low) for e in found):
        reached = f"{words.shortcut.name} reaches as much"
        return f"None of the {len(overall)} compared here is above the shortcut ceiling: {reached}."
    (first, best), *others = overall
    rivals = [names[subject] for subject, estimate in others if not best.low > estimate.high]
    if not rivals:
        return f"{names[first]} is the most accurate of the {len(overall)} compared here."
    return (
        f"{names[first]} has the highest accuracy of the {len(overall)} compared here, but no interval tells it from"
        f" {rivals[0]}, so these results alone do not settle which is best."
    )


def _by_parts(arranged: Grid, subject: Subject, style: Measure) -> KeyResult:
    own = [(part, e) for part in arranged.parts[:SHOWN] if (e := arranged.cells.get((subject, part)))]
    values = "; ".join(f"{part}: {in_sentence(e, style)}" for part, e in own)
    return KeyResult(arranged.names()[subject], f"has “{style.title}” of {values}.", "")


def in_first_view(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Keep the estimates of the first view if there are several views of the same answers; otherwise all."""
    first = next((e.by["view"] for e in estimates if "view" in e.by), None)
    return [e for e in estimates if e.by.get("view", first) == first]


def _against_shortcuts(estimate: Estimate, words: Words) -> str:
    """Say what shortcuts reach beside an estimate; "" if that is not known."""
    ceiling = estimate.shortcut_ceiling
    if isnan(ceiling):
        return ""
    reached = short(ceiling, estimate, words.measure(estimate.measure).unit)
    name = words.shortcut.name
    if isnan(estimate.low):
        return f"{name.capitalize()} reaches {reached}."
    if beats_shortcuts(estimate):
        return f"That is more than {name} reaches ({reached})."
    more = "more" if estimate.high < ceiling - NORMAL * estimate.shortcut_stderr else "as much"
    return f"{name.capitalize()} alone reaches {more} ({reached})."


def beats_shortcuts(estimate: Estimate) -> bool:
    """Whether the intervals of an estimate and of its shortcut ceiling are apart; yes where no ceiling is known."""
    ceiling = estimate.shortcut_ceiling
    return isnan(ceiling) or estimate.low > ceiling + NORMAL * estimate.shortcut_stderr


def _singly(problems: Sequence[Estimate]) -> str:
    if len(problems) < 2 or any(isnan(e.chance) for e in problems):
        return ""
    above = sum(e.low > e.chance for e in problems)
    beyond = f", and {sum(map(beats_shortcuts, problems)) or 'none'} above the shortcut ceiling"
    known = not any(isnan(e.shortcut_ceiling) for e in problems)
    return f"Taken singly, {above} of {len(problems)} problems are above chance{beyond if known else ''}."


def _by_other_views(estimates: Sequence[Estimate], chosen: Estimate, words: Words) -> str:
    others = [
        e.value
        for e in estimates
        if (e.measure, e.method) == (chosen.measure, chosen.method)
        and {**e.by, "view": ""} == {**chosen.by, "view": ""}
        and e.by != chosen.by
    ]
    if not others:
        return ""
    style = words.measure(chosen.measure)
    lowest, highest = style.number(min(others)), style.number(max(others))
    spread = lowest if lowest == highest else f"{lowest} to {highest}"
    return f"By other views of the same scores it is {spread}{style.unit.suffix}."


def leading_estimates(
    estimates: Sequence[Estimate], measure: str, words: Words
) -> tuple[Grid, dict[Subject, Estimate]]:
    """Choose the estimate of each subject that stands for a measure wherever there is room for one.

    It is over all questions, by the first method that is not a published one, and its interval speaks for other
    settings and other forms, too, where that is known.

    Returns
    -------
    (Grid, dict of tuple to Estimate)
        The grid of the first method, which names the subjects, and their estimates.
    """
    chosen = [e for e in estimates if e.measure == measure and "versus" not in e.by]
    chosen = [*filter(_ours, chosen)] or chosen
    method = kinds(chosen)[0][1] if chosen else ""
    kept = in_first_view(chosen)
    arranged = grid(kept, measure, method, words)
    found = dict(overall_estimates(arranged))
    for speaking in (OVER_SETTINGS, OVER_FORMS):
        wider = overall_estimates(grid(kept, measure, speaking, words))
        found |= {subject: estimate for subject, estimate in wider if not isnan(estimate.low)}
    return arranged, found


def overall_of(estimates: Iterable[Estimate], measure: str, words: Words) -> list[Estimate]:
    """List the estimates of a measure over all questions, by any method that is not a published one."""
    return [e for e in estimates if e.measure == measure and words.is_overall(e) and _ours(e)]


def _ours(estimate: Estimate) -> bool:
    return not estimate.method.startswith(PUBLISHED)


def overall_estimates(arranged: Grid) -> list[tuple[Subject, Estimate]]:
    """List the overall estimate of each subject; without one, that of the only part."""
    parts = arranged.parts
    if "" not in parts and len(parts) != 1:
        return []
    # The overall estimate is the first part.
    return [(who, e) for who in arranged.subjects if (e := arranged.cells.get((who, parts[0])))]
