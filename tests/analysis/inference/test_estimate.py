"""Estimates as JSON, flat rows and frames."""

import json
import math

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.inference.estimate import COUNTS, FIRST, NUMBERS, Estimate, flat_frame, flat_rows

KEYS = st.sampled_from(["model", "prompting", "problem", "size", "view"])
VALUES = st.one_of(st.text(max_size=3), st.integers(-9, 9), st.booleans(), st.floats(0, 1), st.none())
ESTIMATES = st.builds(
    Estimate,
    st.sampled_from(["accuracy", "bias"]),
    st.dictionaries(KEYS, VALUES),
    *[st.floats(allow_infinity=False)] * 4,
    st.just(0.95),
    st.integers(0, 9),
    st.integers(0, 9),
    st.just("clustered"),
    settings=st.integers(0, 3),
    p=st.floats(0, 1) | st.just(math.nan),
)


def test_estimates_are_equal_where_the_same_numbers_are_unknown():
    def unknown(**changed):
        numbers = {name: float("nan") for name in ("value", "stderr", "low", "high")} | changed
        return Estimate("bias", {}, **numbers, level=0.95, n=1, clusters=1, method="plain")

    assert unknown() == unknown() != unknown(value=0.5)
    assert unknown(value=0.5) == unknown(value=0.5) != unknown(value=0.25)


@given(st.lists(ESTIMATES, max_size=6))
def test_a_frame_has_every_number_of_every_estimate(found):
    rows = [{"task": "quiz", **row} for row in flat_rows([e.to_json() for e in found])]
    frame = flat_frame(rows)
    keys = list(dict.fromkeys(key for e in found for key in e.by if key not in FIRST))
    assert frame.columns == [*FIRST, *keys, *NUMBERS, *COUNTS]
    assert frame.height == len(found)
    for e, row in zip(found, frame.iter_rows(named=True), strict=True):
        assert (row["measure"], row["method"], row["task"]) == (e.measure, e.method, "quiz")
        for name in ("value", "low", "high", "stderr", "p"):
            number = getattr(e, name)
            assert row[name] == (None if math.isnan(number) else number)
        for key, value in e.by.items():
            if value is None or isinstance(value, str):
                assert row[key] == value
            else:  # or a text, where others are
                assert float({"true": 1, "false": 0}.get(row[key], row[key])) == value


def test_columns_have_the_type_of_their_values():
    def row(**by):
        return {"task": "quiz", "measure": "accuracy", "method": "x", **by}

    rows = [row(size=3, share=0.5, view="sum", both=3, sure=True), row(size=4, share=1, view=None, both="a")]
    frame = flat_frame(rows, counts=("items",))
    kinds = [frame.schema[name] for name in ("size", "share", "view", "both", "sure", "items")]
    assert kinds == [pl.Int64, pl.Float64, pl.String, pl.String, pl.Boolean, pl.Int64]
    assert frame["both"].to_list() == ["3", "a"]
    assert flat_frame([]).columns == [*FIRST, *NUMBERS, *COUNTS]


def test_an_estimate_comes_back_from_its_json():
    made = Estimate(
        "bias", {"model": "m"}, 0.5, math.nan, 0.1, 0.9, 0.95, 3, 1, "x", 0.25, 5, 0.4, 0.01, 0.03
    )
    assert Estimate.from_json(made.to_json()) == Estimate.from_json(json.loads(json.dumps(made.to_json())))
    assert repr(Estimate.from_json(made.to_json())) == repr(made)
