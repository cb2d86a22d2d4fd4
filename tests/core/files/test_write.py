"""What is written to: files, links, devices, pipes and standard output; and what is refused."""

import os
import resource
import signal
import stat
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.files import STDOUT, check_folder, check_writable, writing


def write(path, content=b"whole"):
    with writing(path) as stream:
        stream.write(content)


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "file"
    with writing(path) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    with pytest.raises(TypeError), writing(path) as stream:
        stream.write("no bytes")
    assert path.read_bytes() == b"whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o640)
    write(path)
    assert path.read_bytes() == b"whole"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_the_umask_which_no_other_thread_sees_changed(tmp_path, monkeypatch):
    before, changed = os.umask(0o027), []
    try:
        monkeypatch.setattr(os, "umask", changed.append)
        write(tmp_path / "file")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert not changed
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stands_for_its_target(tmp_path, there):
    link, target = tmp_path / "link", tmp_path / "other" / "target"
    link.symlink_to("other/target")
    if there:
        target.parent.mkdir()
        target.write_text("before")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"whole"
    assert not target.is_symlink()


def test_a_device_stays_a_device(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    for path in (link, Path(os.devnull)):
        write(path)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert link.is_symlink()


def test_a_pipe_gets_all_or_nothing(tmp_path):
    pipe, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    with pytest.raises(TypeError), writing(pipe) as stream:
        stream.write("no bytes")
    write(pipe)
    reader.join()
    assert found == [b"whole"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_dash_is_standard_output(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    print("before")
    write(STDOUT)
    assert capsysbinary.readouterr().out == b"before\nwhole"
    assert not [*tmp_path.iterdir()]


@contextmanager
def no_room(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    kept = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        yield tmp_path / "file"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, kept)


def test_a_disk_without_room(tmp_path):
    with no_room(tmp_path) as path, pytest.raises(InputError, match="file: cannot be written: File too"):
        write(path)
    assert not [*tmp_path.iterdir()]
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left on device"):
        write(Path("/dev/full"))


def test_paths_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a\nline").mkdir()
    for name in ("file/below", "loop", "a\nline", ".", "x" * 300, "/".join(["x" * 200] * 25)):
        with pytest.raises(InputError, match="cannot be written") as refused:
            write(tmp_path / name)
        assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="it is a folder"):
        check_writable(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a\nline", "file", "loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_others_own_stays(tmp_path):
    path, folder = tmp_path / "file", tmp_path / "folder"
    path.touch(0o444)
    folder.mkdir(0o555)
    for one in (path, folder / "new"):
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            write(one)


def test_folders_to_write_into(tmp_path):
    (tmp_path / "file").touch()
    check_folder(tmp_path)
    check_folder(tmp_path / "new")
    for path in (STDOUT, tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError):
            check_folder(path)
