"""What tests of reports share."""

import pytest

from probsense.results.page import parts, report
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the charts out of pages: drawing takes long."""
    for module in (parts, report):
        monkeypatch.setattr(module, "can_draw", lambda: False)


@pytest.fixture(scope="session")
def guess():
    """Ask a guesser, which knows nothing and costs nothing, and store nothing."""

    def asked(task: str, seed: int | None = None, **options: object) -> Run:
        if task == "frames":  # without a model that tells how alike answers are
            options = {"answers": 2, "similarity": "exact", **options}
        model = "random" if seed is None else f"random:{seed}"
        return evaluate(task, model, store=None, quiet=True, **options)

    return asked
