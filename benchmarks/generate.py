"""Measures how many trials a second of CPU generates, writes and audits, on one core.

    python benchmarks/generate.py [--tuples T]

The trials have sizes 4 to 6 and all problems. Rates depend on the machine; the shares of the work do not.
"""

from __future__ import annotations

import argparse
import bz2
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from probsense.tasks.worldsense.audit.labels import audit_folder
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.generator import draw_tuples, generate
from probsense.tasks.worldsense.generate.problems import PROBLEMS


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tuples", type=int, default=10)
    design = Design(seed=1, problems=tuple(PROBLEMS), tuples=parser.parse_args().tuples)
    count = sum(len(records) for records in generate(design))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = {
            "draw and check by enumeration": seconds(lambda: sum(1 for _ in draw_tuples(design))),
            "... and make records": seconds(lambda: sum(1 for _ in generate(design))),
            "... and write JSON lines": seconds(lambda: json.dumps([r for t in generate(design) for r in t])),
            "... and compress (the published format)": seconds(lambda: write_testset(folder, design)),
            "audit (decompress, parse, enumerate)": seconds(lambda: audit_folder(folder)),
        }
        packed = (folder / "trials.jsonl.bz2").read_bytes()
        text = bz2.decompress(packed)
        rows["bz2 alone, packing"] = seconds(lambda: bz2.compress(text, 1))
        rows["bz2 alone, unpacking"] = seconds(lambda: bz2.decompress(packed))
    print(f"{count:,} trials of sizes 4 to 6")
    for what, taken in rows.items():
        print(f"{what:42}{count / taken:12,.0f} trials a second of CPU")


if __name__ == "__main__":
    main()
