"""Reads ChaosNLI: a hundred people a question, on αNLI, SNLI and MNLI (Nie, Zhou & Bansal 2020, EMNLP)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from probsense.core.files import Place, read_jsonl
from probsense.tasks.choices.data.question import Question, checked_options

LABELS: Final = ("e", "n", "c")
"""The order of the counts of SNLI and MNLI."""
INFERENCE: Final = ("It is definitely true", "It might be true", "It is definitely false")
"""What the labels mean, as people who judge such pairs are told."""
EXPECTED: Final = "the lines of ChaosNLI, with uid, label_count and example"


def read_chaosnli(path: Path) -> list[Question]:
    """Read one file: pairs of a beginning and an end with two hypotheses, or premises with one hypothesis.

    Raises
    ------
    InputError
        For a line without the keys of the published files, and counts that are none.
    """
    return [_question(Place(path, line), record) for line, record in read_jsonl(path)]


def _question(place: Place, record: Mapping[str, Any]) -> Question:
    for key in ("uid", "label_count", "example"):
        if key not in record:
            raise place.fault(f"{key} is missing", EXPECTED)
    example, inside = place.mapping(record["example"], "example"), place.inside("example")
    options: tuple[str, ...] = INFERENCE
    labels: tuple[str, ...] = LABELS
    if "hyp1" in example:
        first, last, *hypotheses = _words(inside, example, "obs1", "obs2", "hyp1", "hyp2")
        context = f"Beginning: {first}\nEnd: {last}"
        text = "Which of these explains better what happened in between?"
        options, labels = checked_options(hypotheses, place.fault), ("1", "2")
    else:
        premise, hypothesis = _words(inside, example, "premise", "hypothesis")
        context = f"Premise: {premise}\nHypothesis: {hypothesis}"
        text = "Given the premise, what can be said of the hypothesis?"
    counts = place.entries(record["label_count"], "label_count", of="counts")
    if len(counts) != len(options):
        raise place.fault(f"{len(counts)} counts of {len(options)} options", "a count for each option")
    here = place.inside("label_count")
    known = tuple(float(here.whole(count, number, 0)) for number, count in enumerate(counts))
    if not sum(known):
        raise place.fault("nobody answered", "a count above 0")
    gold = str(record.get("old_label", ""))
    uid = place.word(record["uid"], "uid")
    return Question(
        uid,
        text,
        options,
        known,
        sum(known),
        context=context,
        gold=labels.index(gold) if gold in labels else None,
        cluster=uid,
    )


def _words(place: Place, example: Mapping[str, Any], *names: str) -> list[str]:
    return [place.word(example.get(name), name) for name in names]
