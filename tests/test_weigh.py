"""The weight of a file is its code, and what is above a budget fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import weigh

FILE = '''"""A docstring
of two lines."""

# A comment.
NAMES = (
    "a",
    "b",
)


def first(word: str) -> str:
    """Return the first."""
    return f"{word[0]} of {NAMES}"  # its end
'''


def test_lines_with_code_count_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text(FILE)
    assert weigh.weight(path) == (6, 8 + 10 + 2)


def test_a_budget_that_is_met_or_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = dict(weigh.figures())
    assert {"src-lines", "src-tasks", "src-widest-folder", "tests-tokens-a-line", "docs-words"} <= {*known}
    monkeypatch.setattr(weigh, "figures", lambda: iter([("docs-words", 1)]))
    assert weigh.main() == 0
    monkeypatch.setattr(weigh, "figures", lambda: iter([("src-lines", 10**6), ("docs-words", 1)]))
    assert weigh.main() == 1
    assert "src-lines" in capsys.readouterr().out.splitlines()[-2]
