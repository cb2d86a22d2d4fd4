"""A small version of the study of plans: other studies of the recommended sizes keep what was promised."""

from __future__ import annotations

import pytest

import plan_promises as study

WORLDSENSE = "WorldSense, an accuracy of .9"


@pytest.mark.parametrize("name", ["Winogrande", "Suite", pytest.param(WORLDSENSE, marks=pytest.mark.slow)])
def test_widths_are_kept(name: str) -> None:
    kept = study.width_kept(study.PROMISES[name], 60, seed=5, studies=400)
    assert kept.found == pytest.approx(kept.promised, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Winogrande", "Suite"])
def test_powers_are_kept(name: str) -> None:
    kept = study.power_kept(study.PROMISES[name], 500, seed=5, studies=200)
    assert kept.found == pytest.approx(kept.promised, abs=0.06)
