"""Questions and people's answers, read from tables and from published files."""

from probsense.tasks.choices.data.question import Question
from probsense.tasks.choices.data.read import read_questions

__all__ = ["Question", "read_questions"]
