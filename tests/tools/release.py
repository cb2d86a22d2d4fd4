"""Builds a release into dist, twice, and tries it as a user does: ``make release``.

dist/packages gets the wheel and the source, dist their checksums, the changelog's section and a bill of materials.
Runs in an environment with build, hatchling, twine, cyclonedx-bom, uv and pipx. It builds what is committed: equal
commits give equal bytes. With ``--tag``, the tag must name the version, and its section of the changelog must be final.
With ``--extras``, each extra is tried in the oldest versions that pyproject.toml allows, and in those of today.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLACES = ({"TZ": "UTC"}, {"TZ": "Pacific/Apia", "LC_ALL": "C", "PYTHONHASHSEED": "1"})
"""Environments of the two builds."""
TRIED = (
    "probsense --version",
    "probsense demo --help",
    "probsense run worldsense --model random:1 --limit 20 --quiet",
)
"""What an empty environment must do without a network."""
EXTRAS = {
    "hf": "tests/models/transformers/test_files.py tests/models/small/test_builtin.py",
    "tables": "tests/core/files/test_tables.py",
    "report": "tests/show/test_render.py",
    "wordnet": "tests/core/test_wordnet.py",
    "embed": "tests/tasks/frames/measures/test_similarities.py -k without_noise",
    "collect": "tests/studies/collect/server/test_serve.py",
    "ray": "tests/engines/ray/test_ray_room.py -k without_room",
    "lm-eval": "tests/engines/lm_eval/test_command.py",
    "inspect": "tests/engines/inspect/test_tasks.py -k figures",
    "gguf": "",
    "vllm": "",
    "bench": "",
}
"""The tests of each extra. Without any, its versions are found and not installed: llama.cpp has to be compiled, vLLM is
large (``make test-engines`` tries both in the oldest version), and ``bench`` is for comparisons of ours."""
TOOLS = ("coverage", "hypothesis", "pytest", "pytest-xdist", "xlsxwriter")
UV = Path(sys.executable).with_name("uv")
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


def notes(changelog: str, version: str) -> tuple[str, str]:
    """Return the heading and the text of a version's section of the changelog."""
    found = re.search(rf"(?ms)^## ({re.escape(version)}(?: [^\n]*)?)\n(.*?)(?=^## |\Z)", changelog)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no section {version}")
    return found[1], found[2].strip() + "\n"


def lowest(requirements: Sequence[str]) -> list[str]:
    """Return the oldest versions that requirements allow, as constraints."""
    return [re.sub(r"(?:\[.*?\])?>=", "==", one) for one in requirements]


def oldest(project: Mapping[str, Any], extra: str) -> list[str]:
    """Return the oldest versions of what an extra names, and the ranges of all that it builds upon."""
    optional = project["optional-dependencies"]
    own = [one for one in optional[extra] if not one.startswith(("torch>", "probsense["))]
    # Torch is what the constraints say: older ones bring gigabytes for accelerators.
    others = [name for one in optional[extra] for name in re.findall(r"probsense\[(.*)\]", one)]
    return [*lowest(own), *(one for name in others for one in optional[name]), *project["dependencies"]]


