"""Every command and snippet of the README and the documentation runs, and prints what the page says it prints.

``PROBSENSE_UPDATE_DOCS=1 pytest -m slow tests/docs`` writes outputs that have changed into the pages, and pictures into
docs/pictures.
"""

import os
import re
import shutil
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from themed import themed

from docs.agreement import agrees, of_model, same_picture, shows
from docs.snippets import commands, pictures, run_command, run_python, snippets
from probsense.runs import find as stored

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
GIVEN = Path(__file__).parent / "given"
"""For each page that needs it, a folder of what its reader is taken to have brought along."""
EXAMPLES = "examples"
"""The folder of the repository from which pages show passages and run files."""
LANGUAGES = {"bash", "python", "text", "json", "yaml", "csv", "toml", "latex", "md"}

STAND_INS = {"hf:Qwen/Qwen3-0.6B": "builtin:tiny"}
"""What would have to be downloaded, and what is taken in its place. What it prints is not told."""

LIMITS = ("--limit", "--tuples")
"""Options by which a page says itself how much is asked."""

NOT_RUN = {
    "sets up or uses an environment of the repository's own": ("make ",),
    "takes minutes; a small version is in tests/benchmarks": ("python benchmarks/",),
    "needs real models; tests/real has some questions to them": (
        "probsense run worldsense --model hf:real-models/",
        "probsense run judgments --model hf:real-models/",
    ),
    "needs the network": ("pip install", "answers=$(probsense data get"),
    "serves until it is stopped; tests/studies/collect and tests/browser have it": (
        "probsense collect study.yaml",
    ),
    "needs people; tests/cli/test_collect.py makes some up": ("probsense collect export study.db",),
    "needs published data; tests/docs/test_published.py has most of them": (
        "probsense analyse worldsense data/memorisation",
        "probsense audit worldsense data/memorisation",
        "probsense analyse judgments --ratings $answers",
        "probsense analyse frames dev.jsonl",
    ),
    "needs a server; tests/models/openai and tests/cli/test_openai.py ask some": (
        "export OPENAI_API_KEY",
        "probsense doctor openai:",
        "probsense run judgments --model openai:",
        "probsense run worldsense --model openai:",
        "WORDS=",
        "probsense batch",
        "probsense run judgments $WORDS",
    ),
}
"""Why commands are not executed, and how they begin."""

SYNOPSIS = re.compile(r"\[|…|\b[A-Z]+\b")
"""A line that is to be filled in by the reader: it has placeholders."""


def stood_in(text):
    for name, other in STAND_INS.items():
        text = text.replace(name, other)
    return text


def run_it(command, told):
    """Run a command; one whose output is not told asks few questions, unless the page has its own limit."""
    meant = stood_in(command)
    return run_command(
        meant, few=not told and (meant != command or not any(limit in command for limit in LIMITS))
    )


