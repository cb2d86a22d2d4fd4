from __future__ import annotations

import json
import math

from probsense.stats.estimate import Estimate


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
