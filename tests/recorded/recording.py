"""Records what many commands print and write, and compares it with what is on record.

``python tests/recorded/recording.py --check`` shows what differs, by command; ``--only NAME …`` looks at some stories
or commands. ``--update NAME …`` puts what these print now on record. It knows no more of ProbSense than its command, so
it runs on any version that is on the path of Python.

The commands stand in ``tests/recorded/commands.toml``: stories of commands that share a folder, each command with a
name. A command with an "@" is one of :data:`HELPERS`.
"""

from __future__ import annotations

import argparse
import base64
import bz2
import difflib
import io
import json
import lzma
import math
import os
import re
import shlex
import sqlite3
import sys
import tempfile
import tomllib
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RECORD = HERE / "outputs.json.xz"
SHOWN = 24
"""Lines of a difference."""
BINARY = {".db", ".parquet", ".pdf", ".png"}
SETTINGS = {
    "COLUMNS": "100",
    "TERMINAL_WIDTH": "100",
    "OMP_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "PROBSENSE_PRODUCTS": "torch",
}
UNSET = (
    *("FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR", "PY_COLORS", "no_proxy", "NO_PROXY"),
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "PROBSENSE_DATA_URL", "PROBSENSE_DEBUG", "PROBSENSE_WORDNET"),
)
PACKAGES = "numpy|polars|probsense|python|tokenizers|torch|transformers"
CHANGING = {
    r"20\d\d-\d\d-\d\d([T ])\d\d:\d\d(:\d\d)?(\.\d+)?": r"2000-01-01\1<time>",
    r"\b\d{1,2} (?:Jan|Febr|March|April|May|June|July|Aug|Sept|Oct|Nov|Dec)[a-z]* 20\d\d\b": "<date>",
    r'("seconds": )\d[\d.e-]*': r"\1<seconds>",
    r"(?m)^.+: ([\d,]+) of (?!\1 )[\d,]+ items.*\n": "",
    r"( of [\d,]+ items), [\d,.]+ (?:items/s|s for each item)": r"\1",
    r", [\d,]+ tokens/s": "",
    # Runs that begin in the same second have these in one table, and others in another.
    r'<tr><th scope="row">(?:Started|Finished)</th>.*\n': "",
    # Several options are asked at once, and the first that fails is named.
    r"(tokens are those of the option) ' \w+'": r"\1 <option>",
    r"probsense \d+\.\d+\.\d+\w*": "probsense <version>",
    r"the same within \S+": "the same within <rounding>",
    r"(?m)^(?:examining|getting|measuring|reading|starting|trying|writing) .* …\n": "",
}
"""What changes by itself, and what stands for it."""
MACHINE = re.compile(
    rf'(\\?"(?:{PACKAGES})\\?": \\?"|› (?:{PACKAGES})(?:</th><td>| +))[^\s<"\\]+'
    r'|(\\?"digest\\?": \\?")[0-9a-f]{32}'
)
"""Versions of packages, and digests of figures, whose last digits differ between processors."""
PACKED = re.compile(r'(?<=id="packed">)[\w+/=]+')
NUMBER = re.compile(r" *(-?\d+(?:\.\d+(?:e[+-]?\d+)?|e-\d+))")

Parts = dict[str, Any]
"""Of a command: its words, its exit code, both outputs, and each file that it wrote or changed."""
Outputs = dict[str, Parts]


def record(names: Collection[str] = ()) -> Outputs:
    """Run the commands of all stories, or those that are named by story or command, with what goes before them."""
    from support.servers import hostile

    stories = tomllib.loads((HERE / "commands.toml").read_text())
    found = {}
    with tempfile.TemporaryDirectory() as made, hostile.serving() as server:
        root = Path(made).resolve()
        os.environ.update(SETTINGS | {"http_proxy": server.url.removesuffix("/v1")})
        os.environ.update(PROBSENSE_CACHE=str(root / "cache"), PROBSENSE_DATA=str(root / "data"))
        for story, told in stories.items():
            wanted = [
                name
                for name in told["commands"]
                if not name.startswith("@") and (not names or {story, f"{story}.{name}"} & {*names})
            ]
            if wanted:
                folder = root / story
                folder.mkdir()
                for name, parts in _tell(told, folder, wanted[-1]):
                    if name in wanted:
                        found[f"{story}.{name}"] = parts
    return found


