"""Asks two real models the questions of all tasks, and prints the tables behind docs/real-models.md.

    python benchmarks/studies/real_results.py [--out real-results] [--published FOLDER] [--choices FOLDER]
        [--folder FOLDER_OF_MODELS]

The script prints each command before it runs it, and keeps the JSON that ``probsense run`` prints in the folder
``--out``, beside the store; a command whose JSON is there does not run again. With ``--published``, a folder with
``train_xs.jsonl`` of Winogrande and ``statements.parquet`` of judgments, these are asked as well, and with
``--choices``, a folder with ``chaosnli`` and ``pap.csv`` (docs/choices.md makes it), some questions of these in all
ways. Every figure of the tables comes from the JSON.
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
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import Measure, both_ends
from probsense.tasks.registry import words_named

MODELS: Final = {"smollm2": "SmolLM2-135M-Instruct", "gemma3": "Gemma-3-270m (base)"}
ANSWERING: Final = {"smollm2": "chat-answer", "gemma3": "question-answer"}
"""The prompt format in which yes and no have most of the probability, by model."""
WITHHELD: Final = "withheld"


Shown: TypeAlias = tuple[str, str, Mapping[str, str]]
"""Measure, method and parts of an estimate."""


class Asked(NamedTuple):
    """A command for each model, and the estimates that the table shows of its run.

    Attributes
    ----------
    title : str
    words : tuple of str
        Task and options; "{format}" stands for the model's format in :data:`ANSWERING`, "{published}" for the folder.
    name : str
        What the name of the run has after the model's.
    shown : tuple of Shown
    """

    title: str
    words: tuple[str, ...]
    name: str
    shown: tuple[Shown, ...]


SCORES: Final[Shown] = ("commonsensicality", "statement bootstrap", {})
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
        (("accuracy", "over forms", {}), ("bias", "over forms", {})),
    ),
    Asked("Winogrande, own schemas", ("winogrande",), "", PICKED),
    Asked(
        "Winogrande, published `train_xs`",
        ("winogrande", "--data", "{published}/train_xs.jsonl"),
        " published",
        PICKED,
    ),
    Asked(
        "Judgments, own statements, asked as usual",
        ("judgments", "-M", "prompt_format=published"),
        "",
        (*MASSES, SCORES),
    ),
    Asked(
        "the same, answer begun",
        ("judgments", "-M", "prompt_format={format}"),
        " answer",
        (*MASSES, SCORES),
    ),
    Asked(
        "the same, other answers dropped",
        ("judgments", "-M", "prompt_format={format}", "--other", "drop"),
        " drop",
        (SCORES,),
    ),
    Asked(
        "Judgments, 100 published statements",
        (
            "judgments",
            "-M",
            "prompt_format={format}",
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

CHOICES: Final = {
    "αNLI": ("alphanli", "chaosnli/chaosNLI_alphanli.jsonl.gz", "chaosnli"),
    "PAP": ("pap", "pap.csv", "table"),
}
"""Name in the name of a run, file and reader of sets of choices."""
WAYS: Final = {
    "labels": ("letters", ("--limit", "200")),
    "options": ("the options' texts", ("--limit", "200")),
    "sample": ("4 texts", ("--answers", "4", "--limit", "200")),
    "stated": ("stated percentages", ("--limit", "100")),
}
"""What tables call a method of choices, and its options."""
BESIDE: Final = {"people": "other people", "uniform": "equal shares"}
DISTANCES: Final = (("squared_distance_corrected", "corrected"), ("total_variation", "plug-in"))


def choice_commands(model: str, folder: Path, choices: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield set and method of choices, with the words of the command but for the store."""
    for title, (name, file, reader) in CHOICES.items():
        for method, (_, options) in WAYS.items():
            words = ["choices", "--data", str(choices / file), "--reader", reader, "--method", method]
            named = ["--name", f"{model} {name} {method}"]
            yield title, method, ["run", *words, *options, "--model", f"hf:{folder / model}", *named]


