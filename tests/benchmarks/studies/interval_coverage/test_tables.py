"""Studies that print a table: a row is that of its design."""

import few_raters
import personas


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