def _tell(story: Mapping[str, Any], folder: Path, last: str) -> Iterator[tuple[str, Parts]]:
    """Run the commands of a story up to one of them."""
    for path, text in story.get("files", {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    before = _files(folder)
    for name, line in story["commands"].items():
        words = shlex.split(line)
        with chdir(folder):
            parts = HELPERS[words[0]](*words[1:]) if words[0] in HELPERS else _run(words)
        after = _files(folder)
        written = {path: text for path, text in after.items() if before.get(path) != text}
        parts |= {f"file {path}": _shown(path, text) for path, text in written.items()}
        parts |= {f"file {path}": "removed" for path in before.keys() - after.keys()}
        before = after
        plain = {
            part: _plain(text, folder) if isinstance(text, str) else text for part, text in parts.items()
        }
        yield name, {"words": line, **plain}
        if name == last:
            break


def _run(words: list[str]) -> Parts:
    """Run ``probsense`` in this process."""
    from probsense.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    sys.argv = ["probsense", *words]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


def _reply(asked: str, answered: str) -> Parts:
    """Answer a batch as an endpoint does, all but the last request."""
    from support.servers import hostile

    lines = []
    for text in Path(asked).read_text().splitlines():
        one = json.loads(text)
        response = {"status_code": 200, "body": hostile.truth(one["url"], one["body"])}
        lines.append({"custom_id": one["custom_id"], "response": response})
    lines[-1]["response"] = {"status_code": 500, "body": {"error": {"message": "out of order"}}}
    Path(answered).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return {}


def restore(dump: str, database: str) -> Parts:
    """Make a file of SQLite."""
    with closing(sqlite3.connect(database)) as db:
        db.executescript((HERE / dump).read_text())
    return {}


def _cut(path: str, lines: str) -> Parts:
    """Leave out the first lines of a file."""
    text = Path(path).read_text().splitlines(keepends=True)
    Path(path).write_text("".join(text[int(lines) :]))
    return {}


HELPERS = {"@reply": _reply, "@restore": restore, "@cut": _cut}


def _files(folder: Path) -> dict[str, bytes]:
    """Read every file in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm", "-journal"))
    }


def _shown(path: str, content: bytes) -> str:
    """Show the text of a file; of a binary one, only that there is one."""
    if Path(path).suffix in BINARY:
        return "binary"
    return (bz2.decompress(content) if path.endswith(".bz2") else content).decode(errors="backslashreplace")


def _plain(text: str, folder: Path) -> str:
    """Replace what changes by itself."""
    import probsense

    places = {"folder": folder, "root": folder.parent, "probsense": Path(*probsense.__path__)}
    for name, path in places.items():
        text = text.replace(str(path), f"<{name}>")
    for pattern, instead in CHANGING.items():
        text = re.sub(pattern, instead, text)
    for day in {datetime.now(UTC).date(), datetime.now().astimezone().date()}:
        text = text.replace(day.isoformat(), "2000-01-01")
    return text


def differences(known: Outputs, found: Outputs) -> Iterator[tuple[str, str]]:
    """Yield each command that differs, with the first differences as a diff.

    What a model computes may be off by one unit of the last digit, or by some hundred-thousandths. Other numbers may be
    off by what two processors round differently.
    """
    for name in [*known, *(found.keys() - known.keys())]:
        old, new = (_unpacked(parts.get(name, {})) for parts in (known, found))
        parts = [
            part
            for part in [*old, *(new.keys() - old.keys())]
            if not _same(name, old.get("words", ""), old.get(part), new.get(part))
        ]
        if parts:
            yield name, "".join(_diff(part, str(old.get(part, "")), str(new.get(part, ""))) for part in parts)


def _unpacked(parts: Parts) -> Parts:
    """Show the data that pages hold compressed, and nothing of the machine."""
    return {
        part: MACHINE.sub(_of_a_machine, PACKED.sub(_unpack, text)) if isinstance(text, str) else text
        for part, text in parts.items()
    }


def _of_a_machine(found: re.Match[str]) -> str:
    return f"{found[1]}<version>" if found[1] else f"{found[2]}<digest>"


def _unpack(found: re.Match[str]) -> str:
    return zlib.decompress(base64.b64decode(found[0])).decode().replace(",", ",\n")


def _diff(part: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{part}, on record", f"{part}, now", n=1, lineterm=""
    )
    shown = [line[:240] for line, _ in zip(lines, range(SHOWN), strict=False)]
    return "".join(f"{line}\n" for line in shown)


def _same(story: str, words: str, old: object, new: object) -> bool:
    """Whether a part of a command is as it was, but for the last digits of what is computed."""
    if old == new or old is None or new is None:
        return old == new
    texts, others = NUMBER.split(str(old)), NUMBER.split(str(new))
    close = _close if "builtin:" in f"{words} {old}" and not story.startswith("help.") else _equal
    return texts[::2] == others[::2] and all(map(close, texts[1::2], others[1::2]))


def _close(old: str, new: str) -> bool:
    """Whether two numbers differ by at most one unit of the last digit, or by what processors make of float32."""
    unit = 10.0 ** int(Decimal(old).as_tuple().exponent)
    return math.isclose(float(old), float(new), rel_tol=1e-4, abs_tol=1.01 * unit)


def _equal(old: str, new: str) -> bool:
    """Whether two numbers are equal, but for the order in which a processor adds."""
    return math.isclose(float(old), float(new), rel_tol=1e-9, abs_tol=1e-12)


def read() -> Outputs:
    """Read the record."""
    return json.loads(lzma.decompress(RECORD.read_bytes()))


def write(outputs: Outputs) -> None:
    """Write the record."""
    text = json.dumps(outputs, ensure_ascii=False, indent=0)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]
    RECORD.write_bytes(lzma.compress(text.encode(), filters=filters))


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is on record")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="stories or commands")
    parser.add_argument("--update", nargs="+", default=[], metavar="NAME", help="put these on record")
    chosen = parser.parse_args()
    for name in UNSET:
        os.environ.pop(name, None)
    os.environ.update(SETTINGS)
    known, names = read(), chosen.update or chosen.only
    found = record(names)
    if chosen.update:
        for name in {*chosen.update} & known.keys() - found.keys():
            del known[name]
        for name, _ in differences({name: known.get(name, {}) for name in found}, found):
            known[name] = found[name]
        write(known)
        return 0
    wanted = {name: parts for name, parts in known.items() if not names or name in found}
    differing = dict(differences(wanted, found))
    for name, diff in differing.items():
        print(f"# {name}: probsense {(found.get(name) or known[name])['words']}\n{diff}")
    print(f"{len(found)} commands of {Path(*sys.modules['probsense'].__path__)}, {len(differing)} differ")
    return int(bool(differing) or not found)


if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)
    sys.exit(main())
