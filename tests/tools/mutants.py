"""Puts faults into the code, one by one, and sees that the tests catch each.

    python tests/tools/mutants.py [FUNCTION ...]

``tests/mutants.yaml`` is the table, by rooms of the package: the name of a function, an expression of it, what that
becomes, and the test that catches it. A function is found wherever it is in its room, so moving it changes nothing
here. Faults go into copies of the repository, never into the repository itself. A fault that its test does not catch
is put to all tests of ``make test``, those nearest to it first, and the table is written anew. It fails if a fault
remains.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

import yaml

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "mutants.yaml"
SOURCE = Path("src", "probsense")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "demo", "_build")
SECONDS = 900


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and the test that catches it ("" for not known)."""

    room: str
    function: str
    expression: str
    becomes: str
    caught: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression is in a file: its bytes from ``start`` to ``end``."""

    path: Path
    start: int
    end: int


def read_faults() -> list[Fault]:
    """Read the table."""
    rooms = yaml.safe_load(TABLE.read_text())
    return [Fault(room, **entry) for room, entries in rooms.items() for entry in entries]


def write_faults(faults: Sequence[Fault]) -> None:
    """Write the table."""
    rooms = {room: [] for room in yaml.safe_load(TABLE.read_text())}
    for fault in faults:
        entry = asdict(fault)
        rooms[entry.pop("room")].append(entry)
    TABLE.write_text(yaml.safe_dump(rooms, sort_keys=False, width=200, allow_unicode=True))


def find(fault: Fault, source: Path = ROOT / SOURCE) -> Place:
    """Find the one place of a fault in its room.

    Raises
    ------
    LookupError
        If there is none, or are several.
    """
    places = [place for path in sorted((source / fault.room).rglob("*.py")) for place in _places(fault, path)]
    if len(places) != 1:
        raise LookupError(
            f"{fault.expression!r} stands {len(places)} times in functions of {fault.room} called {fault.function}"
        )
    return places[0]


def _places(fault: Fault, path: Path) -> Iterator[Place]:
    text = path.read_text()
    if fault.function.rpartition(".")[2] not in text:
        return
    wanted = {fault.expression, ast.unparse(ast.parse(fault.expression)).strip()}
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for name, function in _functions(ast.parse(text), ""):
        if name == fault.function:
            for node in ast.walk(function):
                # A statement that is nothing but an expression stands where the expression stands.
                if isinstance(node, ast.expr | ast.keyword) and ast.unparse(node) in wanted:
                    yield Place(
                        path,
                        lines[node.lineno - 1] + node.col_offset,
                        lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0),
                    )


def _functions(tree: ast.AST, inside: str) -> Iterator[tuple[str, ast.AST]]:
    """List functions and methods by their names, as in ``Class.method``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{inside}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{inside}{node.name}.")


def nearest(module: Path) -> list[str]:
    """Return where to look for a test that catches a fault: the tests nearest to its module, and all."""
    folders = [Path("tests", *module.parts[2:depth]) for depth in range(len(module.parts) - 1, 2, -1)]
    return [*[str(path) for path in folders if (ROOT / path).is_dir()][:1], "tests"]


def caught(fault: Fault, copy: Path) -> str:
    """Put a fault into a copy of the repository; return the test that catches it, "" for none."""
    place = find(fault, copy / SOURCE)
    before = place.path.read_bytes()
    place.path.write_bytes(before[: place.start] + fault.becomes.encode() + before[place.end :])
    try:
        for tests in filter(None, [fault.caught, *nearest(place.path.relative_to(copy))]):
            if found := _failing(copy, tests):
                return found
    finally:
        place.path.write_bytes(before)
    return ""


def _failing(copy: Path, tests: str) -> str:
    words = ["-xq", "--no-header", "-pno:cacheprovider", "--tb=no", "-rfE", "--ignore=tests/test_mutants.py"]
    more = {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, tests],
        cwd=copy,
        env=os.environ | more,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    named = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return named[0].partition("[")[0] if named else ""


def main() -> None:
    """Put the faults of the table to the tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("function", nargs="*", help="put the faults of these functions alone")
    chosen = parser.parse_args().function
    wanted = [fault for fault in read_faults() if not chosen or fault.function in chosen]
    workers, lock = os.cpu_count() or 1, Lock()
    with tempfile.TemporaryDirectory() as scratch:
        copies = SimpleQueue()
        for number in range(workers):
            copies.put(Path(shutil.copytree(ROOT, Path(scratch, str(number)), ignore=LEFT_OUT)))

        def attempt(fault: Fault) -> str:
            copy = copies.get()
            try:
                found = caught(fault, copy)
            finally:
                copies.put(copy)
            with lock:
                write_faults([replace(one, caught=found) if one == fault else one for one in read_faults()])
                said = f"{fault.function}: {fault.expression} -> {fault.becomes}"
                print(f"{said}: {found or 'NOT CAUGHT'}", flush=True)
            return found

        with ThreadPoolExecutor(workers) as pool:
            found = [*pool.map(attempt, wanted)]
    print(f"{sum(map(bool, found))} of {len(found)} faults are caught")
    sys.exit(not all(found))


if __name__ == "__main__":
    main()
