"""Reads logs of inspect (``NAME.eval``), those of our own tasks with all that a run of them would say."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError, brief
from probsense.core.registry import install
from probsense.interop.recorded_rounds import Asked, answered_again, task_again
from probsense.results.comparisons import named_scores

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

ENDING: Final = ".eval"
KEY: Final = "probsense"
"""Where samples and scores keep what is ours."""
GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What inspect's grades are worth: correct, partly so, incorrect, no answer."""


class LogReader:
    """Read logs of inspect: a file, or every one in a folder."""

    kind: ClassVar[str] = f"logs of inspect (NAME{ENDING})"

    def recognises(self, path: Path) -> bool:
        """Tell whether a path is a log, or a folder with logs."""
        return any(path.glob(f"*{ENDING}")) if path.is_dir() else path.suffix == ENDING

    def read(self, path: Path) -> list[Scores]:
        """Read the logs with :func:`read_log`."""
        return [read_log(one) for one in (sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path])]


def read_log(path: Path) -> Scores:
    """Read the scores of one log.

    Parameters
    ----------
    path : Path
        As ``inspect eval`` writes it.

    Returns
    -------
    Scores
        For a task of ours, the scores of its items, with weights and clusters. Else each sample is an item and a
        cluster of its own; the measures are the scorers, or SCORER.KEY for scores of several values; several epochs are
        averaged.

    Raises
    ------
    InputError
        If inspect is not installed, or for a file that is no log or has no scores.
    """
    log = _load(path)
    samples = [sample for sample in log.samples or () if sample.scores]
    if not samples:
        raise InputError(
            "the log has no samples with scores", path=path, expected="a log of a finished evaluation"
        )
    left_out = len(log.samples or ()) - len(samples)
    notes = (f"{left_out:,} samples of {path} have no scores",) if left_out else ()
    kept = {str(sample.id): own for sample in samples if (own := _kept(sample)) is not None}
    if kept:
        return _own(kept, log.eval.model, path, notes)
    return _others(samples, log.eval.task, log.eval.model, path, notes)


def _load(path: Path) -> EvalLog:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise InputError(
            "a log of inspect, which is not installed", path=path, expected=install("inspect")
        ) from None
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        return read_eval_log(str(path), exclude_fields={"events", "messages"})
    except (
        Exception
    ) as error:  # Damage can be noticed at any depth: in the ZIP, its packing, the JSON, a value.
        raise InputError(
            f"cannot be read: {type(error).__name__}: {brief(str(error))}",
            path=path,
            expected="a log of inspect",
        ) from None


def _kept(sample: EvalSample) -> Mapping[str, Any] | None:
    """Return what a score of ours keeps in a sample."""
    for score in (sample.scores or {}).values():
        if isinstance(found := (score.metadata or {}).get(KEY), Mapping):
            return found
    return None


def _own(kept: Mapping[str, Mapping[str, Any]], model: str, path: Path, notes: tuple[str, ...]) -> Scores:
    """Score the samples of one of our tasks as a run of it."""
    try:
        asked = Asked(*next(iter(kept.values()))["asked"])
        answered = answered_again(asked, model, {item: own["answers"] for item, own in kept.items()})
        task, _ = task_again(asked)
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(
            f"answers that cannot be read: {type(error).__name__}",
            path=path,
            expected="what our scorer keeps",
        ) from None
    except InputError as error:
        raise InputError(str(error), path=path) from None
    return named_scores(task, answered, str(path), nothing=f"the log {path}", notes=notes)


def _others(
    samples: Iterable[EvalSample], task: str, model: str, path: Path, notes: tuple[str, ...]
) -> Scores:
    """Score the samples of somebody else's task."""
    items: dict[str, dict[str, str | None]] = {}
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    odd: dict[str, None] = {}
    for sample in samples:
        item = f"{task}/{sample.id}"
        items.setdefault(item, _described(item, task, sample))
        for name, value in _named_values(sample):
            number = _number(value)
            if number is None:
                odd[name] = None
            elif not math.isnan(number):
                values[item][name].append(number)
    measures = dict.fromkeys(name for own in values.values() for name in own)
    if not measures:
        raise InputError("no score is a number or a grade", path=path, expected="such as C, I or 0.5")
    odd_notes = (
        (f"not compared, because not all values are numbers or grades: {', '.join(odd)}",) if odd else ()
    )
    scores = {
        name: [math.fsum(own) / len(own) if (own := values[item].get(name)) else None for item in items]
        for name in measures
        if name not in odd
    }
    if not scores:
        raise InputError("no score is a number or a grade", path=path, expected="such as C, I or 0.5")
    return Scores(
        model,
        task,
        str(path),
        task,
        pl.DataFrame(list(items.values()), schema=dict.fromkeys(next(iter(items.values())), pl.String)),
        pl.DataFrame(scores, schema=dict.fromkeys(scores, pl.Float64)),
        (*odd_notes, *notes),
    )


def _named_values(sample: EvalSample) -> Iterable[tuple[str, Any]]:
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            yield from ((f"{scorer}.{key}", value) for key, value in score.value.items())
        else:
            yield scorer, score.value


def _number(value: Any) -> float | None:
    """Return what a value is worth: NaN for one that is missing, None for one that is no number or grade."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        return GRADES.get(value, GRADES.get(value.lower()))
    return float(value) if isinstance(value, int | float) and not math.isinf(value) else None


def _described(item: str, task: str, sample: EvalSample) -> dict[str, str | None]:
    text = sample.input if isinstance(sample.input, str) else "\n".join(one.text for one in sample.input)
    target = sample.target if isinstance(sample.target, str) else " | ".join(sample.target)
    given = next((score.answer for score in (sample.scores or {}).values() if score.answer is not None), None)
    return {"item": item, "cluster": item, "part": task, "gold": target or None, "label": given, "text": text}
