"""Characteristics of people, in tables of all kinds."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from probsense.analysis.inference.significance import adjust
from probsense.core.errors import InputError
from probsense.tasks.judgments.people.opinions import Divisions, read_demographics


def divided(path: Path, persons: list[str]) -> Divisions:
    return read_demographics(path, persons).divided(persons)


def test_published_demographics_are_joined_by_the_number_of_the_response(tmp_path):
    path = tmp_path / "demographics.csv"
    path.write_text("ResponseId,work,sex\n" + "".join(f"Response_{i},,{'ab'[i > 5]}\n" for i in range(1, 11)))
    found = divided(path, [str(i) for i in range(10)])
    assert [*found.groups] == ["sex"]  # nobody answered the other
    assert found.groups["sex"].names == ("a", "b")
    assert found.groups["sex"].members[0].tolist() == [True] * 5 + [False] * 5
    assert "are taken for the people 0, 1" in found.notes[0]
    with pytest.raises(InputError, match="ResponseId names none of the people"):
        read_demographics(path, [str(i) for i in range(1, 11)])  # counted from 1, or one is left out
    path.write_text("ResponseId,sex\nR_1,a\n")
    with pytest.raises(InputError, match="line 2: ResponseId is 'R_1'"):
        read_demographics(path, ["0"])
    # Other ids are names, and numbers make bands.
    path.write_text("ResponseId;age\n" + "".join(f"R_{i};{20 + i},0\n" for i in range(40)))
    bands = divided(path, [f"R_{i}" for i in range(40)]).groups["age"]
    assert bands.names == ("20–29", "30–39", "40–49", "50–59")


def test_two_groups_of_a_characteristic_are_one_test(analysed):
    hands = ["left"] * 5 + ["right"] * 5 + ["NA"] * 2
    rows = "".join(f"P{i:02d},{('tea', 'milk')[i % 2]},{hand}\n" for i, hand in enumerate(hands))
    milk = pl.col("person").is_in([f"P{i:02d}" for i in range(1, 12, 2)]).cast(pl.Int64)
    found = analysed(
        humans=lambda people: people.with_columns(q1=(pl.col("q1") - milk).abs()),
        demographics=f"person,drink,hand\n{rows}",
    )
    table = found.results.tables["groups"]
    assert set(table["group"]) == {"tea", "milk", "left", "right"}
    once = table.filter(pl.col("group").is_in(["milk", "left"]))
    assert once["p_holm"].to_list() == pytest.approx(adjust(once["p"].to_numpy(), "holm"), abs=1e-9)
    assert all(both["p_holm"].n_unique() == 1 for _, both in table.group_by("characteristic", "who"))
    assert once["p_holm"].min() < 0.05


def test_who_and_what_is_left_out_is_told(tmp_path):
    path = tmp_path / "demographics.csv"
    rows = [f'{"P0" if i < 10 else "P"}{i},{"ab"[i > 5]},town{i},{20 + i},"2{i},5"\n' for i in range(1, 15)]
    path.write_text("person,sex,town,age,decimal\n" + "".join(rows) + "1,a,x,20,20\n")
    found = divided(path, [f"P{i:02}" for i in range(1, 20)])
    assert [*found.groups] == ["sex"]
    strangers, groups = found.notes
    said = f"5 of 19 people who rated are not in {path} (P15, P16, P17, …), and 1 of its rows"
    assert strangers.startswith(said)
    assert groups.startswith("no groups of at least 5 people by town, age, decimal")


def test_an_export_of_prolific_divides_people(tmp_path):
    path = tmp_path / "prolific.csv"
    rows = [
        f"s{i},P{i},{'APPROVED' if i < 40 else 'RETURNED'},{600 + i},{i},"
        f"{'DATA_EXPIRED' if i == 3 else 'fm'[i % 2]}\n"
        for i in range(42)
    ]
    path.write_text("Submission id,Participant id,Status,Time taken,Total approvals,Sex\n" + "".join(rows))
    found = divided(path, [f"P{i}" for i in range(40)])
    assert found.groups["Sex"].names == ("f", "m")
    assert found.groups["Sex"].members.sum(axis=1).tolist() == [20, 19]
    assert [*found.groups] == ["Sex"]
    assert "trials and unfinished answers (2 rows)" in found.notes[0]
