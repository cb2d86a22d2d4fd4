"""What a release says of itself; ``make release`` tries the rest."""

import re
import tomllib
from pathlib import Path

import pytest

from tools.release import EXTRAS, lowest, notes

ROOT = Path(__file__).parents[1]
CHANGES = (
    "# Changelog\n\n## 1.1.0\n\nNew.\n\n## 1.0.0 (2026-12-01)\n\n### Runs\n\n- One.\n\n## 0.1.0\n\nOld.\n"
)


def test_the_notes_are_the_section_of_the_version():
    assert notes(CHANGES, "1.0.0") == ("1.0.0 (2026-12-01)", "### Runs\n\n- One.\n")
    assert notes(CHANGES, "0.1.0") == ("0.1.0", "Old.\n")
    with pytest.raises(SystemExit, match=r"no section 1\.0$"):
        notes(CHANGES, "1.0")


def test_the_tests_of_every_extra_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() == project["optional-dependencies"].keys()
    for paths, _, name in (tests.partition(" -k ") for tests in EXTRAS.values() if tests):
        code = "".join((ROOT / path).read_text() for path in paths.split())
        assert re.search(rf"def test_\w*{name}", code), paths


def test_every_base_dependency_has_an_oldest_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = lowest(project["dependencies"])
    assert all(pin.count("==") == 1 and ">" not in pin for pin in pins)
    assert lowest(["probsense[hf]>=1.0"]) == ["probsense==1.0"]
    heading, text = notes((ROOT / "CHANGELOG.md").read_text(), project["version"])
    assert heading.startswith(project["version"])
    assert text.startswith("### ")
