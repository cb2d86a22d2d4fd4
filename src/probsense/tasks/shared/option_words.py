"""The words of tasks with options: measures, views, and the chart of calibration."""

from __future__ import annotations

from typing import Final

from probsense.show.words import WordsFile

_FILE: Final = WordsFile("probsense.tasks.shared")
MEASURES: Final = _FILE.measures
OPTION_WORDS: Final = _FILE.words()
"""The words of tasks with options, to which each adds its own."""
PLAIN_WORDS: Final = WordsFile("probsense.tasks.shared", "plain_words.toml").words(OPTION_WORDS)
"""The words of tasks that bring none: those of options, labels and distances from people."""
