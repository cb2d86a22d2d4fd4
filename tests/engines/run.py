"""Tests ProbSense with the engines of tests/engines, each in an environment of its own.

    python3 tests/engines/run.py [NAME ...] [--changed] [--minutes N]

An engine that cannot be installed, and a test that is skipped, fail; only where the package index cannot be reached is
an engine left out. With ``--changed``, so is an engine whose tests passed with the very files and requirements that
they depend on now: ``tests/engines/digests.json`` holds a digest of these, and the day. After the minutes of
``--minutes``, what is under way stops and stays due for the next run; what passed longest ago begins. Needs nothing but
Python and pip.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
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

ROOT = Path(__file__).parents[2]
DIGESTS = "tests/engines/digests.json"
TINY_PACKAGE = "iniconfig==2.3.1"
"""What is looked for to see whether the package index can be reached."""
HELPERS = ("tests", "benchmarks", "benchmarks/scoring", "training")
"""Where the modules lie that tests import beside the package."""
EXCUSE = "cannot be downloaded"
"""The one reason for which a test may be skipped."""
TOGETHER = 2
"""Engines that are tested at the same time."""

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


class Failed(Exception):  # noqa: N818
    """An engine cannot be installed, or its tests fail: what was said, and where."""


class LeftOut(Exception):  # noqa: N818
    """An engine is not tested, for no fault of its own."""


def engines(root: Path) -> dict[str, Engine]:
    """Return the engines by their names, in the order of engines.toml."""
    tables = tomllib.loads((root / "tests/engines/engines.toml").read_text())
    return {name: Engine(name, **table) for name, table in tables.items()}


def requirements(root: Path, engine: Engine) -> bytes:
    """Return all that an engine's environment is made from."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    needs = project["dependencies"], project["optional-dependencies"]
    return json.dumps([vars(engine), needs, (root / "constraints.txt").read_text()]).encode()


def digest(root: Path, engine: Engine) -> str:
    """Return the digest of all files and requirements on which the tests of an engine depend."""
    folder = root / "tests/engines"
    tests = [*_files(folder / engine.name), *_files(folder / "conftest.py")]
    source = [file for name in engine.source for file in _files(root / "src/probsense" / name)]
    known = {*tests, *source, *imported(source, [root / "src"])}
    known |= imported(tests, [root / name for name in HELPERS])
    whole = hashlib.sha256(requirements(root, engine))
    for file in sorted(known):
        content = file.read_bytes()
        whole.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
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


def recorded(root: Path) -> dict[str, dict[str, str]]:
    """Return digest and day of the last passing run of each engine."""
    file = root / DIGESTS
    return json.loads(file.read_text()) if file.exists() else {}


def record(root: Path, name: str, value: str) -> None:
    """Write down that the tests of an engine passed today."""
    rows = recorded(root) | {name: {"digest": value, "passed": date.today().isoformat()}}
    (root / DIGESTS).write_text(json.dumps(rows, indent=2, sort_keys=True) + "\n")


