"""The words of tasks with options: measures, views, and the chart of calibration."""

from __future__ import annotations

from typing import Final

from probsense.show.words import read_words

OPTION_WORDS: Final = read_words("probsense.tasks.shared")
"""The words of tasks with options, to which each adds its own."""
PLAIN_WORDS: Final = read_words("probsense.tasks.shared", "plain_words.toml", base=OPTION_WORDS)
"""The words of tasks that bring none: those of options, labels and distances from people."""
