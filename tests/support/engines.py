"""Tests ProbSense with the engines of tests/engines, each in an environment of its own.

    python3 tests/support/engines.py [NAME ...] [--changed] [--minutes N] [--only-set-up]

An engine that cannot be installed, and a test that is skipped, fail; only where the package index cannot be reached is
an engine left out. With ``--changed``, so is an engine whose tests passed with the very files and pins that they depend
on now: ``tests/engines/digests.json`` holds a digest of these, and the day. After the minutes of ``--minutes``, what is
under way stops and stays due for the next run; what passed longest ago begins. Needs nothing but Python and pip.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal

ROOT: Final = Path(__file__).parents[2]
TINY_PACKAGE: Final = "iniconfig==2.3.1"
"""What is downloaded to see whether the package index can be reached."""
HELPERS: Final = ("tests", "benchmarks", "benchmarks/scoring", "training")
"""Where the modules lie that tests import beside the package."""
EXCUSE: Final = "cannot be downloaded"
"""The one reason for which a test may be skipped."""

Call = Callable[[Sequence[str], Mapping[str, str]], tuple[int, str]]
"""Runs a command with additional environment variables; returns its exit status and output."""


@dataclass(frozen=True)
class Engine:
    """An engine as its table in engines.toml describes it."""

    name: str
    what: str
    install: list[str]
    imports: str
    source: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """What became of an engine, and the lines that tell it."""

    state: Literal["passed", "failed", "left out"]
    lines: list[str]
    record: bool = False


def engines(root: Path) -> dict[str, Engine]:
    """Return the engines by their names, in the order of engines.toml."""
    tables = tomllib.loads((root / "tests/engines/engines.toml").read_text())
    return {name: Engine(name, **table) for name, table in tables.items()}


def digest(root: Path, engine: Engine) -> str:
    """Return the digest of all files and pins on which the tests of an engine depend."""
    folder = root / "tests/engines"
    tests = [*_files(folder / engine.name), *_files(folder / "conftest.py")]
    package = root / "src/probsense"
    source = [file for name in engine.source for file in _files(package / name)]
    known = {*tests, *source, *imported(source, [root / "src"])}
    known |= imported(tests, [root / name for name in HELPERS])
    whole = hashlib.sha256()
    for file in sorted(known):
        content = file.read_bytes()
        whole.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    whole.update(json.dumps(pins(root, engine)).encode())
    return whole.hexdigest()


def _files(path: Path) -> list[Path]:
    """Return a file, or the files in a folder, without those that Python leaves there."""
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    return [file for file in found if file.is_file() and "__pycache__" not in file.parts]


def imported(files: Sequence[Path], folders: Sequence[Path]) -> set[Path]:
    """Return the modules in some folders that files import, one through another, other than for types alone."""
    seen, todo = set[Path](), [file for file in files if file.suffix == ".py"]
    while todo:
        file = todo.pop()
        for name in _names(ast.parse(file.read_text())):
            parts = name.split(".")
            for folder in folders:
                for end in range(1, len(parts) + 1):
                    module = folder.joinpath(*parts[:end])
                    found = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
                    if found.is_file() and found not in seen:
                        seen.add(found)
                        todo.append(found)
    return seen


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names of modules, and of what is taken from them, that a syntax tree imports."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (one.name for one in child.names)
        elif isinstance(child, ast.ImportFrom) and not child.level:
            yield from (f"{child.module}.{one.name}" for one in child.names)
        else:
            yield from _names(child)


def pins(root: Path, engine: Engine) -> list[str]:
    """Return what an engine's environment is made of: its table, its requirements and the constraints on them."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    words = [word for line in engine.install for word in shlex.split(line)]
    found, todo = set[str](), [word for word in words if not word.startswith("-")]
    while todo:
        requirement = todo.pop()
        found.add(requirement)
        own = re.match(r"(?:\.|probsense)\[([^\]]*)\]", requirement)
        extras = own[1].split(",") if own else []
        more = [*project["dependencies"]] if own else []
        more += [one for extra in extras for one in project["optional-dependencies"][extra.strip()]]
        todo += {*more} - found
    if "constraints.txt" in words:
        names = {_package(requirement) for requirement in found}
        lines = (root / "constraints.txt").read_text().splitlines()
        found |= {line for line in lines if _package(line) in names}
    return [json.dumps(vars(engine)), *sorted(found)]


