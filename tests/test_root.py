"""What stands at the root of the repository, which is what a stranger sees first."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [
    *(".ci", ".github", "benchmarks", "docs", "examples", "packaging", "paper", "src", "tests", "training"),
]
FILES = [
    *(".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    *("codemeta.json", "constraints.txt", "pyproject.toml"),
]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the tests are in no checkout of git")
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_nothing_stands_at_the_root_that_was_not_meant_to() -> None:
    words = ("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z")
    tracked = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in tracked.split("\0") if name]
    assert sorted({path.parts[0] for path in paths if len(path.parts) > 1}) == FOLDERS
    assert sorted(path.name for path in paths if len(path.parts) == 1) == FILES
