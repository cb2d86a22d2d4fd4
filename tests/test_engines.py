"""The runner of the tests of engines: what its digests depend on, what it leaves out, and what fails."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from support import engines

FILES = {
    "pyproject.toml": """
        [project]
        dependencies = ["numpy>=1"]
        [project.optional-dependencies]
        net = ["torch>=2"]
        made = ["probsense[net]", "made-engine>=2"]
        other = ["thing>=1"]
    """,
    "constraints.txt": "numpy==2.0\nmade_engine==2.1\nthing==1.0\ntorch==2.5\n",
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
    "tests/support/__init__.py": "",
    "benchmarks/helping.py": "",
    "src/probsense/__init__.py": "",
    "src/probsense/made/__init__.py": "",
    "src/probsense/made/asks.py": "from probsense import near\nif TYPE_CHECKING:\n    import probsense.typed\n",
    "src/probsense/near.py": "def later():\n    from probsense.far import away\n",
    "src/probsense/far.py": "",
    "src/probsense/typed.py": "",
    "src/probsense/unrelated.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with two engines."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


class Machine:
    """Stands in for pip and pytest; ``fails`` holds words of commands that fail."""

    def __init__(self, *fails: str, skipped: Sequence[str] = (), ran: int = 3) -> None:
        self.fails, self.skipped, self.ran = fails, skipped, ran
        self.calls: list[Sequence[str]] = []

    def __call__(self, words: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
        self.calls.append(words)
        if "venv" in words:
            Path(words[-1]).mkdir()
        if "pytest" in words and "-m" in words and "coverage" in words:
            (report,) = (
                word.removeprefix("--junit-xml=") for word in words if word.startswith("--junit-xml")
            )
            cases = "<testcase/>" * self.ran
            cases += "".join(
                f"<testcase><skipped message={quoteattr(why)}/></testcase>" for why in self.skipped
            )
            Path(report).write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        failed = any(word in words for word in self.fails)
        return int(failed), f"much\nsaid by {words[3:5]}" if failed else "dots\n3 passed in 1 s"

    def count(self, word: str) -> int:
        return sum(word in call for call in self.calls)


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / name
    text = path.read_text() if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new) if old else text + new)


@pytest.mark.parametrize(
    ("name", "old", "new", "counts"),
    [
        ("src/probsense/made/asks.py", "", "x = 1\n", True),
        ("src/probsense/near.py", "", "x = 1\n", True),
        ("src/probsense/far.py", "", "x = 1\n", True),
        ("src/probsense/__init__.py", "", "x = 1\n", True),
        ("src/probsense/made/new.txt", "", "an example\n", True),
        ("src/probsense/typed.py", "", "x = 1\n", False),
        ("src/probsense/unrelated.py", "", "x = 1\n", False),
        ("tests/engines/made/test_made.py", "", "x = 1\n", True),
        ("tests/engines/conftest.py", "", "x = 1\n", True),
        ("tests/engines/second/test_second.py", "", "x = 1\n", False),
        ("benchmarks/helping.py", "", "x = 1\n", True),
        ("constraints.txt", "made_engine==2.1", "made_engine==2.2", True),
        ("constraints.txt", "torch==2.5", "torch==2.6", True),
        ("constraints.txt", "thing==1.0", "thing==1.1", False),
        ("pyproject.toml", "torch>=2", "torch>=3", True),
        ("pyproject.toml", "thing>=1", "thing>=3", False),
        ("tests/engines/engines.toml", ".[made] pytest", ".[made] pytest more", True),
        ("tests/engines/engines.toml", "second==1", "second==2", False),
    ],
)
def test_a_digest_changes_with_what_the_tests_depend_on(
    root: Path, name: str, old: str, new: str, counts: bool
) -> None:
    before = engines.digest(root, engines.engines(root)["made"])
    edit(root, name, old, new)
    assert (engines.digest(root, engines.engines(root)["made"]) != before) is counts


def test_unchanged_engines_are_left_out_with_the_day(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert engines.main([], root, Machine()) == 0
    lines = (root / "tests/engines/digests.json").read_text().splitlines()
    assert [line.split('"')[1] for line in lines[1:-1]] == ["made", "second"]
    capsys.readouterr()
    again = Machine()
    assert engines.main(["--changed", "--jobs=1"], root, again) == 0
    assert again.calls == []
    today = date.today().isoformat()
    assert capsys.readouterr().out.splitlines() == [
        f"{name}: unchanged since its tests passed on {today}" for name in ("made", "second")
    ]
    edit(root, "src/probsense/unrelated.py", "", "x = 1\n")
    assert engines.main(["--changed", "--jobs=1"], root, again) == 0
    assert "tests/engines/second" in again.calls[0]
    assert len(again.calls) == 1
    assert engines.main(["made"], root, again) == 0
    assert len(again.calls) == 2


def test_an_environment_is_made_again_where_what_it_is_made_from_has_changed(root: Path) -> None:
    machine = Machine()
    assert engines.main(["--only-set-up"], root, machine) == 0
    assert (machine.count("venv"), machine.count("install"), machine.count("uninstall")) == (2, 2, 1)
    assert (machine.count("import made_engine"), machine.count("coverage")) == (1, 0)
    assert not (root / "tests/engines/digests.json").exists()
    engines.main([], root, machine)
    assert (machine.count("venv"), machine.count("coverage")) == (2, 2)
    edit(root, "constraints.txt", "thing==1.0", "thing==1.1")
    engines.main([], root, machine)
    assert machine.count("venv") == 3


@pytest.mark.parametrize(
    ("machine", "status", "said"),
    [
        (
            Machine("install"),
            1,
            "made: failed at: -m pip install -q --no-compile -c constraints.txt -e '.[made]' pytest",
        ),
        (Machine("install", "download"), 0, "made: left out: the package index cannot be reached"),
        (Machine("import made_engine"), 1, "made: failed at: -c 'import made_engine'"),
        (Machine("coverage"), 1, "made: failed: pytest ended with 1 after 3 tests"),
        (Machine(ran=0), 1, "made: failed: pytest ended with 0 after 0 tests"),
        (Machine(skipped=["no torch"]), 1, "made: failed, since a test was skipped: no torch"),
        (Machine(skipped=["a model cannot be downloaded"]), 0, "made: skipped: a model cannot be downloaded"),
    ],
)
def test_what_fails_and_what_does_not(
    machine: Machine, status: int, said: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert engines.main(["made"], root, machine) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == said
    assert any(line.startswith("said by") for line in lines) == bool(status and machine.fails)
    assert engines.recorded(root) == {}


def test_the_others_go_on_after_a_failure(root: Path) -> None:
    assert engines.main(["--jobs=1"], root, Machine("import made_engine")) == 1
    assert engines.recorded(root).keys() == {"second"}


def test_after_its_minutes_a_run_leaves_the_rest_due(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engines.main(["made"], root, Machine())
    capsys.readouterr()
    edit(root, "src/probsense/near.py", "", "x = 1\n")

    def at_the_end(words: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
        if "tests/engines/made" in words:
            raise engines.OutOfTime
        return Machine()(words, environment)

    assert engines.main(["--changed", "--jobs=1", "--minutes=15"], root, at_the_end) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "second: runs tests/engines/second" in lines[: lines.index("made: runs tests/engines/made")]
    assert lines[-1] == "made: due in the next run, since 15 minutes are over"
    assert engines.recorded(root)["made"]["digest"] != engines.digest(root, engines.engines(root)["made"])
    assert engines.main(["made", "--minutes=0"], root) == 0


def test_a_command_that_takes_longer_is_ended_with_all_that_it_began() -> None:
    with pytest.raises(engines.OutOfTime):
        engines.run(["sh", "-c", "sleep 100 & sleep 100"], {}, end=time.monotonic() + 0.2)
    assert engines.run(["sh", "-c", "echo a word; exit 3"], {}) == (3, "a word\n")


def test_an_engine_that_is_not_known(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        engines.main(["mad"], root, Machine())
    assert "no engine 'mad' (expected one of made, second)" in capsys.readouterr().err


def test_every_engine_has_tests_and_sources() -> None:
    tests = engines.ROOT / "tests/engines"
    for name, engine in engines.engines(engines.ROOT).items():
        assert list((tests / name).glob("test_*.py")), name
        for source in engine.source:
            assert (engines.ROOT / "src/probsense" / source).exists(), source
    folders = {path.name for path in tests.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == engines.engines(engines.ROOT).keys()
