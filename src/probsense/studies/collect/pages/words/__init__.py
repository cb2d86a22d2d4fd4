"""The words of the participant's pages, by language."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from probsense.core.errors import InputError
from probsense.core.files import Place, read_yaml

_HERE = Path(str(files(__package__)))
_FILLED = re.compile(r"\{\w+\}")


def languages() -> list[str]:
    """List the languages whose words come with the package."""
    return sorted(path.stem for path in _HERE.glob("*.yaml"))


def words_in(language: str) -> dict[str, str]:
    """Read the words in a language of the package, as :func:`file_of` finds them."""
    return read_words(file_of(language))


def file_of(language: str) -> Path:
    """Find the file of a language of the package; a tag such as "en-GB" takes that of "en".

    Raises
    ------
    InputError
        For another language.
    """
    primary = language.split("-")[0].lower()
    if primary not in languages():
        known = " and ".join(languages())
        raise InputError(
            f"there are no words in the language {language!r}",
            expected=f"one of {known}, or a file of your own (words: FILE)",
        )
    return _HERE / f"{primary}.yaml"


def read_words(path: Path) -> dict[str, str]:
    """Read a file of words: the keys of the package's English one, and in each text only what is filled in there.

    Raises
    ------
    InputError
        For a missing or unknown key, a value that is no text, and for a place to fill in that the English text does
        not have.
    """
    place = Place(path)
    english = read_yaml(_HERE / "en.yaml")
    found = place.record(read_yaml(path), needed=tuple(english), expected="the keys of words/en.yaml")
    for name, text in found.items():
        known = _FILLED.findall(english[name])
        for filled in _FILLED.findall(place.word(text, name)):
            if filled not in known:
                raise place.wrong(text, name, f"a text with {' and '.join(known) or 'nothing to fill in'}")
    return found


def fill(text: str, **values: object) -> str:
    """Fill values into the words of a text, each at ``{name}``."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
