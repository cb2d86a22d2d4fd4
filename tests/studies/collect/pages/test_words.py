"""The words of the pages: each language has all of them."""

import pytest
import yaml

from probsense.core.errors import InputError
from probsense.studies.collect.pages.words import languages, read_words, words_in


def test_every_language_has_every_word():
    assert languages() == ["de", "en"]
    german, english = words_in("de-AT"), words_in("en")
    assert english["back"] == "Back"
    assert all(german[key] != text for key, text in english.items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"back": None}, "back is missing"),
        ({"backk": "x"}, "unknown key backk; did you mean 'back'"),
        ({"back": ""}, "back is ''"),
        ({"yes": True}, "yes is True (expected text; in YAML, put it in quotes)"),
        ({"progress": "Frage {nummer}"}, "expected a text with {number} and {count}"),
        ({"back": "{number}"}, "expected a text with nothing to fill in"),
    ],
)
def test_a_file_of_words_is_checked(tmp_path, changes, message):
    document = {key: value for key, value in {**words_in("en"), **changes}.items() if value is not None}
    path = tmp_path / "fr.yaml"
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(InputError) as error:
        read_words(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))