def _package(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~;# ]", requirement)[0].lower())


def recorded(root: Path) -> dict[str, dict[str, str]]:
    """Return digest and day of the last passing run of each engine."""
    file = root / "tests/engines/digests.json"
    found: dict[str, dict[str, str]] = json.loads(file.read_text()) if file.exists() else {}
    return found


def record(root: Path, name: str, value: str) -> None:
    """Write down that the tests of an engine passed today."""
    rows = recorded(root) | {name: {"digest": value, "passed": date.today().isoformat()}}
    lines = (f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(rows.items()))
    file = root / "tests/engines/digests.json"
    whole = file.with_suffix(".new")  # other engines read the file meanwhile
    whole.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    whole.replace(file)


class Bench:
    """Sets up environments and runs the tests in them."""

    def __init__(self, root: Path, call: Call, say: Callable[[str], None]) -> None:
        self.root, self.call, self.say = root, call, say

    def set_up(self, engine: Engine) -> Result:
        """Make the environment of an engine unless it is there as it should be."""
        folder = self.root / f".venv-{engine.name}"
        stamp, wanted = folder / ".made-from", self._made_from(engine)
        if stamp.exists() and stamp.read_text() == wanted:
            return Result("passed", [])
        started = time.monotonic()
        self.say(f"{engine.name}: sets up {folder.name} with {engine.what}")
        shutil.rmtree(folder, ignore_errors=True)
        python = str(folder / "bin/python")
        pip = [python, "-m", "pip"]
        steps = [[sys.executable, "-m", "venv", str(folder)]]
        steps += [[*pip, "install", "-q", "--no-compile", *shlex.split(line)] for line in engine.install]
        steps += [[*pip, "uninstall", "-q", "-y", *engine.remove]] if engine.remove else []
        steps += [[python, "-c", f"import {engine.imports}"]]
        for step in steps:
            status, output = self.call(step, engine.environment)
            if status and "install" in step and not self._index_answers(pip):
                return Result("left out", ["left out: the package index cannot be reached"])
            if status:
                return Result("failed", [output.rstrip(), f"failed at: {shlex.join(step[1:])}"])
        stamp.write_text(wanted)
        return Result("passed", [f"set up in {time.monotonic() - started:.0f} s"])

    def _made_from(self, engine: Engine) -> str:
        """Return a digest of all that an environment is made from."""
        made = [*pins(self.root, engine), sys.version]
        made += [json.dumps(tomllib.loads((self.root / "pyproject.toml").read_text())["project"])]
        if any("constraints.txt" in line for line in engine.install):
            made += [(self.root / "constraints.txt").read_text()]
        return hashlib.sha256("\n".join(made).encode()).hexdigest()

    def _index_answers(self, pip: Sequence[str]) -> bool:
        """Look whether a small package can be downloaded."""
        with tempfile.TemporaryDirectory() as folder:
            words = ["download", "-q", "--no-deps", "--no-cache-dir", "--dest", folder, TINY_PACKAGE]
            return self.call([*pip, *words], {})[0] == 0

    def test(self, engine: Engine) -> Result:
        """Run the tests of an engine in its finished environment."""
        self.say(f"{engine.name}: runs tests/engines/{engine.name}")
        for old in self.root.glob(f".coverage.{engine.name}.*"):
            old.unlink()
        python = str(self.root / f".venv-{engine.name}" / "bin/python")
        with tempfile.TemporaryDirectory() as temporary:
            report = Path(temporary) / "report.xml"
            words = ["-m", "coverage", "run", "-m", "pytest", f"tests/engines/{engine.name}", "-q"]
            words += ["-m", "slow or not slow", "--hypothesis-profile=all", f"--junit-xml={report}"]
            data = {"COVERAGE_FILE": str(self.root / f".coverage.{engine.name}")}
            status, output = self.call([python, *words], engine.environment | data)
            run, skipped = _counted(report)
        bad = [why for why in skipped if EXCUSE not in why]
        last = output.rstrip().splitlines()[-1:] or ["pytest said nothing"]
        if status or not run:
            return Result(
                "failed", [output.rstrip(), f"failed: pytest ended with {status} after {run} tests"]
            )
        if bad:
            return Result("failed", [*last, *(f"failed, since a test was skipped: {why}" for why in bad)])
        return Result("passed", [*last, *(f"skipped: {why}" for why in skipped)], record=not skipped)


def _counted(report: Path) -> tuple[int, list[str]]:
    """Return how many tests ran, and why others did not."""
    if not report.exists():
        return 0, []
    cases = list(ET.parse(report).getroot().iter("testcase"))
    skipped = [one.get("message", "") for case in cases for one in case.iter("skipped")]
    return len(cases) - len(skipped), skipped


class OutOfTime(Exception):  # noqa: N818 (nothing is in error)
    """The minutes of this run are over."""


def run(words: Sequence[str], environment: Mapping[str, str], end: float = math.inf) -> tuple[int, str]:
    """Run a command in the root, until a time at most; return its exit status and all that it said."""
    left = end - time.monotonic()
    if left <= 0:
        raise OutOfTime
    process = subprocess.Popen(
        words,
        cwd=ROOT,
        env=os.environ | environment,
        stdout=-1,
        stderr=-2,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=None if math.isinf(left) else left)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise OutOfTime from None
    return process.returncode, said


def main(arguments: Sequence[str] | None = None, root: Path = ROOT, call: Call | None = None) -> int:
    """Test with the engines that are asked for; return 1 where one failed, else 0."""
    known = engines(root)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"an engine ({', '.join(known)}), or all")
    parser.add_argument(
        "--changed", action="store_true", help="leave out what is as it was when its tests passed"
    )
    parser.add_argument("--only-set-up", action="store_true", help="make the environments, and run no test")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, metavar="N", help="stop after so many (default: never)"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="engines side by side (default: 2)")
    given: Any = parser.parse_args(arguments)
    if wrong := [name for name in given.names if name not in known]:
        parser.error(f"no engine {wrong[0]!r} (expected one of {', '.join(known)})")
    lock = Lock()

    def say(*lines: str) -> None:
        with lock:
            print(*lines, sep="\n", flush=True)

    def tell(engine: Engine, result: Result) -> None:
        if result.lines:
            say(*(line if "\n" in line else f"{engine.name}: {line}" for line in result.lines))

    end = time.monotonic() + 60 * given.minutes
    bench = Bench(root, call or partial(run, end=end), say)
    before = recorded(root)

    def ended_well(engine: Engine) -> bool:
        now, last = digest(root, engine), before.get(engine.name, {})
        if given.changed and last.get("digest") == now:
            say(f"{engine.name}: unchanged since its tests passed on {last['passed']}")
            return True
        try:
            result = bench.set_up(engine)
            tell(engine, result)
            if result.state == "passed" and not given.only_set_up:
                result = bench.test(engine)
                tell(engine, result)
        except OutOfTime:
            say(f"{engine.name}: due in the next run, since {given.minutes:g} minutes are over")
            return True
        if result.record:
            with lock:
                record(root, engine.name, now)
        return result.state != "failed"

    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        wanted = [engine for name, engine in known.items() if not given.names or name in given.names]
        if given.changed:
            wanted.sort(key=lambda engine: before.get(engine.name, {}).get("passed", ""))
        return 0 if all([*pool.map(ended_well, wanted)]) else 1


if __name__ == "__main__":
    sys.exit(main())
