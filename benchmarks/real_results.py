"""Asks the two real models the questions of all tasks, and prints their results as one table of docs/real-models.md.

    python benchmarks/real_results.py [--out real-results] [--published FOLDER] [--folder FOLDER_OF_MODELS]

The script prints each command before it runs it, and keeps the JSON that ``probsense run`` prints in the folder
``--out``, beside the store; a command whose JSON is there does not run again. With ``--published``, a folder with
``train_xs.jsonl`` of Winogrande and ``statements.parquet`` of judgments, these are asked as well. Every figure of the
table comes from the JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from probsense.show.notation import both_ends
from probsense.stats.estimate import Estimate
from probsense.tasks.registry import words_named

MODELS: Final = {"smollm2": "SmolLM2-135M-Instruct", "gemma3": "Gemma-3-270m (base)"}
ANSWERING: Final = {"smollm2": "chat-answer", "gemma3": "question-answer"}
"""The prompt format in which yes and no have most of the probability, by model."""
WITHHELD: Final = "withheld"
MARKS: Final = ("left out", "withheld", "not compared", "nothing else is estimated")
"""Words of notes about what is withheld."""


class Asked(NamedTuple):
    """A command for each model, and the estimates that the table shows of its run.

    Attributes
    ----------
    title : str
    words : tuple of str
        Task and options; "{format}" stands for the model's format in :data:`ANSWERING`, "{published}" for the folder.
    name : str
        What the name of the run has after the model's.
    shown : tuple of (str, str, Mapping)
        Measure, method and parts of each estimate.
    """

    title: str
    words: tuple[str, ...]
    name: str
    shown: tuple[tuple[str, str, Mapping[str, str]], ...]


SCORES: Final = ("commonsensicality", "statement bootstrap", {})
MASSES: Final = tuple(("other_mass", "clustered", {"question": question}) for question in ("q1", "q2"))
PICKED: Final = tuple(
    (measure, method, {"view": "partial"})
    for measure, method in (("accuracy", "clustered Wilson"), ("p_gold", "clustered"))
)
RUNS: Final = (
    Asked("Suite", ("suite",), "", (("accuracy", "clustered Wilson", {"view": "sum"}),)),
    Asked(
        "WorldSense",
        ("worldsense", "--limit", "600"),
        "",
        (("accuracy", "over settings", {}), ("bias", "over settings", {})),
    ),
    Asked("Winogrande, own schemas", ("winogrande",), "", PICKED),
    Asked(
        "Winogrande, published `train_xs`",
        ("winogrande", "--data", "{published}/train_xs.jsonl"),
        " published",
        PICKED,
    ),
    Asked("Judgments, own statements", ("judgments",), "", (*MASSES, SCORES)),
    Asked(
        "the same, answer begun",
        ("judgments", "--prompt-format", "{format}"),
        " answer",
        (*MASSES, SCORES),
    ),
    Asked(
        "the same, other answers dropped",
        ("judgments", "--prompt-format", "{format}", "--other", "drop"),
        " drop",
        (SCORES,),
    ),
    Asked(
        "Judgments, 100 published statements",
        (
            "judgments",
            "--prompt-format",
            "{format}",
            "--data",
            "{published}/statements.parquet",
            "--limit",
            "300",
        ),
        " published",
        MASSES,
    ),
    Asked(
        "Frames, texts",
        ("frames", "--answers", "20"),
        "",
        (("normalised", "rarefied", {}), ("kl", "rarefied", {}), ("matched", "rarefied", {})),
    ),
    Asked(
        "Frames, known answers",
        ("frames", "--method", "exact"),
        " exact",
        (("listed_mass", "exact", {}), ("kl", "exact", {})),
    ),
)


def commands(model: str, folder: Path, published: Path | None) -> Iterator[tuple[Asked, list[str]]]:
    """Yield what is asked, with the words of its command but for the store."""
    for asked in RUNS:
        if published is None and any("{published}" in word for word in asked.words):
            continue
        words = [word.format(format=ANSWERING[model], published=published) for word in asked.words]
        yield asked, ["run", *words, "--model", f"hf:{folder / model}", "--name", f"{model}{asked.name}"]


def ask(words: Sequence[str], out: Path) -> dict[str, Any]:
    """Return the document that a command prints, from its file, or else by running it."""
    name, task = words[-1], words[1]
    kept = out / f"{name.replace(' ', '-')}-{task}.json"
    if not kept.exists():
        print(f"probsense {shlex.join(words)}", file=sys.stderr)
        whole = [
            sys.executable,
            "-m",
            "probsense",
            *words,
            "--store",
            str(out / "real.db"),
            "--json",
            "--quiet",
        ]
        done = subprocess.run(whole, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        kept.write_bytes(done.stdout)
    document: dict[str, Any] = json.loads(kept.read_text())
    return document


def cell(document: Mapping[str, Any], measure: str, method: str, parts: Mapping[str, str]) -> str:
    """Write the estimate of the model with its interval, or that it is withheld."""
    model = document["run"]["model"]
    words = words_named(document["task"])
    for one in document["estimates"]:
        by = {key: value for key, value in one["by"].items() if key != "prompting"}
        if (one["measure"], by) == (measure, {"model": model, **parts}) and one["method"] == method:
            known = {key: math.nan if one[key] is None else one[key] for key in ("value", "low", "high")}
            estimate = Estimate(**{**{key: one[key] for key in FIELDS if key in one}, **known})
            style = words.measure(measure)
            return f"{both_ends(estimate, style)}{style.unit.suffix}"
    return WITHHELD


FIELDS: Final = tuple(Estimate.__dataclass_fields__)


def table(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """Write the lines of the table in Markdown.

    Parameters
    ----------
    documents : Mapping
        By model and title of what is asked, the document of its run.
    """
    lines = [
        f"| Task | Answered | Measure | {' | '.join(MODELS[model] for model in documents)} |",
        f"|---|---|---|{'---|' * len(documents)}",
    ]
    first = next(iter(documents.values()))
    for asked in RUNS:
        if asked.title not in first:
            continue
        runs = [own[asked.title] for own in documents.values()]
        done = " and ".join(
            dict.fromkeys(
                f"{one['coverage'][0]['answered']} of {one['coverage'][0]['asked']}" for one in runs
            )
        )
        for i, (measure, method, parts) in enumerate(asked.shown):
            heading = words_named(runs[0]["task"]).measure(measure).heading
            name = ", ".join([heading, *parts.values()])
            cells = [cell(one, measure, method, parts) for one in runs]
            start = (asked.title, done) if i == 0 else ("", "")
            lines.append(f"| {' | '.join([*start, name, *cells])} |")
    return lines


def withheld(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """List the notes that say what is withheld, with the run."""
    return [
        f"- {document['run']['name']}, {document['task']}: {note.partition(': ')[2]}"
        for own in documents.values()
        for document in own.values()
        for note in document["notes"]
        if any(mark in note for mark in MARKS)
    ]


def main() -> None:
    """Run all commands and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("real-results"))
    parser.add_argument("--published", type=Path)
    parser.add_argument("--folder", type=Path, default=Path("real-models"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    documents = {
        model: {
            asked.title: ask(words, given.out)
            for asked, words in commands(model, given.folder, given.published)
        }
        for model in MODELS
    }
    print(*table(documents), "", *withheld(documents), sep="\n")


if __name__ == "__main__":
    main()
