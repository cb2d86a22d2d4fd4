"""WordNet read from a small dictionary of our own, in WordNet's format, and from the real one where it is."""

import shutil
import zipfile
from itertools import product
from pathlib import Path

import nltk
import pytest

from probsense.core.errors import InputError
from probsense.tasks.frames.measures.wordnet import find, load

DICTIONARY = Path(__file__).with_name("dictionary")
"""Eleven synsets in the format of WordNet's dictionary files, in which places count bytes."""


def dictionary(folder):
    return shutil.copytree(DICTIONARY, folder, dirs_exist_ok=True)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setenv("PROBSENSE_WORDNET", str(DICTIONARY))
    return load()


def test_phrases_and_their_base_forms_have_synsets(small):
    assert small.synsets("small craft") == small.synsets("Boats") == {"boat.n.01"}
    assert small.synsets("ferries") == {"ferry.n.01", "carry.v.01"}
    assert small.synsets("geese") == {"goose.n.01"}
    assert small.synsets("faster") == {"quick.a.01"}
    assert small.synsets("zeppelin") == small.synsets("") == frozenset()
    assert small.longest == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("can't stop the ferry's bell.", ["ca", "n't", "stop", "the", "ferry", "'s", "bell", "."]),
        ("the quay. boats", ["the", "quay", ".", "boats"]),
        ("at 6 p.m. sharp", ["at", "6", "p.m.", "sharp"]),
        ("dr. kim or (mrs. kim)", ["dr.", "kim", "or", "(", "mrs.", "kim", ")"]),
        ("number 7. then 8. Stop", ["number", "7.", "then", "8", ".", "Stop"]),
        (" . x", [".", "x"]),
    ],
)
def test_full_stops_end_sentences_but_not_abbreviations(small, text, expected):
    assert small.words(text) == expected


def test_a_zip_is_as_good_as_a_folder(tmp_path, monkeypatch):
    folder = dictionary(tmp_path / "wordnet")
    corpora = tmp_path / "corpora"
    corpora.mkdir()
    with zipfile.ZipFile(corpora / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setenv("PROBSENSE_WORDNET", str(folder))
    assert find() == folder
    monkeypatch.delenv("PROBSENSE_WORDNET")
    assert find() == corpora / "wordnet.zip"
    assert load().synsets("small craft") == {"boat.n.01"}


def test_a_named_folder_without_wordnet_is_refused(tmp_path, monkeypatch):
    (dictionary(tmp_path / "part") / "verb.exc").unlink()
    (tmp_path / "not.zip").write_bytes(b"no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("wordnet/index.adv", "")
    names, broken = "PROBSENSE_WORDNET names no WordNet", "not WordNet's dictionary files"
    for place, message in (("", names), ("not.zip", names), ("part", broken), ("other.zip", broken)):
        monkeypatch.setenv("PROBSENSE_WORDNET", str(tmp_path / place))
        with pytest.raises(InputError, match=message):
            load()


def test_where_there_is_none_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.delenv("PROBSENSE_WORDNET", raising=False)
    asked = []
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(Path, "is_file", lambda place: bool(asked.append(place)))
    with pytest.raises(InputError, match=r"not found on this machine.*nltk.downloader wordnet.*wordnet-base"):
        load()
    assert asked == [Path("/usr/share/wordnet/index.noun")]


def test_closeness_is_that_of_the_closest_synsets(small):
    words = ["ferry", "boat", "ferry boat", "bus", "person", "carry", "haul", "fast", "soon"]
    for a, b in product(words, words):
        left, right = (small._reader.synsets(phrase.replace(" ", "_")) for phrase in (a, b))
        assert small.wup(a, b) == max(x.wup_similarity(y) or 0.0 for x in left for y in right), (a, b)
    assert small.wup("ferry", "zeppelin") == 0


@pytest.mark.filterwarnings("ignore:No WordNet synset")
@pytest.mark.parametrize(
    ("file", "junk", "message"),
    [
        ("index", b"ferry n one\n", "not WordNet's dictionary"),
        ("index", b"\xff\xfe\n", "not WordNet's dictionary"),
        ("data", b"\0" * 999, "do not fit its index"),
        ("data", b"00000028 03 n 07 boat 0\n" * 99, "do not fit its index"),
    ],
)
def test_broken_files_are_refused(tmp_path, monkeypatch, file, junk, message):
    (dictionary(tmp_path) / f"{file}.noun").write_bytes(junk)
    monkeypatch.setenv("PROBSENSE_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match=message):
        load().synsets("thing")
