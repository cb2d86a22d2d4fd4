"""Run in an environment with the base dependencies alone (``make minimal``): what needs no model works there."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def probsense(*words: str, code: int = 0) -> str:
    """The standard output of a command that must end with ``code``."""
    done = subprocess.run(
        [sys.executable, "-m", "probsense", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"probsense {' '.join(words)}: {done.returncode}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def main() -> None:
    """Generate, audit, run and analyse without torch."""
    for heavy in ("torch", "transformers", "pandas", "altair"):
        assert importlib.util.find_spec(heavy) is None, f"{heavy} is installed here"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "set"
        store = str(Path(name) / "answers.db")
        probsense("generate", "worldsense", str(folder), "--problems", "all", "--quiet")
        audit = json.loads(probsense("audit", "worldsense", str(folder), "--json"))
        assert audit["trials"] == audit["parsed"] > 2000, audit
        assert audit["wrong"] == [], audit["wrong"][:3]
        for model in ("random", "oracle:"):
            words = ("--model", model, "--data", str(folder), "--store", store, "--quiet")
            probsense("run", "worldsense", *words, "--write-results", str(folder))
        analysis = json.loads(probsense("analyse", "worldsense", str(folder), "--json"))
        right = [e["value"] for e in analysis["estimates"] if e["by"]["model"] == "oracle"]
        assert 1.0 in right, right
        words = ("--store", store, "--write-results", name, "--quiet")
        probsense("run", "judgments", "--model", "random:1", *words)
        majority = Path(name) / "majority.csv"
        majority.write_text("statement_id,majority\n" + "".join(f"{i},{i % 2}\n" for i in range(48)))
        words = ("--ratings", f"{name}/random-1_ratings.csv", "--majority", str(majority), "--json")
        judged = json.loads(probsense("analyse", "judgments", *words))
        assert any(e["measure"] == "awareness" for e in judged["estimates"])
        refused = probsense("figure", "accuracy", str(folder), "--out", f"{name}/accuracy.pdf", code=1)
        assert "[report]" in refused, refused
        refused = probsense("run", "worldsense", "--model", "builtin:tiny", "--store", store, code=1)
        assert "[hf]" in refused, refused
        study = Path(name) / "study.yaml"
        asked = "items: [{kind: statement, statements: [Dogs bark.], q1: Really so}]"
        study.write_text(f"title: T\nconsent: C\ninstructions: I\nper_item: 3\n{asked}\n")
        assert "3 people at least" in probsense("collect", "check", str(study))
        refused = probsense("collect", str(study), code=1)
        assert "[collect]" in refused, refused
    print("1 passed, 0 failed (minimal install)")


if __name__ == "__main__":
    main()
