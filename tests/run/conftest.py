"""Lets the tests of runs, and the processes that they start, import ``run_fakes``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
