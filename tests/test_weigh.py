"""The weight of a file is its code, and what is above a budget fails."""

from tools import weigh

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


def test_figures_are_of_rooms_files_and_folders(tmp_path):
    for name, text in {
        "src/probsense/__init__.py": "x = 1\n",
        "src/probsense/core/some.py": FILE,
        "tests/test_some.py": "y = 2\nz = 3\n",
        "docs/page.md": "three plain words",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert weigh.weight(tmp_path / "src/probsense/core/some.py") == (6, 8 + 10 + 2)
    known = dict(weigh.figures(tmp_path))
    assert (known["src-lines"], known["src-core"], known["tests-lines"], known["docs-words"]) == (7, 6, 2, 3)
    assert (known["src-files"], known["src-longest-file"], known["src-widest-folder"]) == (2, 6, 1)


def test_a_budget_that_is_met_or_not(monkeypatch, capsys):
    for lines, status in ((1, 0), (10**6, 1)):
        monkeypatch.setattr(weigh, "figures", lambda lines=lines: iter([("src-lines", lines)]))
        assert weigh.main() == status
    assert "above its budget" in capsys.readouterr().out.splitlines()[-1]