def choice_table(documents: Mapping[str, Mapping[tuple[str, str], Mapping[str, Any]]]) -> list[str]:
    """Write the lines of the table of choices in Markdown.

    Parameters
    ----------
    documents : Mapping
        By model, set and method, the document of its run.
    """
    styles = words_named("choices").measure
    heads = [
        f"{MODELS[model]}: {head}"
        for model in documents
        for head in ("squared, corrected", "TV", "options, %")
    ]
    lines = [f"| Data | Answers | {' | '.join(heads)} |", f"|---|---|{'---|' * len(heads)}"]
    for title in CHOICES:
        for who, called in BESIDE.items():
            cells = []
            for own in documents.values():
                run = own[title, "labels"]
                cells += [cell(baseline(run, measure, who), styles(measure)) for measure, _ in DISTANCES] + [
                    ""
                ]
            lines.append(f"| {title} | {called} | {' | '.join(cells)} |")
        for method, (called, _) in WAYS.items():
            cells = []
            for own in documents.values():
                run = own[title, method]
                cells += [cell(found(run, *known, {}), styles(known[0])) for known in DISTANCES]
                covered = found(run, "covered", "clustered", {})
                cells.append("" if covered is None else styles("covered").number(covered["value"]))
            lines.append(f"| {title} | {called} | {' | '.join(cells)} |")
    return lines


def baseline(document: Mapping[str, Any], measure: str, who: str) -> Mapping[str, Any] | None:
    """Find the estimate of a baseline over all questions."""
    for one in document["estimates"]:
        by = {key: value for key, value in one["by"].items() if key not in ("prompting", "model")}
        if (one["measure"], one["by"]["model"], by) == (measure, who, {}):
            return dict(one)
    return None


def commands(model: str, folder: Path, published: Path | None) -> Iterator[tuple[Asked, list[str]]]:
    """Yield what is asked, with the words of its command but for the store."""
    for asked in RUNS:
        if published is None and any("{published}" in word for word in asked.words):
            continue
        words = [word.format(format=ANSWERING[model], published=published) for word in asked.words]
        yield asked, ["run", *words, "--model", f"hf:{folder / model}", "--name", f"{model}{asked.name}"]


def ask(words: Sequence[str], out: Path) -> dict[str, Any]:
    """Return the document that a command prints, from its file, or else by running it."""
    name, task = words[words.index("--name") + 1], words[1]
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


def found(
    document: Mapping[str, Any], measure: str, method: str, parts: Mapping[str, str]
) -> Mapping[str, Any] | None:
    """Find the estimate of the model itself, not of a baseline or of people; None if there is none."""
    wanted = {"model": document["run"]["model"], **parts}
    for one in document["estimates"]:
        by = {key: value for key, value in one["by"].items() if key != "prompting"}
        if (one["measure"], one["method"], by) == (measure, method, wanted):
            return dict(one)
    return None


def cell(one: Mapping[str, Any] | None, style: Measure) -> str:
    """Write an estimate with its interval, or that it is withheld."""
    if one is None:
        return WITHHELD
    fields = {key: one[key] for key in Estimate.__dataclass_fields__ if key in one}
    known = {key: math.nan for key, value in fields.items() if value is None}
    return both_ends(Estimate(**{**fields, **known}), style)


def chance(estimates: Sequence[Mapping[str, Any] | None], style: Measure) -> str:
    """Write what guessing gets, "" if that is unknown."""
    known = {style.number(one["chance"]) for one in estimates if one and one["chance"] is not None}
    return " and ".join(sorted(known))


def table(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """Write the lines of the table in Markdown.

    Parameters
    ----------
    documents : Mapping
        By model and title of what is asked, the document of its run.
    """
    lines = [
        f"| Task | Answered | Measure | {' | '.join(MODELS[model] for model in documents)} | Chance |",
        f"|---|---|---|{'---|' * len(documents)}---|",
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
            style = words_named(runs[0]["task"]).measure(measure)
            own = [found(one, measure, method, parts) for one in runs]
            name = ", ".join([style.heading, *parts.values()])
            start = (asked.title, done) if i == 0 else ("", "")
            cells = [*start, name, *(cell(one, style) for one in own), chance(own, style)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def versions(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Say with which versions the models were asked, and when."""
    runs = [document["run"] for own in documents.values() for document in own.values()]
    used = {
        name: version
        for run in runs
        for name, version in (run["versions"] | run["details"]["versions"]).items()
    }
    days = sorted({run["started"][:10] for run in runs})
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"{when}; {', '.join(f'{name} {version}' for name, version in sorted(used.items()))}"


def main() -> None:
    """Run all commands and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("real-results"))
    parser.add_argument("--published", type=Path)
    parser.add_argument("--choices", type=Path)
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
    every = [
        shlex.join(words) for model in MODELS for _, words in commands(model, given.folder, given.published)
    ]
    print("```bash", *(f"probsense {words}" for words in every), "```", "", sep="\n")
    print(*table(documents), "", versions(documents), sep="\n")
    if given.choices is not None:
        chosen = {
            model: {
                (title, method): ask(words, given.out)
                for title, method, words in choice_commands(model, given.folder, given.choices)
            }
            for model in MODELS
        }
        print("", *choice_table(chosen), sep="\n")


if __name__ == "__main__":
    main()
