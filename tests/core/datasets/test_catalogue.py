from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath

import pytest

from probsense.core.datasets.catalogue import BY_HAND, CATALOGUE, DataFile, DataSet, Part, find
from probsense.core.errors import InputError

WORLDSENSE, WINOGRANDE, JUDGMENTS = (CATALOGUE[name] for name in ("worldsense", "winogrande", "judgments"))
FILES = [(one, part, file) for one in CATALOGUE.values() for part in one.parts for file in part.files]


def test_worldsense_names_its_licence_its_makers_and_one_commit() -> None:
    assert WORLDSENSE.licence == "CC BY-NC 4.0"
    assert "Benchekroun" in WORLDSENSE.attribution
    assert "2311.15930" in WORLDSENSE.attribution
    assert re.search(r"/bd81d945[0-9a-f]{32}/", WORLDSENSE.base_url)


def test_winogrande_names_its_licence_its_makers_and_one_commit_and_pins_every_file() -> None:
    assert WINOGRANDE.licence == "CC BY"
    assert "Sakaguchi" in WINOGRANDE.attribution
    assert re.search(r"/[0-9a-f]{40}/", WINOGRANDE.base_url)
    names = {part.name: [file.path for file in part.files] for part in WINOGRANDE.parts}
    assert names["dev"] == ["dev.jsonl"]
    assert names["test"] == ["test.jsonl"]
    assert len(names["train"]) == 6
    assert all(file.sha256 for part in WINOGRANDE.parts for file in part.files)


def test_judgments_names_its_licence_its_makers_and_a_commit_for_every_file_and_pins_the_ratings() -> None:
    assert JUDGMENTS.licence == "MIT"
    assert "pgag029" in JUDGMENTS.attribution
    pinned = {file.path: file.git_blob for part in JUDGMENTS.parts for file in part.files}
    assert all(
        re.match(r"[0-9a-f]{40}/data/", file.source) for part in JUDGMENTS.parts for file in part.files
    )
    assert {path for path, blob in pinned.items() if blob} == {"individual_ratings.csv", "group_ratings.csv"}
    assert all(re.fullmatch("[0-9a-f]{40}", blob) for blob in pinned.values() if blob)


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


@pytest.mark.parametrize(
    ("data_set", "part", "file"),
    FILES,
    ids=[f"{one.name}/{part.name}/{file.path}" for one, part, file in FILES],
)
def test_a_file_has_a_pinned_address_a_path_of_its_own_and_a_checksum(
    data_set: DataSet, part: Part, file: DataFile
) -> None:
    for path in (file.path, file.source, part.name, data_set.name):
        assert not PurePosixPath(path).is_absolute()
        assert ".." not in PurePosixPath(path).parts
    assert all(url.startswith("https://") for url in (data_set.home, data_set.licence_url))
    assert re.match(r"https://[^?#]+/[0-9a-f]{40}/", f"{data_set.base_url}/{file.source}")
    sums = re.fullmatch(r"[0-9a-f]{64}-|-[0-9a-f]{40}", f"{file.sha256 or ''}-{file.git_blob or ''}")
    assert sums or part.name == "mnli_m"
    assert file.size is None or (file.size > 10_000 and file.sha256)


def test_no_two_files_share_a_place() -> None:
    for place in ("path", "source"):
        places = [
            (one.name, part.name if place == "path" else "", getattr(file, place))
            for one, part, file in FILES
        ]
        assert len(set(places)) == len(places) == 44


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
    file, home, verb = (BY_HAND[name][key] for key in ("file", "home", "command"))
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
                assert path.stat().st_size == file.size
                compared += 1
    assert compared == 10
