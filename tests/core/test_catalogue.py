import hashlib
import re
from pathlib import PurePosixPath

import pytest

from probsense.core.datasets import BY_HAND, CATALOGUE, _files, find
from probsense.core.errors import InputError

WORLDSENSE = CATALOGUE["worldsense"]
FILES = [file for name in CATALOGUE for file in _files(name)]


@pytest.mark.parametrize(("path", "url", "file"), FILES, ids=[path for path, *_ in FILES])
def test_a_file_has_a_pinned_address_a_path_of_its_own_and_a_checksum(path, url, file):
    assert not PurePosixPath(path).is_absolute()
    assert ".." not in PurePosixPath(path).parts
    assert re.match(r"https://[^?#]+/[0-9a-f]{40}/", url)
    assert re.fullmatch("[0-9a-f]{64}-|-[0-9a-f]{40}", f"{file.sha256}-{file.git_blob}")
    assert file.size is None or (file.size > 10_000 and file.sha256)


def test_find_gives_the_whole_or_one_part_or_names_the_nearest():
    assert find("worldsense") == (WORLDSENSE, WORLDSENSE.parts)
    assert find("worldsense/ood-query") == (WORLDSENSE, {"ood-query": WORLDSENSE.parts["ood-query"]})
    for name, nearest in (("wordsense", "worldsense"), ("winogrande/training", "winogrande/train")):
        with pytest.raises(InputError, match=rf"did you mean '{nearest}'\?"):
            find(name)
    with pytest.raises(
        InputError, match=r"no such data set: 'x' \(expected one of worldsense, .*, chaosnli/mnli_m, pap,"
    ):
        find("x")


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_not_pinned_is_told_in_one_line_that_says_how_to_get_it(name):
    file, home, verb = (BY_HAND[name][key] for key in ("file", "home", "command"))
    with pytest.raises(InputError) as caught:
        find(name)
    said = str(caught.value)
    assert all(part in said for part in (name, file, home, f"probsense {verb}"))
    assert "\n" not in said


@pytest.mark.reference
def test_pinned_checksums_are_those_of_the_published_files(reference_data):
    compared = 0
    for whole, _, file in FILES:
        data_set, _, below = whole.partition("/")
        for path in (reference_data / whole, reference_data / data_set / below.partition("/")[2]):
            if path.is_file():
                assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256, path
                assert path.stat().st_size == file.size
                compared += 1
    assert compared == 10
