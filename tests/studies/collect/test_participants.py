"""Whoever is forgotten leaves no trace in the file, and everybody else stays."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Semaphore

import pytest

from probsense.core.errors import InputError
from probsense.studies.collect import storage
from probsense.studies.collect.answers import gather
from support.studies.taking import FRAME, block_of, form_of

IDS = {"participant": "pid", "session": "sid"}


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("answers.db*"))


def test_no_trace_is_left_in_the_file_and_others_stay(served, tmp_path):
    block = block_of("frame", tmp_path, *({**FRAME, "id": str(i)} for i in range(12)), answers=3)
    here = served(items=[block], ids=IDS, per_item=30)
    here.storage._db.execute("PRAGMA secure_delete = OFF")  # On some systems it is on.
    people = {
        name: here.participant(f"/?pid=pid-{name}&sid=sid-{name}").agree().send()
        for name in [f"other{i}" for i in range(12)] + ["mallory"]
    }
    for number in range(12):  # They answer in turn, so that pages of the file are split between them.
        for name, one in people.items():
            one.send(answer_1=f"{name} said {number} " + "x" * 200, answer_2=f"{name} again")
    secret = here.storage.find("pid-mallory", "participant")
    for known in (b"mallory", secret.token.encode()):
        assert known in stored(here.folder)
    before = gather(here.storage)
    number, what = here.storage.find_anybody("pid-mallory")
    assert what == "person 13 with the answers to 13 pages"
    done = here.storage.forget(number, here.clock())
    assert (done.person, done.answers, done.places) == (13, 13, 12)
    assert (here.folder / "answers.db-wal").stat().st_size == 0
    for known in (b"mallory", secret.token.encode()):
        assert known not in stored(here.folder)
    assert gather(here.storage) == before[:12]
    assert {*here.storage.loads(here.clock(), 30).values()} == {12}
    assert here.participant().agree().at == "instructions"
    assert here.storage.people()[-1].number == 14  # Files that were exported before have a 13.
    page = people["mallory"].open(f"/p/{secret.token}/3").page
    assert page.status_code == 404
    assert people["mallory"].open("/?pid=pid-mallory&sid=sid-mallory").heading == "About this study"


def test_hashed_ids_are_found_by_what_they_were_and_by_what_they_are(served):
    here = served(ids=IDS, hash_ids=True)
    here.participant("/?pid=ann").agree()
    [person] = here.storage.people()
    assert here.storage.find_anybody(" ann ")[0] == here.storage.find_anybody(person.participant)[0] == 1


@pytest.fixture
def tried(monkeypatch):
    """Counts the tries to write a file anew, with short pauses between them."""
    tries, own = Semaphore(0), time.sleep
    monkeypatch.setattr("time.sleep", lambda seconds: (tries.release(), own(seconds / 5)))
    return tries


def test_others_go_on_while_somebody_holds_the_file(served, tried, monkeypatch):
    """Each try to write the file anew holds the lock for a moment only."""
    monkeypatch.setattr(storage, "TRIES", 1000)
    here = served()
    here.participant().agree().finish()
    other = here.participant().agree()
    with (
        closing(sqlite3.connect(here.db, isolation_level=None)) as reader,
        closing(here.storage.again()) as own,
        ThreadPoolExecutor() as pool,
    ):
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM answers").fetchall()
        forgetting = pool.submit(own.forget, 1, 1)
        here.storage.wait_at_most(0.8)
        try:
            tries = 0
            while tries < 3:
                tries += tried.acquire(timeout=0.05)
                here.clock.pass_(ms=1000)
                assert other.open("/").page.status_code == 200
                assert other.send().page.status_code == 200
        finally:
            reader.execute("ROLLBACK")
        assert forgetting.result().answers > 0


def test_an_old_tab_answers_no_page_of_a_new_person(served):
    here = served(ids=IDS)
    one = here.participant("/?pid=ann&sid=s").agree().send()
    old = form_of(one.page.text), str(one.page.url)
    here.storage.forget(1, 1)
    one.agree().send()
    assert str(one.page.url) == old[1]
    assert one.browser.post(old[1], data={**old[0].hidden, "q1": "yes", "q2": "yes"}).status_code == 403


def test_a_file_in_use_says_what_to_do(served, tried, monkeypatch):
    monkeypatch.setattr(storage, "TRIES", 2)
    here = served()
    here.participant().agree().finish()
    with closing(sqlite3.connect(here.db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM answers").fetchall()
        with pytest.raises(InputError, match=r"person 1 is removed, but .* \(expected --person 1 once more"):
            here.storage.forget(1, 1)
    with pytest.raises(InputError, match=r"nobody with the id '1' .*--person if they are removed but left"):
        here.storage.find_anybody("1")
    assert here.storage.find_anybody(1) == (1, "what is left of person 1")
    assert here.storage.forget(1, 2).answers == 0
    assert (here.folder / "answers.db-wal").stat().st_size == 0
