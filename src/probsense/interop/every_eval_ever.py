"""Writes runs as records of Every Eval Ever, in version 0.3.0 of its schemas.

They are ``eval.schema.json`` and ``instance_level_eval.schema.json`` of github.com/evaleval/every_eval_ever. The schema
has measures of which more is better, and those of which less is: one of which neither is, such as a bias, counts among
the former. Who publishes a record says in it which organisation they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Final, TypeAlias
from uuid import UUID

from probsense.analysis.inference.estimate import Estimate
from probsense.core.files import check_folder, writing
from probsense.core.records import Json, canonical_json, digest
from probsense.runs.run import Run, results_digest
from probsense.runs.store.rows import THINKING
from probsense.runs.transcripts import Reply, Transcript

Entry: TypeAlias = dict[str, Json]
SCHEMA: Final = "0.3.0"
ENGINES: Final = ("vllm", "llama.cpp", "transformers")
"""What computes a model, by the name of its version; the first that a run has."""
DRAWN: Final = ("temperature", "top_p")
"""Options of tasks that the schema has a place for."""
FURTHER: Final = ("clusters", "settings", "chance", "shortcut_ceiling", "p")
"""What an estimate knows that the schema has no place for."""
ACCURACY: Final = "accuracy"
"""The measure of items that are right or wrong; the schema shares its name among tasks."""


def export_every_eval_ever(path: Path | str, runs: Sequence[Run]) -> None:
    """Write a record for each run, and its items beside it where they have right answers.

    Parameters
    ----------
    path : Path or str
        Made if it is missing. Each run gets ``data/TASK/DEVELOPER/MODEL/UUID.json`` in it, and the items
        ``UUID_samples.jsonl``. The UUID follows from the id of the run, so that it replaces an earlier record of it.
    runs : sequence of Run

    Raises
    ------
    InputError
        For a path that is a file, or a folder that cannot be written.
    """
    root = Path(path)
    check_folder(root)
    for run in runs:
        document = record(run)
        name = UUID(hex=run.id, version=4)
        folder = Path("data", run.record.task, *_model_id(run.model).replace(":", "_").split("/"))
        if rows := _samples(run, document["evaluation_id"]):
            samples = folder / f"{name}_samples.jsonl"
            text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
            lines = text.encode(errors="replace")
            with writing(root / samples) as stream:
                stream.write(lines)
            document["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": samples.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": sha256(lines).hexdigest(),
                "total_rows": len(rows),
            }
        with writing(root / folder / f"{name}.json") as stream:
            text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
            stream.write(text.encode(errors="replace") + b"\n")


def record(run: Run) -> Entry:
    """Return the record of a run, without its items: every estimate of its model that has a value."""
    known = run.record
    ended = datetime.fromisoformat(known.finished or known.started).timestamp()
    data: Entry = {
        "items": run.covered["asked"],
        "items_digest": digest(sorted([item.id, item.cluster] for item in run.items)),
        **known.files,
    }
    drawn = {name: known.options[name] for name in DRAWN if known.options.get(name) is not None}
    shared: Entry = {
        "source_data": {
            "dataset_name": run.words.title,
            "source_type": "other",
            "additional_details": _texts(data),
        },
        "generation_config": {
            "generation_args": {**drawn, "reasoning": known.options.get(THINKING) is not None},
            "additional_details": _texts({"method": run.method, "seed": known.seed, **known.options}),
        },
    }
    own = [e for e in run.results.estimates if e.by.get("model") == run.model and isfinite(e.value)]
    about: Entry = {
        "run": run.id,
        "digest": results_digest([estimate.to_json() for estimate in run.results.estimates]),
        **run.covered,
        "warnings": [*run.results.warnings],
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{known.task}/{_model_id(run.model)}/{ended}",
        "evaluation_timestamp": known.started,
        "retrieved_timestamp": str(ended),
        "source_metadata": {
            "source_name": "ProbSense",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _texts(about),
        },
        "eval_library": {
            "name": "probsense",
            "version": known.versions["probsense"],
            "additional_details": _texts({**known.versions, "task_version": known.version}),
        },
        "model_info": _model_info(run),
        "evaluation_results": [{**_result(run, estimate), **shared} for estimate in own],
    }


def _texts(found: Mapping[str, Json]) -> Entry:
    """Write what the schema has no place for as it wants it: texts by name, without what is not known."""
    return {
        key: value if isinstance(value, str) else canonical_json(value)
        for key, value in found.items()
        if value not in (None, "", [], {})
    }


def _model_id(model: str) -> str:
    """Name a model as hubs do, by developer and model; the backend stands in for a developer that is not known."""
    backend, _, name = model.partition(":")
    portable = re.split(r"[/\\]", re.sub(r'[<>"|?*\x00-\x1f]', "_", name))
    parts = [part for one in portable if (part := one.rstrip(". "))]
    if len(parts) != 2 or name.startswith((".", "/", "~")):
        parts = [backend, *(parts[-1:] or [backend])]
    return "/".join(parts)


def _model_info(run: Run) -> Entry:
    details, versions = run.details, run.details.get("versions")
    known = versions if isinstance(versions, dict) else {}
    engines = [{"name": name, "version": known[name]} for name in ENGINES if name in known]
    return {
        "name": run.model,
        "id": _model_id(run.model),
        **({"inference_engine": engines[0]} if engines else {}),
        "additional_details": {
            **_texts({"fingerprint": run.record.fingerprint, **details}),
            "deployment_type": "unknown" if "base_url" in details else "self_deployed",
            "model_availability": "unknown",
        },
    }


def _result(run: Run, estimate: Estimate) -> Entry:
    name, method = estimate.measure, estimate.method
    measure, (low, high) = run.words.measure(name), run.words.bounds(name)
    about = {key: value for key, value in estimate.by.items() if key not in ("model", "prompting")}
    known = estimate.to_json()
    uncertainty: Entry = {"num_samples": estimate.n}
    if known["stderr"] is not None:
        uncertainty["standard_error"] = {"value": estimate.stderr, "method": method}
    if known["low"] is not None and known["high"] is not None:
        ends = {"lower": estimate.low, "upper": estimate.high}
        uncertainty["confidence_interval"] = {**ends, "confidence_level": estimate.level, "method": method}
    return {
        "evaluation_result_id": canonical_json([name, method, about]),
        "evaluation_name": "/".join([run.record.task, *map(str, about.values())]),
        "metric_config": {
            "evaluation_description": measure.meaning,
            "metric_id": name if name == ACCURACY else f"{run.record.task}.{name}",
            "metric_name": measure.title,
            **({"metric_unit": "proportion"} if (low, high) == (0, 1) else {}),
            "lower_is_better": measure.better == "lower",
            "score_type": "continuous",
            "min_score": low if isfinite(low) else "-Infinity",
            "max_score": high if isfinite(high) else "Infinity",
        },
        "score_details": {
            "score": min(max(estimate.value, low), high),  # Rounding may carry it over a bound.
            "uncertainty": uncertainty,
            "details": _texts({**about, **{key: known.get(key) for key in FURTHER}}),
        },
    }


def _samples(run: Run, evaluation: Json) -> list[Entry]:
    """List the items with right answers that were answered; they belong to the first accuracy, which is overall."""
    found = (e for e in run.results.estimates if e.measure == ACCURACY and e.by.get("model") == run.model)
    first = next(found, None)
    if first is None:
        return []
    result = _result(run, first)
    shared: Entry = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "model_id": _model_id(run.model),
        **{key: result[key] for key in ("evaluation_result_id", "evaluation_name")},
        "interaction_type": "single_turn",
    }
    return [
        {**shared, **_sample(one, one.reply, run.method)}
        for one in run.transcripts()
        if one.reply and one.gold
    ]


def _sample(one: Transcript, reply: Reply, method: str) -> Entry:
    answer: Entry = {
        "turn_idx": 0,
        "source": "output.raw" if reply.texts else "probabilities of the choices",
        "extracted_value": reply.given,
        "extraction_method": method,
        "is_terminal": True,
    }
    choices: list[Json] = [name for name, _ in reply.shares]
    right = reply.given == one.gold
    return {
        "sample_id": one.item.id,
        "sample_hash": sha256(f"{one.prompt}{one.gold}".encode(errors="replace")).hexdigest(),
        "input": {"raw": one.prompt, "reference": [one.gold], "choices": None if reply.texts else choices},
        "output": {"raw": [*reply.texts]},
        "answer_attribution": [answer],
        "evaluation": {"score": float(right), "is_correct": right},
        "metadata": _texts({"cluster": one.item.cluster, "shares": dict(reply.shares)}),
    }