def excluded(command):
    return any(" ".join(command.split()).startswith(start) for starts in NOT_RUN.values() for start in starts)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for a page, with the examples of the repository, and a terminal of 80 columns."""
    (tmp_path / EXAMPLES).symlink_to(ROOT / EXAMPLES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def follow(page):
    """Do in the current folder what a page says, and return the blocks whose outputs are others now, with these.

    Its commands share the runs that they read from stores, so that each is measured once.
    """
    with mock.patch.object(stored, "load_run", cache(stored.load_run)):
        return _follow(page)


def _follow(page):
    names = {"__name__": "__main__"}
    changed = []
    for snippet in snippets(page):
        place, found = f"{page.name}, line {snippet.line}", ""
        if snippet.file.startswith(f"{EXAMPLES}/"):
            assert shows(snippet, ROOT), f"{place} is not what {snippet.file} says"
        elif snippet.file:
            Path(snippet.file).parent.mkdir(parents=True, exist_ok=True)
            Path(snippet.file).write_text(snippet.text)
        elif snippet.language == "python":
            found = run_python(stood_in(snippet.text), names, place)
        elif snippet.language == "bash":
            each = commands(snippet.text)
            told = snippet.output is not None
            try:
                found = "".join(run_it(command, told) for command in each if not excluded(command))
            except AssertionError as error:
                raise AssertionError(f"{place}: {error}") from None
            if any(map(excluded, each)):
                continue
        if snippet.output is not None and not agrees(snippet.output, found, rounded=of_model(snippet)):
            changed.append((snippet, found))
    return changed


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run_and_their_output_is_true(page, folder):
    if (GIVEN / page.stem).is_dir():
        shutil.copytree(GIVEN / page.stem, folder, dirs_exist_ok=True)
    changed = follow(page)
    drawn = {name: themed((folder / name).read_text()) for name in pictures(page)}
    redrawn = [name for name, found in drawn.items() if not same_picture(kept(name), found)]
    if os.environ.get("PROBSENSE_UPDATE_DOCS"):
        update(page, changed)
        for name in redrawn:
            (PICTURES / name).write_text(drawn[name])
        return
    assert not redrawn, f"{page.name} shows other pictures than its commands draw now: {', '.join(redrawn)}"
    assert not changed, "\n".join(
        f"{page.name}, line {snippet.line} prints now:\n{found}" for snippet, found in changed
    )


PAGE = """\
```csv numbers.csv
x
3
```

```python
print(sum(map(int, open("numbers.csv").read().split()[1:])))
```

```text
4
```

```bash
probsense data list > listed.txt && probsense data list > again.txt
```

```python
print("listed", open("listed.txt").read() == open("again.txt").read())
```

```text
listed True
```
"""


def test_a_page_is_followed_to_its_end(folder):
    page = folder / "page.md"
    page.write_text(PAGE)
    changed = follow(page)
    assert [(snippet.line, found) for snippet, found in changed] == [(6, "3\n")]
    assert (folder / "listed.txt").read_text()
    update(page, changed)
    assert page.read_text() == PAGE.replace("\n4\n", "\n3\n")


def kept(name):
    """Return the picture of that name as the repository has it; "" if it is new."""
    return (PICTURES / name).read_text() if (PICTURES / name).exists() else ""


def test_every_picture_is_on_the_page_whose_commands_draw_it():
    used = [name for page in PAGES for name in pictures(page)]
    assert len(used) == len({*used})
    assert {*used} == {path.name for path in PICTURES.glob("*.svg")}


def update(page, changed):
    """Write outputs into their places, the last one first, so that places stay where they are.

    What a page leaves out of an output, at a line "…", stays left out.
    """
    lines = page.read_text().splitlines(keepends=True)
    for snippet, found in reversed(changed):
        start, end = snippet.place
        told = [f"{line.rstrip()}\n" for line in found.strip("\n").splitlines()]
        if "…\n" in lines[start:end]:
            first, last = lines.index("…\n", start, end) - start, end - lines.index("…\n", start, end) - 1
            told[first : len(told) - last] = ["…\n"]
        lines[start:end] = told
    page.write_text("".join(lines))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_reader_may_type_is_marked_as_such(page):
    for snippet in snippets(page):
        place = f"{page.name}, line {snippet.line}"
        assert snippet.language in LANGUAGES or snippet.language.startswith("{"), (
            f"{place}: {snippet.language!r}"
        )
        if snippet.language == "text":
            for line in snippet.text.splitlines():
                assert not line.startswith("probsense ") or SYNOPSIS.search(line), (
                    f"{place} is no synopsis: {line}"
                )


def test_every_exclusion_is_used_and_no_stand_in_has_a_told_output():
    blocks = [snippet for page in PAGES for snippet in snippets(page) if snippet.language == "bash"]
    every = [" ".join(command.split()) for snippet in blocks for command in commands(snippet.text)]
    for start in (start for starts in NOT_RUN.values() for start in starts):
        assert any(command.startswith(start) for command in every), f"nothing begins with {start!r}"
    for name in STAND_INS:
        assert not any(name in snippet.text and snippet.output for snippet in blocks), name
