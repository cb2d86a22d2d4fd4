"""The words of choices: those of ``words.toml``."""

from __future__ import annotations

from typing import Final

from probsense.show.words import Words, WordsFile

WORDS: Final[Words] = WordsFile("probsense.tasks.choices").words()
"""The words of the task."""
