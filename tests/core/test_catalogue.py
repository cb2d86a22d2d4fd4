import hashlib
import re
from pathlib import PurePosixPath

import pytest

from probsense.core.datasets import BY_HAND, CATALOGUE, find
from probsense.core.errors import InputError

WORLDSENSE = CATALOGUE["worldsense"]
FILES = [(one, part, file) for one in CATALOGUE.values() for part in one.parts for file in part.files]


@pytest.mark.parametrize(
    ("data_set", "part", "file"),
    FILES,
    ids=[f"{one.name}/{part.name}/{file.path}" for one, part, file in FILES],
)
def test_a_file_has_a_pinned_address_a_path_of_its_own_and_a_checksum(data_set, part, file):
    for path in (file.path, file.source, part.name, data_set.name):
        assert not PurePosixPath(path).is_absolute()
        assert ".." not in PurePosixPath(path).parts
    assert all(url.startswith("https://") for url in (data_set.home, data_set.licence_url))
    assert re.match(r"https://[^?#]+/[0-9a-f]{40}/", f"{data_set.base_url}/{file.source}")
    assert re.fullmatch("[0-9a-f]{64}-|-[0-9a-f]{40}", f"{file.sha256}-{file.git_blob}")
    assert file.size is None or (file.size > 10_000 and file.sha256)


def test_find_gives_the_whole_or_one_part_or_names_the_nearest():
    assert find("worldsense") == (WORLDSENSE, WORLDSENSE.parts)
    assert find("worldsense/ood-query") == (WORLDSENSE, (WORLDSENSE.parts[3],))
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
    for data_set, part, file in FILES:
        folder = reference_data / data_set.name
        for path in (folder / part.name / file.path, folder / file.path):
            if path.is_file():
                assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256, path
                assert path.stat().st_size == file.size
                compared += 1
    assert compared == 10
