"""Why the published interval of some accuracies has no width."""

from __future__ import annotations

from collections.abc import Iterable

from probsense.analysis.inference.estimate import Estimate


def no_width_notes(found: Iterable[Estimate]) -> list[str]:
    """Note where all tuples scored alike, as with one answer to everything: the published error is 0 there.

    The published intervals stay as they are, for they are part of what was published. The other methods widen theirs by
    what was never seen (:func:`probsense.analysis.inference.bounds.bounded`).
    """
    alike: dict[tuple[str, str, float], list[str]] = {}
    for e in found:
        whole = (e.measure, e.method) == ("accuracy", "published") and not {"size", "skin"} & set(e.by)
        if whole and e.low == e.high:
            alike.setdefault((str(e.by["prompting"]), str(e.by["model"]), e.value), []).append(
                str(e.by.get("problem", ""))
            )
    notes = []
    for (prompting, model, value), problems in alike.items():
        where = "" if "" in problems else f" of {', '.join(problems)}"
        why = ", as with a constant answer" if value == 0.5 else ""
        notes.append(
            f"{prompting}, {model}: all tuples{where} have an accuracy of {value * 100:.3g} %"
            f"{why}, so the published interval has no width; the others allow for tuples that were not asked"
        )
    return notes
