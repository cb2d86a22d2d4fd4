"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REFERENCE = Path(os.environ.get("PROBSENSE_REFERENCE", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of published data and expected figures, where there is one."""
    if not REFERENCE.is_dir():
        pytest.skip(f"published data not found in {REFERENCE} (set PROBSENSE_REFERENCE to its folder)")
    return REFERENCE
