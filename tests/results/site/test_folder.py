"""The folder of a site: only what changed is written, a killed build is mended, nothing else is touched."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.results.site.folder import MANIFEST, SiteFile, Written, check_site, write_files

paths = st.sampled_from(["index.html", "models/a.html", "models/b.html", "tasks/x.html", "data/x.csv"])
sites = st.dictionaries(paths, st.sampled_from("12"), max_size=5)


def files(site: dict[str, str]) -> list[SiteFile]:
    return [SiteFile(path, key, f"{path} of {key}".encode) for path, key in site.items()]


def content(folder: Path) -> dict[str, str]:
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    found.pop(MANIFEST)
    return found


@given(st.lists(sites, min_size=1, max_size=4))
def test_after_every_build_the_folder_is_the_site(tmp_path_factory: pytest.TempPathFactory, builds) -> None:
    folder = tmp_path_factory.mktemp("site")
    before: dict[str, str] = {}
    for site in builds:
        done = write_files(folder, files(site))
        assert content(folder) == {path: f"{path} of {key}" for path, key in site.items()}
        same = {path for path, key in site.items() if before.get(path) == key}
        assert done == Written(len(site) - len(same), len(same), len({*before} - {*site}))
        assert {path.name for path in folder.iterdir() if path.is_dir()} == {
            path.partition("/")[0] for path in site if "/" in path
        }
        before = site


def test_what_is_made_from_the_same_is_not_touched(tmp_path: Path) -> None:
    write_files(tmp_path, files({"a.html": "1", "b.html": "1"}))
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    write_files(tmp_path, files({"a.html": "1", "b.html": "1"}))
    assert {path.stat().st_mtime for path in tmp_path.iterdir()} == {1}
    write_files(tmp_path, files({"a.html": "1", "b.html": "2"}))
    assert (tmp_path / "a.html").stat().st_mtime == 1
    assert (tmp_path / "b.html").stat().st_mtime > 1


def test_a_file_that_somebody_removed_comes_back(tmp_path: Path) -> None:
    write_files(tmp_path, files({"a.html": "1"}))
    (tmp_path / "a.html").unlink()
    assert write_files(tmp_path, files({"a.html": "1"})).written == 1
    assert (tmp_path / "a.html").exists()


@pytest.mark.parametrize("after", range(4))
def test_a_build_that_is_killed_is_mended(tmp_path: Path, after: int) -> None:
    old, new = {"a.html": "1", "gone.html": "1", "c.html": "1"}, {"a.html": "1", "b.html": "2", "c.html": "2"}
    write_files(tmp_path, files(old))
    left = iter(range(after))

    def make(text: Callable[[], bytes]) -> bytes:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return text()

    def build() -> None:
        write_files(tmp_path, [replace(one, make=partial(make, one.make)) for one in files(new)])

    process = get_context("fork").Process(target=build)
    process.start()
    process.join()
    assert process.exitcode == (-signal.SIGKILL if after < 2 else 0)
    for path in tmp_path.rglob("*.html"):
        assert path.read_text()[-1] in "12", "every file is whole"
    write_files(tmp_path, files(new))
    assert content(tmp_path) == {path: f"{path} of {key}" for path, key in new.items()}


def test_pages_of_a_build_that_is_killed_do_not_stay_when_their_run_goes(tmp_path: Path) -> None:
    def kill() -> bytes:
        raise KeyboardInterrupt

    broken = [*files({"a.html": "1", "x.html": "1"}), SiteFile("b.html", "1", kill)]
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, broken)
    assert (tmp_path / "x.html").exists()
    write_files(tmp_path, files({"a.html": "1"}))
    assert content(tmp_path) == {"a.html": "a.html of 1"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "mine"),
        (MANIFEST, "{}"),
        (MANIFEST, '{"schema": "probsense site 1", "files": {"../mine.txt": "x"}}'),
        (MANIFEST, '{"schema": "probsense site 1", "files": {"/etc/x": "x"}}'),
        (MANIFEST, '{"schema": "probsense site 1", "files": ["x"]}'),
        (MANIFEST, "not json"),
    ],
)
def test_a_folder_with_something_else_is_refused(tmp_path: Path, name: str, text: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (folder / name).write_text(text)
    for refuse in (lambda: check_site(folder), lambda: write_files(folder, [])):
        with pytest.raises(InputError) as error:
            refuse()
        assert str(folder) in str(error.value)
    assert (folder / name).read_text() == text
    assert (tmp_path / "mine.txt").exists()
    with pytest.raises(InputError, match="no folder"):
        check_site(folder / name)


def test_other_files_in_a_site_stay(tmp_path: Path) -> None:
    write_files(tmp_path, files({"a.html": "1", "m/b.html": "1"}))
    for name in ("CNAME", ".nojekyll", "m/.b.html.12345678x"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "m" / ".b.html.1234abc_").write_text("half")
    write_files(tmp_path, files({"a.html": "2"}))
    assert (tmp_path / "CNAME").exists()
    assert (tmp_path / ".nojekyll").exists()
    assert (tmp_path / "m" / ".b.html.12345678x").exists()
    assert not (tmp_path / "m" / ".b.html.1234abc_").exists()