def run(*words: str | Path, **more: str) -> str:
    """Run a command in the root, with further environment variables, and return what it said."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        env=os.environ | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nfailed: {' '.join(map(str, words))}")
    return done.stdout


def build(folder: Path, epoch: str, umask: int, **more: str) -> dict[str, bytes]:
    """Build what is committed in a folder of its own; return the files by their names."""
    run("sh", "-c", f"umask {umask:03o}; mkdir {folder}; git archive HEAD | tar -xmC {folder}")
    words = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder)
    run("sh", "-c", f'umask {umask:03o}; exec "$@"', "sh", *words, SOURCE_DATE_EPOCH=epoch, **more)
    return {path.name: path.read_bytes() for path in sorted((folder / "dist").iterdir())}


def environment(folder: Path, wheel: Path, constraints: Path) -> Path:
    """Install a wheel into an empty environment, and return the folder of its commands."""
    venv.create(folder, with_pip=False)
    target = folder / ("Scripts" if os.name == "nt" else "bin")
    install = ("install", "--quiet", "--constraint", constraints, wheel)
    run(sys.executable, "-m", "pip", "--python", target / "python", *install)
    return target


def settings_of_uv() -> dict[str, str]:
    """Return an environment in which uv looks for packages where pip does."""
    found = {f"UV_{name[4:]}": value for name, value in os.environ.items() if name.startswith("PIP_")}
    return found | {"UV_INDEX_STRATEGY": "unsafe-best-match"}


def try_extras(place: Path, wheel: Path, project: Mapping[str, Any]) -> None:
    """Install a wheel with each extra, in the oldest versions and in those of today, and run the tests of the extra."""
    constraints = ROOT / "constraints.txt"
    names = {*TOOLS, "torch"}
    pins = [line for line in constraints.read_text().splitlines() if line.partition("==")[0] in names]
    (place / "pins.txt").write_text("\n".join(pins))
    for extra, tests in EXTRAS.items():
        old = ("-c", place / "pins.txt", "--resolution", "lowest-direct", *oldest(project, extra))
        new = () if extra == "vllm" else ("-c", constraints)  # It brings its own torch.
        for age, words in (("oldest", old), ("today", new)):
            began, folder = time.monotonic(), place / f"{age}-{extra}"
            run(UV, "venv", "--quiet", "--python", sys.executable, folder)
            python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
            wanted = (f"probsense[{extra}] @ {wheel.as_uri()}", *(TOOLS if tests else ["--dry-run"]))
            run(UV, "pip", "install", "--python", python, *wanted, *words, **settings_of_uv())
            if tests:
                test = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *shlex.split(tests))
                run(*test, OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")
            shutil.rmtree(folder)
            said = "its tests pass" if tests else "its versions fit"
            print(f"[{extra}], {age}: {said}, {time.monotonic() - began:.0f} s", flush=True)


def check_licences(bill: Path) -> None:
    """Refuse a bill of materials with a part whose licence it does not name."""
    parts = json.loads(bill.read_text())["components"]
    if bare := [part["name"] for part in parts if not part.get("licenses")]:
        raise SystemExit(f"{bill.name} names no licence of {', '.join(bare)}")


def main() -> None:
    """Build, check, try."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="such as v1.0.0")
    parser.add_argument("--extras", action="store_true", help="try each extra, in some fifteen minutes")
    chosen = parser.parse_args()
    tag = chosen.tag
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    heading, text = notes((ROOT / "CHANGELOG.md").read_text(), version)
    if tag and (tag != f"v{version}" or "unreleased" in heading):
        raise SystemExit(f"the tag is {tag}, and CHANGELOG.md has {heading!r}")
    if changed := run("git", "status", "--porcelain"):
        print(f"not committed, so not built:\n{changed}", end="")

    dist, epoch = ROOT / "dist", run("git", "log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        first, second = (
            build(place / f"build{umask}", epoch, umask, **more)
            for umask, more in zip((0o022, 0o077), PLACES, strict=True)
        )
        if first != second:
            raise SystemExit("two builds differ")
        packages = dist / "packages"
        packages.mkdir(parents=True, exist_ok=True)
        for old in packages.iterdir():
            old.unlink()
        for file, content in first.items():
            (packages / file).write_bytes(content)
        run(sys.executable, "-m", "twine", "check", "--strict", *packages.iterdir())
        (wheel,) = packages.glob("*.whl")

        commands = environment(place / "today", wheel, ROOT / "constraints.txt")
        for words in TRIED:
            command, *others = words.split()
            where = {"PROBSENSE_CACHE": str(place / "cache"), **OFFLINE}
            run("sh", "-c", 'cd "$0" && exec "$@"', place, commands / command, *others, **where)
        bill = dist / f"probsense-{version}.cdx.json"
        words = ("environment", "--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--validate")
        bom = Path(sys.executable).with_name("cyclonedx-py")
        run(bom, *words, "-o", bill, commands / "python", SOURCE_DATE_EPOCH=epoch)
        check_licences(bill)

        pins = place / "oldest.txt"
        pins.write_text("\n".join(lowest(project["dependencies"])))
        run(environment(place / "oldest", wheel, pins) / "python", ROOT / "tests" / "minimal.py")
        run(UV, "tool", "run", "--from", wheel, "probsense", "--version", **settings_of_uv())
        pipx = (sys.executable, "-m", "pipx", "run", "--no-cache", "--spec", wheel)
        run(*pipx, "probsense", "--version", PIPX_HOME=str(place / "pipx"))
        if chosen.extras:
            try_extras(place, wheel, project)

    (dist / "NOTES.md").write_text(text)
    digests = {
        path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (*sorted(packages.iterdir()), bill)
    }
    sums = "".join(f"{digest}  {path.name}\n" for path, digest in digests.items())
    (dist / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    print(f"{heading}: two builds are equal; works offline, with the oldest versions, by uvx and by pipx")
    print(f"wheel {wheel.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
