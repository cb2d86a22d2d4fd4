"""Tasks for lm-evaluation-harness: this folder is what its ``--include_path`` takes."""

from pathlib import Path

FOLDER = Path(__file__).parent