def set_up(root: Path, engine: Engine, call: Call, say: Callable[[str], None]) -> None:
    """Make the environment of an engine unless it is there as it should be."""
    folder = root / f".venv-{engine.name}"
    stamp = folder / ".made-from"
    wanted = hashlib.sha256(requirements(root, engine) + sys.version.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    say(f"sets up {folder.name} with {engine.what}")
    shutil.rmtree(folder, ignore_errors=True)
    python = str(folder / "bin/python")
    pip = [python, "-m", "pip"]
    steps = [[sys.executable, "-m", "venv", str(folder)]]
    steps += [[*pip, "install", "-q", "--no-compile", *shlex.split(line)] for line in engine.install]
    steps += [[*pip, "uninstall", "-q", "-y", *engine.remove]] if engine.remove else []
    steps += [[python, "-c", f"import {engine.imports}"]]
    small = [*pip, "install", "-q", "--dry-run", "--ignore-installed", "--no-cache-dir", TINY_PACKAGE]
    for step in steps:
        status, output = call(step, engine.environment)
        if status and "install" in step and call(small, {})[0]:
            raise LeftOut("left out: the package index cannot be reached")
        if status:
            raise Failed(output.rstrip(), f"failed at: {shlex.join(step[1:])}")
    stamp.write_text(wanted)


def test(root: Path, engine: Engine, call: Call, say: Callable[[str], None]) -> bool:
    """Run the tests of an engine in its finished environment; return whether all of them ran."""
    say(f"runs tests/engines/{engine.name}")
    for old in root.glob(f".coverage.{engine.name}.*"):
        old.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report.xml"
        words = ["-m", "coverage", "run", "-m", "pytest", f"tests/engines/{engine.name}", "-q"]
        words += ["-m", "slow or not slow", "--hypothesis-profile=all", f"--junit-xml={report}"]
        data = {"COVERAGE_FILE": str(root / f".coverage.{engine.name}")}
        python = str(root / f".venv-{engine.name}" / "bin/python")
        status, output = call([python, *words], engine.environment | data)
        cases = [*ET.parse(report).iter("testcase")] if report.exists() else []
    skipped = [one.get("message", "") for case in cases for one in case.iter("skipped")]
    ran = len(cases) - len(skipped)
    if status or not ran:
        raise Failed(output.rstrip(), f"failed: pytest ended with {status} after {ran} tests")
    if bad := [why for why in skipped if EXCUSE not in why]:
        raise Failed(*(f"failed, since a test was skipped: {why}" for why in bad))
    for line in (*output.rstrip().splitlines()[-1:], *(f"skipped: {why}" for why in skipped)):
        say(line)
    return not skipped


def run(words: Sequence[str], environment: Mapping[str, str], end: float = math.inf) -> tuple[int, str]:
    """Run a command in the root, until a time at most; return its exit status and all that it said."""
    own = {"cwd": ROOT, "env": os.environ | environment, "text": True, "errors": "replace"}
    process = subprocess.Popen(words, stdout=-1, stderr=-2, start_new_session=True, **own)
    try:
        said, _ = process.communicate(timeout=None if math.isinf(end) else end - time.monotonic())
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise LeftOut("due in the next run, since its minutes are over") from None
    return process.returncode, said


def main(arguments: Sequence[str] | None = None, root: Path = ROOT, call: Call | None = None) -> int:
    """Test with the engines that are asked for; return 1 where one failed, else 0."""
    known = engines(root)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"an engine ({', '.join(known)}), or all")
    parser.add_argument("--changed", action="store_true", help="leave out what is as it was when it passed")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="stop after so many")
    given = parser.parse_args(arguments)
    if wrong := [name for name in given.names if name not in known]:
        parser.error(f"no engine {wrong[0]!r} (expected one of {', '.join(known)})")
    lock, before = Lock(), recorded(root)
    call = call or partial(run, end=time.monotonic() + 60 * given.minutes)

    def ended_well(engine: Engine) -> bool:
        def say(line: str) -> None:
            with lock:
                print(line if "\n" in line else f"{engine.name}: {line}", flush=True)

        now, last = digest(root, engine), before.get(engine.name, {})
        if given.changed and last.get("digest") == now:
            say(f"unchanged since its tests passed on {last['passed']}")
            return True
        try:
            set_up(root, engine, call, say)
            if test(root, engine, call, say):
                with lock:
                    record(root, engine.name, now)
        except LeftOut as why:
            say(str(why))
        except Failed as why:
            for line in why.args:
                say(line)
            return False
        return True

    with ThreadPoolExecutor(TOGETHER) as pool:
        wanted = [engine for name, engine in known.items() if not given.names or name in given.names]
        if given.changed:
            wanted.sort(key=lambda engine: before.get(engine.name, {}).get("passed", ""))
        return 0 if all([*pool.map(ended_well, wanted)]) else 1


if __name__ == "__main__":
    sys.exit(main())
