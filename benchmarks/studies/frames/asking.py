"""Measures how near to people's answers two small real models come, by the way in which they are asked.

    python benchmarks/studies/frames/asking.py MODEL… [--data FILE…] [--questions 6] [--part report] [--answers 20]
        [--ways published default] [--embeddings SPEC] [--store STORE]

Each model (a specification, such as ``hf:FOLDER``) answers some questions of each file in each way: ``published`` is
one example in the published form, ``default`` what ``probsense run frames`` does by itself, and ``STYLE-SHOTS`` any
other. The questions come in a drawn order: the first ones are for choosing a way (``--part choose``), and the next ones
for reporting it (``--part report``). Without ``--data``, the frames of the package are asked.

The table has the share of answers that match people's, the normalised divergence, both with 95 % intervals from
resampling answers and questions, and the shares of texts that were cut and of answers of more than five words.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from probsense.models.base import Model
from probsense.models.registry import load_model
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.show.measure import in_sentence
from probsense.tasks.frames.measures.table import MOST_WORDS
from probsense.tasks.frames.questions.frames import PACKAGED

WAYS = {"published": {"style": "published"}, "default": {}}

SEED = 8
"""Orders the questions; with it, five of each file for the report are none of those by which the default was chosen."""


def drawn(files: Sequence[Path], part: str, questions: int) -> Iterator[str]:
    """Yield the lines of some questions of each file, with ids of their own; no question is in both parts."""
    first = 0 if part == "choose" else questions
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        order = np.random.default_rng(SEED).permutation(len(lines))
        for i in order[first : first + questions]:
            record = json.loads(lines[i])
            named = record.get("metadata", record)
            named["id"] = f"{path.stem}:{named['id']}"
            yield json.dumps(record)


def options_of(way: str) -> dict[str, Any]:
    """Return the options of a way to ask."""
    if way in WAYS:
        return dict(WAYS[way])
    style, _, shots = way.partition("-")
    return {"style": style, "shots": int(shots)}


def row(way: str, run: Run) -> list[str]:
    """Return what a run found, as a row of the table."""
    found = {
        e.measure: in_sentence(e, run.words.measure(e.measure)) for e in run.summary() if "frame" not in e.by
    }
    coverage = run.results.coverage[0]
    texts = coverage["texts"]
    shares = [
        "unknown" if coverage[name] is None else f"{coverage[name] / texts:.1%}"  # type: ignore[operator]
        for name in ("cut_texts", f"texts_over_{MOST_WORDS}_words")
    ]
    asked = f"{run.record.options['style']}, {run.record.options['shots']} examples"
    return [run.model.rpartition("/")[2], f"{way} ({asked})", found["matched"], found["normalised"], *shares]


def main() -> None:
    """Ask, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+")
    parser.add_argument("--data", nargs="+", type=Path, default=[PACKAGED])
    parser.add_argument("--questions", type=int, default=6)
    parser.add_argument("--part", choices=("choose", "report"), default="report")
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--ways", nargs="+", default=[*WAYS])
    parser.add_argument("--embeddings", default="auto")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    print("| model | way | matched | normalised | cut | over five words |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "questions.jsonl"
        data.write_text("\n".join(drawn(given.data, given.part, given.questions)), encoding="utf-8")
        for name in given.models:
            model: Model = load_model(name)
            for way in given.ways:
                run = evaluate(
                    "frames",
                    model,
                    data=data,
                    answers=given.answers,
                    embeddings=given.embeddings,
                    store=given.store,
                    **options_of(way),
                )
                print("| " + " | ".join(row(way, run)) + " |", flush=True)
                for own in run.table().select("id", "answers").iter_rows(named=True):
                    print(json.dumps(own, ensure_ascii=False), file=sys.stderr)


if __name__ == "__main__":
    main()
