"""Studies that print a table: truths are those of what is drawn, and a row is that of its design."""

import numpy as np
import pytest

import components
import few_raters
import personas
from probsense.analysis.inference.variance_components import variance_components, variance_shares


@pytest.mark.parametrize("prompts", [40, 80])
def test_a_large_study_has_the_true_components(prompts):
    design = components.Design(6000, prompts, "normal")
    found = variance_components(components.study(design, np.random.default_rng(1)), design.facets)
    assert variance_shares(found).value == pytest.approx(components.TRUTH, rel=0.06, abs=0.0005)
    assert found.main[0] == pytest.approx([*components.MAIN.values(), components.TOGETHER], abs=0.02)


def test_the_table_has_a_row_for_each_world_and_design(monkeypatch, capsys):
    monkeypatch.setattr(few_raters, "DESIGNS", (few_raters.Design(20, 45, 12),))
    monkeypatch.setattr("sys.argv", ["", "--studies", "3"])
    few_raters.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| | corrected | two-way bootstrap |"
    assert [line.split(":")[0] for line in lines[2:]] == [f"| {name}" for name in few_raters.WORLDS]
    assert all(0 <= float(cell) <= 100 for line in lines[2:] for cell in line.split("|")[2:4])


def test_the_table_has_a_row_for_personas_and_one_for_people(monkeypatch, capsys):
    monkeypatch.setattr(personas, "DESIGNS", (personas.Design(24, 20, 30, 30),))
    monkeypatch.setattr(personas, "LARGE", personas.Design(40, 40, 40, 40))
    monkeypatch.setattr("sys.argv", ["", "--studies", "3"])
    personas.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| | 24 × 20 × 30, 30 |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| model", "| people"]
