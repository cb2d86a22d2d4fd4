"""Reads logs of inspect (``NAME.eval``), those of our own tasks with all that a run of them would say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError, brief
from probsense.core.registry import install
from probsense.interop.hosted import KEY, Sample, number, recorded_scores, sample_scores

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

ENDING: Final = ".eval"
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
    kept = {
        str(sample.id): own
        for sample in samples
        for score in sample.scores.values()
        if (own := (score.metadata or {}).get(KEY))
    }
    if kept:
        return recorded_scores(kept, log.eval.model, path, notes)
    found = (_sample(log.eval.task, sample) for sample in samples)
    return sample_scores(log.eval.model, log.eval.task, path, found, "numbers or grades", notes)


def _load(path: Path) -> EvalLog:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise InputError(
            "a log of inspect, which is not installed", path=path, expected=install("inspect")
        ) from None
    try:
        return read_eval_log(str(path), exclude_fields={"events", "messages"})
    # Damage can be noticed at any depth: in the ZIP, its packing, the JSON, a value.
    except Exception as error:
        raise InputError(
            f"cannot be read: {type(error).__name__}: {brief(str(error))}",
            path=path,
            expected="a log of inspect",
        ) from None


def _sample(task: str, sample: EvalSample) -> Sample:
    """Describe a sample of somebody else's task."""
    text = sample.input if isinstance(sample.input, str) else "\n".join(one.text for one in sample.input)
    gold = sample.target if isinstance(sample.target, str) else " | ".join(sample.target)
    given = next((score.answer for score in sample.scores.values() if score.answer is not None), None)
    values = {name: _worth(value) for name, value in _named_values(sample)}
    return Sample(task, str(sample.id), gold or None, given, text, values)


def _named_values(sample: EvalSample) -> Iterable[tuple[str, Any]]:
    for scorer, score in sample.scores.items():
        if isinstance(score.value, Mapping):
            yield from ((f"{scorer}.{key}", value) for key, value in score.value.items())
        else:
            yield scorer, score.value


def _worth(value: Any) -> float | None:
    """Return what a value is worth: NaN for one that is missing, None for one that is no number or grade."""
    return GRADES.get(value, GRADES.get(value.lower())) if isinstance(value, str) else number(value)
