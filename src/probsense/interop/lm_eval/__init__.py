"""Runs our scorer and our tasks inside lm-evaluation-harness, and reads its samples."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "tasks"
"""Tasks for lm-evaluation-harness: this folder is what its ``--include_path`` takes."""
