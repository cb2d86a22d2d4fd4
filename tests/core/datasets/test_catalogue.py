from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath

import pytest

from probsense.core.datasets.catalogue import BY_HAND, CATALOGUE, find
from probsense.core.errors import InputError

WORLDSENSE = CATALOGUE["worldsense"]
FILES = [(one, part, file) for one in CATALOGUE.values() for part in one.parts for file in part.files]


def test_every_data_set_names_its_terms_and_makers_and_pins_each_file() -> None:
    for one in CATALOGUE.values():
        assert all([one.title, one.licence, one.attribution, one.parts])
        assert all(url.startswith("https://") for url in (one.licence_url, one.home, one.base_url))
        assert all(part.title and part.files for part in one.parts)
    for one, part, file in FILES:
        assert re.search(r"[/^][0-9a-f]{40}/", f"{one.base_url}/{file.source}"), (part.name, file.path)


def test_every_file_but_one_has_a_checksum() -> None:
    kinds = {file.path: (file.sha256, file.git_blob) for _, _, file in FILES}
    assert [path for path, sums in kinds.items() if not any(sums)] == ["chaosNLI_mnli_m.jsonl"]
    git = {path: blob for path, (_, blob) in kinds.items() if blob}
    assert git.keys() == {"individual_ratings.csv", "group_ratings.csv"}
    assert all(re.fullmatch("[0-9a-f]{40}", blob) for blob in git.values())


def test_every_test_set_has_its_trials_and_results_and_the_published_file_names() -> None:
    parts = {part.name: [file.path for file in part.files] for part in WORLDSENSE.parts}
    assert list(parts) == ["test_set", "memorisation", "ood-size", "ood-query", "ood-problem", "training"]
    for name, paths in parts.items():
        if name != "training":
            assert paths[0] == "trials.jsonl.bz2"
            assert len(paths) == (5 if name == "test_set" else 4)
            assert all(re.fullmatch(r"results/basic___[^/_]+___results\.jsonl", path) for path in paths[1:])


def test_the_other_test_sets_lie_in_a_folder_of_their_own_at_their_makers() -> None:
    sources = {file.source for _, _, file in FILES}
    assert "test_set/trials.jsonl.bz2" in sources
    assert "other_tests/ood-size/results/basic___Llama2-FT+0___results.jsonl" in sources
    assert "training_set/trials_100k.jsonl.bz2" in sources


def test_paths_stay_in_their_folder_and_checksums_are_checksums() -> None:
    for data_set, part, file in FILES:
        for path in (file.path, file.source, part.name, data_set.name):
            assert not PurePosixPath(path).is_absolute(), path
            assert ".." not in PurePosixPath(path).parts, path
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256), file.path


def test_no_two_files_share_a_place() -> None:
    places = [(data_set.name, part.name, file.path) for data_set, part, file in FILES]
    assert len(set(places)) == len(places)
    assert len({file.source for _, _, file in FILES}) == len(FILES)


def test_find_gives_the_whole_or_one_part() -> None:
    assert find("worldsense") == (WORLDSENSE, WORLDSENSE.parts)
    assert find("worldsense/ood-query") == (WORLDSENSE, (WORLDSENSE.parts[3],))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("wordsense", "worldsense"),
        ("winogrand", "winogrande"),
        ("winogrande/training", "winogrande/train"),
        ("worldsense/testset", "worldsense/test_set"),
        ("worldsense/memorization", "worldsense/memorisation"),
    ],
)
def test_find_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(InputError, match=rf"did you mean '{nearest}'\?"):
        find(name)


def test_find_lists_what_there_is_when_nothing_is_near() -> None:
    with pytest.raises(
        InputError,
        match=r"no data set 'x' \(expected one of worldsense, .*, blend, lewidi, pap, cloze, alignment, simbench\)",
    ):
        find("x")


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_not_pinned_is_told_in_one_line_that_says_how_to_get_it(name: str) -> None:
    file, home, verb = BY_HAND[name]
    with pytest.raises(InputError) as caught:
        find(name)
    said = str(caught.value)
    assert all(part in said for part in (name, file, home, f"probsense {verb}"))
    assert "\n" not in said


@pytest.mark.reference
def test_pinned_checksums_are_those_of_the_published_files(reference_data: Path) -> None:
    compared = 0
    for data_set, part, file in FILES:
        folder = reference_data / data_set.name
        for path in (folder / part.name / file.path, folder / file.path):
            if path.is_file():
                assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256, path
                compared += 1
    assert compared == 10
