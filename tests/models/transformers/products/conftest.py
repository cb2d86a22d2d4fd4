"""Lets each test multiply by oneDNN where this PyTorch can, and by a stand-in elsewhere."""

import pytest

from probsense.models.transformers.products import is_there
from support.models import kernel


@pytest.fixture(autouse=True)
def _products(monkeypatch):
    if not is_there():
        kernel.stand_in(monkeypatch)
