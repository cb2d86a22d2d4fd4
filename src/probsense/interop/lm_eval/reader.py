"""Reads samples of lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, as ``--log_samples`` writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_jsonl
from probsense.interop.hosted import KEY, Sample, number, recorded_scores, sample_scores

START = "samples_"
PATTERN = f"{START}*.jsonl"
_DATE = re.compile(r"_\d{4}-\d\d-\d\dT[\d.:-]+$")
_TEXTS = ("question", "query", "ctx", "sentence", "text", "prompt", "passage")


class SamplesReader:
    """Read samples of lm-evaluation-harness: a file, or the folder of a model."""

    kind: ClassVar[str] = "samples of lm-evaluation-harness (samples_TASK_DATE.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Tell whether a path is a file of samples, or a folder with such files."""
        return any(path.glob(PATTERN)) if path.is_dir() else path.match(PATTERN)

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
        First those of each of our own tasks, as those of a run of it. Then those of all other tasks, as the scores of
        the task, or of "lm-eval" for a folder: items are ``TASK/DOC_ID``, each a cluster of its own, and parts are
        tasks; the measures are the metrics whose values are single numbers or truth values, called ``METRIC,FILTER``
        unless the filter is "none".

    Raises
    ------
    InputError
        For a folder without samples, a file that cannot be read or is empty, a sample without document or metrics, or
        a document that comes twice under one filter.
    """
    many = path.is_dir()
    files = _newest(path) if many else {task_of(path): path}
    model = (path if many else path.parent).resolve().name
    found: list[Scores] = []
    others: list[Sample] = []
    for task, file in files.items():
        kept: dict[str, Any] = {}
        for document, sample in _read(file, task):
            if KEY in document:
                kept[str(document.get("id"))] = document[KEY]
            else:
                others.append(sample)
        if kept:
            found.append(recorded_scores(kept, model, file))
    if others:
        found.append(sample_scores(model, "lm-eval" if many else task_of(path), path, others, "numbers"))
    return found


def task_of(path: Path) -> str:
    """Return the task that a file of samples is named after."""
    return _DATE.sub("", path.name.removesuffix(".jsonl").removeprefix(START))


def _newest(folder: Path) -> dict[str, Path]:
    found = {task_of(path): path for path in sorted(folder.glob(PATTERN))}
    if not found:
        raise InputError("no samples found", path=folder, expected=f"files named {START}TASK_DATE.jsonl")
    return found


def _read(path: Path, task: str) -> Iterator[tuple[Mapping[str, Any], Sample]]:
    """Yield the document of each sample of a file, and the sample."""
    seen: set[tuple[str, str]] = set()
    for line, sample in read_jsonl(path):
        place = Place(path, line)
        if "doc_id" not in sample or not isinstance(sample.get("doc"), Mapping):
            raise place.fault("not a sample: doc_id or doc is missing", "what --log_samples writes")
        name = str(sample["doc_id"])
        sieve = place.text(sample.get("filter", "none"), "filter")
        if (name, sieve) in seen:
            raise place.fault(f"document {brief(sample['doc_id'])} comes again", "each document once")
        seen.add((name, sieve))
        values = {
            metric if sieve == "none" else f"{metric},{sieve}": number(sample[metric])
            for metric in _metrics(sample, place)
        }
        doc, target = sample["doc"], sample.get("target")
        gold = None if target is None else _text(target)
        given = _answer(sample.get("filtered_resps"))
        text = next((doc[key] for key in _TEXTS if isinstance(doc.get(key), str)), None)
        yield doc, Sample(task, name, gold, given, _text(doc) if text is None else text, values)
    if not seen:
        raise InputError("is empty", path=path, expected="a sample a line")


def _metrics(sample: Mapping[str, Any], place: Place) -> list[str]:
    """Return the names of the metrics of a sample; older files do not list them."""
    numbers = [key for key, value in sample.items() if key != "doc_id" and isinstance(value, int | float)]
    found = place.texts(sample.get("metrics", numbers), "metrics", least=0, of="names")
    for name in found:
        if name not in sample:
            raise place.fault(f"lacks its metric {brief(name)}")
    return found


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
