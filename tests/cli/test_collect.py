"""``probsense collect``: check, export, and what the tasks do with it."""

import re
import socket
import sys
from contextlib import closing

import pytest

from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study_file import read_study
from support.command import assert_refused
from support.studies.taking import Clock, Participant, client, study_file


def test_whatever_is_wrong_is_one_line(probsense, tmp_path):
    study_file(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words, message in (
            (("none.yaml",), "none.yaml: no such file"),
            (("study.yaml", "--port", port), f"cannot serve at 127.0.0.1, port {port}: Address already in use"),
            (("study.yaml", "--port", 99999), "cannot serve at 127.0.0.1, port 99999"),
            (("study.yaml", "--port", port, "--host", "nowhere.invalid"), "cannot serve at nowhere.invalid"),
            (("--port", 0, "study.yaml", "--db", "study.yaml"), "study.yaml: not an SQLite file"),
        ):  # fmt: skip
            assert_refused(probsense("collect", *words), message)
    assert not (tmp_path / "study.db").exists()


@pytest.mark.parametrize("wrong", ["ftp://a.example", "https:/study", "https://a.example/s?x=1", "/study#a"])
def test_where_a_proxy_shows_the_study_is_checked(probsense, tmp_path, wrong):
    study_file(tmp_path)
    done = probsense("collect", "study.yaml", "--root-path", wrong)
    assert_refused(done, f"probsense: --root-path {wrong!r} (expected ")


@pytest.mark.parametrize(
    ("root_path", "address"),
    [("https://a.example/s", "https://a.example/s/"), ("s", r"http://127\.0\.0\.1:\d+/s/")],
)
def test_printed_addresses_are_those_of_the_proxy(probsense, tmp_path, monkeypatch, root_path, address):
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)
    study = study_file(tmp_path)
    done = probsense("collect", study, "--port", 0, "--root-path", root_path)
    assert done.code == 0, done.err
    participants, researcher, *rest = done.out.splitlines()
    assert re.fullmatch(f"participants: {address}", participants)
    assert re.fullmatch(rf"researcher: {address}research/[\w-]{{32}}/", researcher)
    assert rest == [f"answers: {study.with_suffix('.db')}", "Ctrl-C stops"]
    assert ("put its name for that of this machine" in done.err) == (root_path == "s")


def test_without_the_extra_one_line_says_so(probsense, tmp_path, monkeypatch):
    study_file(tmp_path)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = probsense("collect", "study.yaml")
    assert done.code == 1
    assert "probsense collect needs starlette and uvicorn: pip install" in done.err
    assert "[collect]" in done.err
    assert probsense("collect", "check", "study.yaml").code == 0


def test_forgetting_asks_and_says_what_is_wrong(probsense, tmp_path):
    study, db = read_study(study_file(tmp_path)), tmp_path / "answers.db"
    with closing(Storage.open(db)) as storage:
        Participant(client(study, storage, Clock())).agree().finish()
    for words, message in (
        (("--person", 1), "nobody can be asked whether to remove person 1 with the answers to 4 pages ("),
        (("bob", "--yes"), "answers.db: there is nobody with the id 'bob' (expected an id or a number as in"),
        (("--person", 9, "--yes"), "answers.db: there is nobody with the number 9"),
        (("--yes",), "who is to be forgotten is not clear (expected an id, or --person N)"),
        (("ann", "--person", 1, "--yes"), "who is to be forgotten is not clear"),
    ):  # fmt: skip
        assert_refused(probsense("collect", "forget", db, *words), message)
