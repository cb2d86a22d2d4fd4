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
