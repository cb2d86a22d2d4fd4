"""Measures the CPU time and memory of `analyse`, beside a straightforward pandas program for the same figures.

    python benchmarks/analyse.py [TEST_SET_FOLDER] [--trials 87000] [--repeats 3]

A test set with its results is replicated, with new keys and tuple ids, until it has enough trials. Then every program
reads the same files in processes of its own, in turns. CPU time is that of the whole process, with all its threads
and imports; memory is its peak resident size. The table gives the least of the repeats. Both pandas programs and the
cold one must decompress the trials, as any program must: the last line gives the cost of that alone.
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REFERENCE = Path(os.environ.get("PROBSENSE_REFERENCE", Path(__file__).parents[2] / "shared" / "data"))
PROBLEM_COLUMNS = ["prompting", "modelname", "problemname"]
PROGRAMS = (
    "pandas, read_json",
    "pandas, json.loads",
    "probsense, cold",
    "probsense, with cache",
    "decompression alone",
)


def replicate(source: Path, target: Path, trials: int) -> int:
    """Write a test set of at least that number of trials, with as many results files as the source has."""
    with bz2.open(source / "trials.jsonl.bz2", "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    copies = -(-trials // len(lines))
    keys = {trial["Key"]: i for i, trial in enumerate(lines)}
    spread = 0x9E3779B97F4A7C15

    def key(copy: int, number: int) -> int:
        # An odd multiplier permutes the 64-bit numbers, so that keys are distinct and as large as real ones.
        return ((copy * len(lines) + number + 1) * spread) % 2**64 - 2**63

    (target / "results").mkdir(parents=True)
    with bz2.open(target / "trials.jsonl.bz2", "wt", encoding="utf-8") as stream:
        for copy in range(copies):
            for i, trial in enumerate(lines):
                changed = {"Key": key(copy, i), "tuple_ID": f"{trial['tuple_ID']}_{copy}"}
                stream.write(json.dumps(trial | changed, separators=(",", ":")) + "\n")
    for path in sorted((source / "results").glob("*___results.jsonl")):
        answers = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        with (target / "results" / path.name).open("w", encoding="utf-8") as stream:
            for copy in range(copies):
                for answer in answers:
                    row = {"Key": key(copy, keys[answer["Key"]]), "resp": answer["resp"]}
                    stream.write(json.dumps(row, separators=(",", ":")) + "\n")
    return copies * len(lines)


def with_pandas(folder: Path, by_line: bool) -> dict[str, float]:
    """Compute accuracy and bias, overall and by problem, as the specification words them, in plain pandas."""
    import pandas as pd

    def read(path: Path) -> pd.DataFrame:
        if not by_line:
            return pd.read_json(path, lines=True, dtype={"Key": "int64", "resp": str})
        with bz2.open(path, "rt") if path.suffix == ".bz2" else path.open() as stream:
            return pd.DataFrame([json.loads(line) for line in stream])

    gold = {"Emmanuel": "TRUE", "Megi": "FALSE", "Dieuwke": "POSSIBLE", "Pascal": "IMPOSSIBLE"}
    gold |= {"Mark": "1", "Youssef": "2", "Yoda": "3"}
    fold = {g: g for g in gold.values()} | {"1": "KNOW", "2": "KNOW", "3": "UNKNOWN"}
    signs = {"TRUE": 1, "POSSIBLE": 1, "1": 1, "2": 1, "FALSE": -1, "IMPOSSIBLE": -1, "3": -1}
    weights = {g: 0.25 if g in ("1", "2") else 0.5 for g in signs}

    trials = read(folder / "trials.jsonl.bz2")
    trials["gold"] = trials["goldresp_obfusc"].map(gold)
    answers = []
    for path in sorted((folder / "results").glob("*___results.jsonl")):
        prompting, model, _ = path.name.split("___")
        rows = read(path)
        rows["prompting"], rows["modelname"] = prompting, model
        answers.append(rows.merge(trials, on="Key", how="inner"))
    table = pd.concat(answers)
    count = table.groupby(["prompting", "modelname", "tuple_ID"])["Key"].transform("size")
    table = table[count == table["expectedresp"].str.len()].copy()
    table["w"] = table["gold"].map(weights)
    table["acc"] = (table["resp"].map(fold) == table["gold"].map(fold)) * table["w"]
    table["bias"] = table["resp"].map(signs).fillna(0) * table["w"]
    tuples = table.groupby(["prompting", "modelname", "tuple_ID"], as_index=False).agg(
        {"problemname": "first", "problemsize": "first", "acc": "sum", "bias": "sum", "w": "sum"}
    )
    figures = {}
    for measure in ("acc", "bias"):
        tuples["value"] = tuples[measure] / tuples["w"]
        for by in (PROBLEM_COLUMNS[:2], PROBLEM_COLUMNS):
            rest = [c for c in ("problemsize", "problemname") if c not in by]
            cells = tuples.groupby(by + rest)["value"].agg(n="count", m="mean", v="var").reset_index()
            while rest:
                rest = rest[1:]
                cells["q"] = cells["v"] + cells["m"] ** 2
                level = cells.groupby(by + rest).agg(
                    N=("n", "min"), k=("n", "size"), m=("m", "mean"), q=("q", "mean")
                )
                level["n"], level["v"] = level["N"] * level["k"], level["q"] - level["m"] ** 2
                cells = level.reset_index()
            for row in cells.to_dict("records"):
                name = " ".join([measure, *(row[c] for c in by)])
                figures[name], figures[name + " sem"] = row["m"], (row["v"] / row["n"]) ** 0.5
    return figures


def with_probsense(folder: Path, cache: bool) -> dict[str, float]:
    from probsense.tasks.worldsense.recorded import analyse

    figures = {}
    for e in analyse(folder, cache=cache).measured.estimates:
        if e.method == "published" and "size" not in e.by:
            measure = {"accuracy": "acc"}.get(e.measure, e.measure)
            name = " ".join([measure, str(e.by["prompting"]), str(e.by["model"])])
            name += f" {e.by['problem']}" if "problem" in e.by else ""
            figures[name], figures[name + " sem"] = e.value, e.stderr
    return figures


def decompress(folder: Path) -> dict[str, float]:
    with bz2.open(folder / "trials.jsonl.bz2") as stream:
        while stream.read(4 << 20):
            pass
    return {}


def one(program: str, folder: Path) -> None:
    """Run one program in this process and print its figures and its cost."""
    figures = {
        "pandas, read_json": lambda: with_pandas(folder, by_line=False),
        "pandas, json.loads": lambda: with_pandas(folder, by_line=True),
        "probsense, cold": lambda: with_probsense(folder, cache=False),
        "probsense, with cache": lambda: with_probsense(folder, cache=True),
        "decompression alone": lambda: decompress(folder),
    }[program]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"cpu": time.process_time(), "peak": peak, "figures": figures}, sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=REFERENCE / "worldsense" / "memorisation")
    parser.add_argument("--trials", type=int, default=87_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", choices=PROGRAMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one, options.folder)
        return
    if not options.folder.is_dir():
        print(f"no test set in {options.folder}: name the folder of one (probsense data get worldsense)")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "replicated"
        print(f"{replicate(options.folder, folder, options.trials)} trials")
        environment = os.environ | {"PROBSENSE_CACHE": str(Path(temporary) / "cache")}
        taken: dict[str, list[dict[str, float]]] = {program: [] for program in PROGRAMS}
        figures: dict[str, dict[str, float]] = {}
        with_cache = [sys.executable, __file__, str(folder), "--one", "probsense, with cache"]
        subprocess.run(with_cache, env=environment, check=True, stdout=subprocess.DEVNULL)
        for _ in range(options.repeats):
            for program in PROGRAMS:
                command = [sys.executable, __file__, str(folder), "--one", program]
                run = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
                result = json.loads(run.stdout)
                figures[program] = result.pop("figures")
                taken[program].append(result)
    ours = figures["probsense, cold"]
    same = all(
        figures[program].keys() == ours.keys()
        and all(abs(figures[program][name] - figure) < 1e-9 for name, figure in ours.items())
        for program in PROGRAMS[:-1]
    )
    print(f"{len(ours)} figures, the same from all: {same}")
    cpu = {program: min(run["cpu"] for run in runs) for program, runs in taken.items()}
    for program, runs in taken.items():
        ratios = "   ".join(f"{cpu[base] / cpu[program]:5.1f} x" for base in PROGRAMS[:2])
        peak = min(run["peak"] for run in runs)
        print(f"{program:22} {cpu[program]:6.2f} s CPU   {ratios}   {peak:6.0f} MB peak")
    sys.exit(not same)


if __name__ == "__main__":
    main()
