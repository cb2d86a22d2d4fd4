"""Facets: what a user writes, files of levels, and how levels are crossed."""

import re
from itertools import combinations
from math import prod

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.conditions.facets import Conditions, Level, crossed, read_personas

OWN = {"wording": ["plain", "formal"]}


def test_what_a_run_keeps_of_files_stands_for_them(tmp_path):
    systems, personas = tmp_path / "systems.yaml", tmp_path / "personas.csv"
    systems.write_text("none: ''\nloud: LOUD")
    personas.write_text("home,persona , description, n\ncity, a ,You are old.,2.5\n,b,You are new.,1\n")
    words = f"wording, order, system={systems}, persona={personas}, most=40"
    found = Conditions.parse(words, lambda: OWN)
    assert (found.order, found.most) == (True, 40)
    assert found.facets == {
        "wording": [Level("plain"), Level("formal")],
        "system": [Level("none"), Level("loud", "LOUD")],
        "persona": [Level("a", "You are old.", 2.5, {"home": "city"}), Level("b", "You are new.")],
    }
    for path in (systems, personas):
        path.unlink()
    assert Conditions.parse(words, lambda: OWN, found.kept) == found
    for damaged in ([5], {"system": 5}, {"system": [[1]]}, {"system": [["a", "b", "c", []]]}):
        with pytest.raises(InputError, match="what the run keeps of system"):
            Conditions.parse(words, lambda: OWN, damaged)


P = "persona,description"


@pytest.mark.parametrize(
    ("given", "text", "said"),
    [
        ("ordre", "", "no such facet: 'ordre'; did you mean 'order'? (expected one of order, wording, sy"),
        ("order,order", "", "the facet order twice"),
        ("order=2", "", "the facet 'order=2'"),
        ("system", "", "the facet 'system' (expected system=FILE.yaml"),
        ("order,most=few", "", "most=few (expected a number of conditions)"),
        ("system={}", "[a, b]", "the file is ['a', 'b']"),
        ("system={}", "a: one", "a single system, which cannot be varied"),
        ("persona={}", "persona,descripton\na,You\n", "has no column description; did you mean 'descripton'"),
        ("persona={}", f"{P}\na,You\nb,\n", "line 3: description is empty"),
        ("persona={}", f"{P},Weight\na,You,2\n", "has a column Weight; did you mean 'weight'?"),
        ("persona={}", f"{P},weight,n\na,You,1,1\n", "has the columns weight and n"),
        ("persona={}", f"{P},weight\na,You,0\n", "line 2: weight is '0' (expected a number above 0)"),
        ("persona={}", f"{P}, \na,You,2\n", "a column without a name"),
    ],
)
def test_what_cannot_be_read(given, text, said, tmp_path):
    path = tmp_path / ("levels.yaml" if "system" in given else "levels.csv")
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as error:
        Conditions.parse(given.format(path), lambda: OWN)
    assert not text or str(path) in str(error.value)


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1)
personas = st.tuples(words, words, st.floats(0.01, 1e6), words)


@given(st.lists(personas, min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_what_is_written_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("personas") / "personas.parquet"
    columns = dict(zip(("persona", "description", "weight", "group"), zip(*rows, strict=True), strict=True))
    pl.DataFrame({name: list(values) for name, values in columns.items()}).write_parquet(path)
    assert read_personas(path) == [Level(*row[:3], {"group": row[3]}) for row in rows]


def test_more_combinations_than_wanted_become_a_balanced_half():
    sizes = (4, 2, 2, 5)
    found = np.array(crossed(sizes, 40))
    # The level of one facet follows from the three others: with any two of them, it is balanced, too.
    for facets in combinations(range(4), 3):
        assert len(np.unique(found[:, facets], axis=0)) == prod(sizes[facet] for facet in facets)
    assert len(crossed((3,) * 4, 80)) == 27  # not 9
    with pytest.raises(InputError, match=r"at most 30 conditions, of 80 \(expected at least 40"):
        crossed(sizes, 30)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(1, 200))
def test_any_two_facets_are_balanced(sizes, most):
    try:
        found = np.array(crossed(tuple(sizes), most))
    except InputError:
        assume(False)
        raise
    assert len(found) <= most
    assert not found[0].any()
    assert len(np.unique(found, axis=0)) == len(found)
    assert len(found) == prod(sizes) or prod(sizes) > most
    for i, k in combinations(range(len(sizes)), 2):
        counts = np.unique(found[:, [i, k]], axis=0, return_counts=True)[1]
        assert len(counts) == sizes[i] * sizes[k]
        assert len(set(counts.tolist())) == 1
