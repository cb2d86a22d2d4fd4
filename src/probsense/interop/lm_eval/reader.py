"""Reads samples of lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, as ``--log_samples`` writes them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_jsonl
from probsense.interop.lm_eval.samples import STDERR, own_samples

START = "samples_"
_DATE = re.compile(r"_\d{4}-\d\d-\d\dT[\d.:-]+$")
_OWN = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "schema_version"),
    }
)
"""Keys of a sample that are not measures, for older files, whose samples do not list their metrics."""
_TEXTS = ("question", "query", "ctx", "sentence", "text", "prompt", "passage")


class SamplesReader:
    """Read samples of lm-evaluation-harness: a file, or the folder of a model."""

    kind: ClassVar[str] = "samples of lm-evaluation-harness (samples_TASK_DATE.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Tell whether a path is a folder with samples, or a file of them, by its name or its first line."""
        if path.is_dir():
            return any(path.glob(f"{START}*.jsonl"))
        if path.suffix != ".jsonl":
            return False
        return path.name.startswith(START) or "doc_id" in next(read_jsonl(path), (0, {}))[1]

    def read(self, path: Path) -> list[Scores]:
        """Read the samples with :func:`read_lm_eval`."""
        return read_lm_eval(path)


def read_lm_eval(path: Path) -> list[Scores]:
    """Read the samples of one task, or of all tasks in a folder.

    Parameters
    ----------
    path : Path
        A file ``samples_TASK_DATE.jsonl`` in a folder with the name of the model; or that folder, for the newest
        samples of each task.

    Returns
    -------
    list of Scores
        First those of each of our own tasks, with the items, clusters, weights and scores of a run of it. Then those of
        all other tasks, as the scores of the task, or of "lm-eval" for a folder: items are ``TASK/DOC_ID``, each a
        cluster of its own, and parts are tasks; the measures are the metrics whose values are single numbers or truth
        values, called ``METRIC,FILTER`` unless the filter is "none".

    Raises
    ------
    InputError
        For a folder without samples, a file that cannot be read or is empty, a sample without document or metrics, or
        a document that comes twice under one filter.
    """
    files = _newest(path) if path.is_dir() else {task_of(path): path}
    own = {name: found for name, file in files.items() if (found := own_samples(file)) is not None}
    others = {name: file for name, file in files.items() if name not in own}
    return [*own.values(), *([_any(path, others)] if others else [])]


def _any(path: Path, files: Mapping[str, Path]) -> Scores:
    """Read the samples of one task or several that are not ours."""
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    task, model, source = "lm-eval" if path.is_dir() else task_of(path), folder.name, str(path)
    items: dict[str, dict[str, Any]] = {}
    values: dict[str, dict[str, float | None]] = {}
    odd: set[str] = set()
    for name, file in files.items():
        _read(file, name, items, values, odd)
    measures = dict.fromkeys(measure for scored in values.values() for measure in scored)
    scores = {measure: [values[item].get(measure) for item in items] for measure in measures}
    if not measures:
        raise InputError("no measure is a number for each document", path=path, expected="such as acc")
    notes = (
        (f"not compared, because their values are not single numbers: {', '.join(sorted(odd))}",)
        if odd
        else ()
    )
    return Scores(
        model,
        task,
        source,
        task,
        pl.DataFrame(list(items.values()), schema=dict.fromkeys(next(iter(items.values())), pl.String)),
        pl.DataFrame(scores, schema=dict.fromkeys(measures, pl.Float64)),
        notes,
    )


def task_of(path: Path) -> str:
    """Return the task that a file of samples is named after."""
    return _DATE.sub("", path.name.removesuffix(".jsonl").removeprefix(START))


def _newest(folder: Path) -> dict[str, Path]:
    found = {task_of(path): path for path in sorted(folder.glob(f"{START}*.jsonl"))}
    if not found:
        raise InputError("no samples found", path=folder, expected=f"files named {START}TASK_DATE.jsonl")
    return found


def _read(
    path: Path,
    task: str,
    items: dict[str, dict[str, Any]],
    values: dict[str, dict[str, float | None]],
    odd: set[str],
) -> None:
    """Enter the samples of a file, and those of its metrics that are not single numbers."""
    seen: set[tuple[str, str]] = set()
    for line, sample in read_jsonl(path):
        place = Place(path, line)
        if "doc_id" not in sample or not isinstance(sample.get("doc"), Mapping):
            raise place.fault("not a sample: doc_id or doc is missing", "what --log_samples writes")
        item, sieve = f"{task}/{sample['doc_id']}", place.text(sample.get("filter", "none"), "filter")
        if (item, sieve) in seen:
            raise place.fault(f"document {brief(sample['doc_id'])} comes again", "each document once")
        seen.add((item, sieve))
        items.setdefault(item, _described(item, task, sample))
        scored = values.setdefault(item, {})
        for name in _metrics(sample, place):
            score = sample[name]
            if isinstance(score, int | float) and abs(score) <= sys.float_info.max:
                scored[name if sieve == "none" else f"{name},{sieve}"] = float(score)
            elif not (score is None and name.endswith(STDERR)):
                odd.add(name)
    if not seen:
        raise InputError("is empty", path=path, expected="a sample a line")


def _metrics(sample: Mapping[str, Any], place: Place) -> list[str]:
    """Return the names of the metrics of a sample."""
    names = sample.get("metrics", [key for key in sample if key not in _OWN])
    found = place.texts(names, "metrics", least=0, of="names")
    for name in found:
        if name not in sample:
            raise place.fault(f"lacks its metric {brief(name)}")
    return found


def _described(item: str, task: str, sample: Mapping[str, Any]) -> dict[str, Any]:
    doc, target = sample["doc"], sample.get("target")
    text = next((doc[key] for key in _TEXTS if isinstance(doc.get(key), str)), None)
    described = {
        "item": item,
        "cluster": item,
        "part": task,
        "gold": None if target is None else _text(target),
        "label": _answer(sample.get("filtered_resps")),
        "text": _text(doc) if text is None else text,
    }
    # JSON can spell text that is not Unicode.
    return {key: value and value.encode("utf-8", "replace").decode() for key, value in described.items()}


def _answer(responses: Any) -> str | None:
    """Return the text that was written, or the index of the most probable choice."""
    if not isinstance(responses, list) or not responses:
        return None
    try:
        scores = [float(response[0]) for response in responses if isinstance(response, list)]
    except (ValueError, TypeError, IndexError):
        scores = []
    if len(scores) == len(responses) > 1:
        return str(scores.index(max(scores)))
    first = responses[0]
    return _text(first[0] if isinstance(first, list) and first else first)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
