"""``probsense profile`` and ``probsense demo``, from models to one table and one page."""

import pytest

from probsense.tasks.registry import task_type


def ask_only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    tasks = {name: task_type(name) for name in names}
    monkeypatch.setattr("probsense.results.profile.task_types", lambda: tasks)


@pytest.mark.usefixtures("undrawn")
def test_two_models_are_one_table_and_one_page(probsense, tmp_path, monkeypatch):
    ask_only(monkeypatch, "judgments", "suite", "winogrande")
    # A model that has texts alone, and only for the schemas.
    (tmp_path / "answers.jsonl").write_text('{"id": "q0", "response": "perhaps"}\n')
    silent = f"recorded:{tmp_path}/answers.jsonl"
    done = probsense("profile", "random", "random:3", silent, "--store", "a.db")
    assert done.code == 0, done.err
    assert "\nin all: 261 requests\n" in done.err.partition("1 of ")[0]
    line = f"Suite of {silent} was not asked: suite asks by options, and {silent} can answer none of them."
    page = (tmp_path / "profile.html").read_text()
    assert line in done.out
    assert line in page
    assert "recorded:answers.jsonl has no result. No result in Judgments (yes and no have" in done.out
    # What voids a result stands after the table; what only qualifies one is folded in the page.
    assert done.out.index("Commonsense profile") < done.out.index("Warning: Judgments: ")
    assert "Warning: Suite" not in done.out
    assert "<summary>Suite: " in page


@pytest.mark.usefixtures("undrawn")
def test_the_demo_goes_on_without_smollm2(probsense, tmp_path, monkeypatch):
    ask_only(monkeypatch, "suite")
    monkeypatch.setattr("probsense.models.small.builtin.PACKAGE", "not-installed-anywhere")
    done = probsense("demo", "--out", "shown")
    assert done.code == 0, done.err
    assert "note: builtin:smollm2 needs a package that is not installed: pip install" in done.err
    assert "builtin:tiny" in done.out
    assert {path.name for path in (tmp_path / "shown").iterdir()} == {"probsense.db", "report.html"}
