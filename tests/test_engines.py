"""The runner of the tests of engines: what its digests depend on, what it leaves out, and what fails."""

import time
from datetime import date
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from engines import run as engines

FILES = {
    "pyproject.toml": """
        [project]
        dependencies = ["numpy>=1"]
        optional-dependencies = {made = ["made-engine>=2"]}
    """,
    "constraints.txt": "numpy==2.0\nmade_engine==2.1\n",
    "tests/engines/engines.toml": """
        [made]
        what = "an engine"
        install = ["-c constraints.txt -e .[made] pytest"]
        imports = "made_engine"
        source = ["made"]
        [second]
        what = "another engine"
        install = ["second==1"]
        imports = "second"
        source = ["unrelated.py"]
        remove = ["sound"]
    """,
    "tests/engines/made/test_made.py": "from helping import one\n",
    "tests/engines/second/test_second.py": "",
    "benchmarks/helping.py": "",
    "src/probsense/__init__.py": "",
    "src/probsense/made/asks.py": "from probsense import near\nif TYPE_CHECKING:\n    import probsense.typed\n",
    "src/probsense/near.py": "def later():\n    from probsense.far import away\n",
    "src/probsense/far.py": "",
    "src/probsense/typed.py": "",
    "src/probsense/unrelated.py": "",
}


@pytest.fixture
def root(tmp_path):
    """A project with two engines."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


class Machine:
    """Stands in for pip and pytest; ``fails`` holds words of commands that fail."""

    def __init__(self, *fails, skipped=(), ran=3):
        self.fails, self.skipped, self.ran, self.calls = fails, skipped, ran, []

    def __call__(self, words, environment):
        self.calls.append(words)
        if "venv" in words:
            Path(words[-1]).mkdir()
        if report := [word for word in words if word.startswith("--junit-xml=")]:
            skips = [f"<testcase><skipped message={quoteattr(why)}/></testcase>" for why in self.skipped]
            cases = "".join(["<testcase/>"] * self.ran + skips)
            Path(report[0].partition("=")[2]).write_text(f"<testsuites>{cases}</testsuites>")
        failed = any(word in words for word in self.fails)
        return int(failed), f"much\nsaid by {words[3:5]}" if failed else "dots\n3 passed in 1 s"

    def count(self, word):
        return sum(word in call for call in self.calls)


def add(root, name, text="x = 1\n"):
    path = root / name
    path.write_text((path.read_text() if path.exists() else "") + text)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("src/probsense/made/asks.py", True),
        ("src/probsense/near.py", True),
        ("src/probsense/far.py", True),
        ("src/probsense/typed.py", False),
        ("src/probsense/unrelated.py", False),
        ("tests/engines/made/test_made.py", True),
        ("tests/engines/second/test_second.py", False),
        ("benchmarks/helping.py", True),
        ("constraints.txt", True),
    ],
)
def test_a_digest_changes_with_what_the_tests_depend_on(root, name, counts):
    before = engines.digest(root, engines.engines(root)["made"])
    add(root, name)
    assert (engines.digest(root, engines.engines(root)["made"]) != before) is counts


def test_unchanged_engines_are_left_out_and_environments_stay(root, capsys):
    machine = Machine()
    assert engines.main([], root, machine) == 0
    assert (machine.count("venv"), machine.count("install"), machine.count("uninstall")) == (2, 2, 1)
    assert (machine.count("import made_engine"), machine.count("coverage")) == (1, 2)
    capsys.readouterr()
    again = Machine()
    assert engines.main(["--changed"], root, again) == 0
    assert again.calls == []
    said = {
        f"{name}: unchanged since its tests passed on {date.today().isoformat()}"
        for name in ("made", "second")
    }
    assert {*capsys.readouterr().out.splitlines()} == said
    add(root, "src/probsense/unrelated.py")
    assert engines.main(["--changed"], root, again) == 0
    assert (again.count("tests/engines/second"), len(again.calls)) == (1, 1)
    add(root, "constraints.txt", "thing==1.1\n")
    engines.main([], root, again)
    assert again.count("venv") == 2


@pytest.mark.parametrize(
    ("machine", "status", "said"),
    [
        (Machine("install"), 0, "made: left out: the package index cannot be reached"),
        (Machine("pytest"), 1, "made: failed at: -m pip install"),
        (Machine("import made_engine"), 1, "made: failed at: -c 'import made_engine'"),
        (Machine("coverage"), 1, "made: failed: pytest ended with 1 after 3 tests"),
        (Machine(ran=0), 1, "made: failed: pytest ended with 0 after 0 tests"),
        (Machine(skipped=["no torch"]), 1, "made: failed, since a test was skipped: no torch"),
        (Machine(skipped=["a model cannot be downloaded"]), 0, "made: skipped: a model cannot be downloaded"),
    ],
)
def test_what_fails_and_what_does_not(machine, status, said, root, capsys):
    assert engines.main(["made"], root, machine) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith(said)
    assert any(line.startswith("said by") for line in lines) == bool(status and machine.fails)
    assert engines.recorded(root) == {}


def test_the_others_go_on_after_a_failure(root):
    assert engines.main([], root, Machine("import made_engine")) == 1
    assert engines.recorded(root).keys() == {"second"}


def test_a_command_that_takes_longer_is_ended_with_all_that_it_began():
    with pytest.raises(engines.LeftOut, match="due in the next run"):
        engines.run(["sh", "-c", "sleep 100 & sleep 100"], {}, end=time.monotonic() + 0.2)
    assert engines.run(["sh", "-c", "echo a word; exit 3"], {}) == (3, "a word\n")


def test_every_engine_has_tests_and_sources():
    tests = engines.ROOT / "tests/engines"
    for name, engine in engines.engines(engines.ROOT).items():
        assert list((tests / name).glob("test_*.py")), name
        for source in engine.source:
            assert (engines.ROOT / "src/probsense" / source).exists(), source
