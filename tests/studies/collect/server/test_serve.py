"""A real server: what it does before anybody comes, and what is there after it was killed or stopped."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import httpx
import pytest

from probsense.studies.collect.answers import gather
from probsense.studies.collect.storage import Storage
from support.studies.taking import Participant, server, study_file

SECONDS = 60.0


class Persistent(httpx.Client):
    """Sends every form until it is confirmed."""

    def request(self, *words: Any, **more: Any) -> httpx.Response:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return super().request(*words, **more)
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.05)


def take_part(base: str, number: int, halfway: Event) -> tuple[str, list[tuple[str, str]]]:
    """Answer everything; return the person's secret, and what was confirmed of each page."""
    browser = Persistent(follow_redirects=True, timeout=5, trust_env=False)
    one, confirmed = Participant(browser, base).agree().send(), list[tuple[str, str]]()
    while one.at.isdigit():
        page, q1 = one.at, "yes" if (number + len(confirmed)) % 3 else "no"
        one.send(q1=q1, q2="no")
        confirmed.append((page, q1))
        if page == "6":
            halfway.set()
    assert one.finish().heading == "Thank you"
    return one.page.url.path.split("/")[-2], confirmed


@pytest.mark.slow
def test_what_was_confirmed_is_there_after_a_kill(tmp_path):
    statements = [f"Statement {i}." for i in range(12)]
    block = {"kind": "statement", "statements": statements, "q1": "?", "q2": "?"}
    study, db = study_file(tmp_path, items=[block], per_item=8), tmp_path / "answers.db"
    halfway = Event()
    with server(study, db, 0) as (process, base), ThreadPoolExecutor(8) as pool:
        people = [pool.submit(take_part, base, i, halfway) for i in range(8)]
        assert halfway.wait(SECONDS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with server(study, db, httpx.URL(base).port or 0):
            by_token = dict(person.result() for person in people)
    storage = Storage.open_known(db)
    found = gather(storage)
    assert len(found) == 8
    for one in found:
        assert one.reasons == ()
        assert [(item.page, item.values["q1"]) for item in one.items] == by_token[one.person.token]
        assert len(one.items) == 12
    assert {*storage.loads(0, 0).values()} == {8}
    storage.close()


def test_ctrl_c_ends_cleanly_and_says_where_the_answers_are(tmp_path):
    study, db = study_file(tmp_path), tmp_path / "here.db"
    with server(study, db, 0) as (process, base):
        assert httpx.get(base, trust_env=False).status_code == 200
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert err == f"stopped; the answers are in {db}\n"
    assert "127.0.0.1" not in err  # nor who asked
