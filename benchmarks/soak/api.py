"""Evaluates, reports and compares again and again in one process, as its standard input asks.

A line is a JSON object: a task, its options, specifications and options of models, a store, a page to write, and
whether runs are compared. The answer is a line with the document of each run.
"""

from __future__ import annotations

import json
import sys

import probsense as ps


def main() -> None:
    """Answer each line."""
    for line in sys.stdin:
        asked = json.loads(line)
        runs = [
            ps.evaluate(
                asked["task"],
                ps.load_model(spec, **options),
                store=asked["store"],
                quiet=True,
                **asked["options"],
            )
            for spec, options in asked["models"]
        ]
        ps.report(asked["page"], *runs)
        if asked["compare"]:
            ps.compare(*runs)
        print(json.dumps([run.to_json() for run in runs]), flush=True)


if __name__ == "__main__":
    main()
