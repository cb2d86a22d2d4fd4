"""The words of Winogrande."""

from typing import Final

from probsense.show.words import read_words
from probsense.tasks.shared.option_words import OPTION_WORDS

WORDS: Final = read_words("probsense.tasks.winogrande", base=OPTION_WORDS)
