"""Estimates as JSON, flat rows and frames."""

from __future__ import annotations

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


def test_estimates_are_equal_where_the_same_numbers_are_unknown() -> None:
    def unknown(**changed: float) -> Estimate:
        numbers = {name: float("nan") for name in ("value", "stderr", "low", "high")} | changed
        return Estimate("bias", {}, **numbers, level=0.95, n=1, clusters=1, method="plain")

    assert unknown() == unknown()
    assert unknown() != unknown(value=0.5)
    assert unknown(value=0.5) == unknown(value=0.5) != unknown(value=0.25)
    assert unknown() != "an estimate"


@given(st.lists(ESTIMATES, max_size=6))
def test_a_frame_has_every_number_of_every_estimate(found: list[Estimate]) -> None:
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
            same = row[key] in (value, str(value), str(value).lower()) or (
                value is not None and float(value) == row[key]
            )
            assert same if value is not None else row[key] is None


def test_columns_have_the_type_of_their_values() -> None:
    def row(**by: object) -> dict[str, object]:
        return {"task": "quiz", "measure": "accuracy", "method": "x", **by}

    rows = [row(size=3, share=0.5, view="sum", both=3, sure=True), row(size=4, share=1, view=None, both="a")]
    frame = flat_frame(rows, counts=("items",))  # type: ignore[arg-type]
    kinds = {name: frame.schema[name] for name in ("size", "share", "view", "both", "sure", "items")}
    assert kinds == {
        "size": pl.Int64,
        "share": pl.Float64,
        "view": pl.String,
        "both": pl.String,
        "sure": pl.Boolean,
        "items": pl.Int64,
    }
    assert frame["both"].to_list() == ["3", "a"]
    assert flat_frame([]).columns == [*FIRST, *NUMBERS, *COUNTS]


def test_unknown_numbers_are_null_in_json() -> None:
    made = Estimate("accuracy", {"model": "m"}, 0.5, math.nan, math.nan, math.inf, 0.95, 3, 1, "clustered")
    found = made.to_json()
    assert (found["value"], found["stderr"], found["low"], found["high"]) == (0.5, None, None, None)
    assert found["chance"] is None
    json.dumps(found, allow_nan=False)


def test_an_estimate_comes_back_from_its_json() -> None:
    made = Estimate(
        "bias", {"model": "m"}, 0.5, math.nan, 0.1, 0.9, 0.95, 3, 1, "x", 0.25, 5, 0.4, 0.01, 0.03
    )
    assert Estimate.from_json(made.to_json()) == Estimate.from_json(json.loads(json.dumps(made.to_json())))
    assert repr(Estimate.from_json(made.to_json())) == repr(made)
