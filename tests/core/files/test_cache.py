"""Where caches lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.files import cache_folder


def test_the_usual_place_is_the_platform_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("PROBSENSE_CACHE")
    assert cache_folder().name == "probsense"
