"""A real server: what it does before anybody comes, and what is there after it was killed or stopped."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import httpx
import pytest

from probsense.studies.collect.answers import gather
from probsense.studies.collect.storage import Storage
from support.studies.taking import form_of, server, study_file

SECONDS = 60.0


class Person:
    """Somebody who sends every form until it is confirmed."""

    def __init__(self, base: str) -> None:
        self.browser = httpx.Client(base_url=base, follow_redirects=False, timeout=5, trust_env=False)
        self.confirmed: list[tuple[str, str]] = []

    def ask(self, method: str, path: str, data: dict[str, str] | None = None) -> httpx.Response:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return self.browser.request(method, path, data=data)
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def take_part(self, number: int, halfway: Event) -> str:
        path = ""
        where = self.ask("POST", "start", {**form_of(self.ask("GET", "").text).hidden, "consent": "yes"})
        path = where.headers["location"]
        while not path.endswith("/end"):
            page = self.ask("GET", path)
            folder, name = path.rsplit("/", 1)
            q1 = "yes" if (number + len(self.confirmed)) % 3 else "no"
            values = {"q1": q1, "q2": "no"} if name.isdigit() else {}
            done = self.ask("POST", path, {**form_of(page.text).hidden, "go": "on", **values})
            assert done.status_code == 303
            if name.isdigit():
                self.confirmed.append((name, q1))
                if int(name) == 6:
                    halfway.set()
            path = f"{folder}/{done.headers['location']}"
        assert "Thank you" in self.ask("GET", path).text
        return folder.removeprefix("p/")


@pytest.mark.slow
def test_what_was_confirmed_is_there_after_a_kill(tmp_path):
    statements = [f"Statement {i}." for i in range(12)]
    block = {"kind": "statement", "statements": statements, "q1": "?", "q2": "?"}
    study, db = study_file(tmp_path, items=[block], per_item=8), tmp_path / "answers.db"
    halfway = Event()
    with server(study, db, 0) as (process, base), ThreadPoolExecutor(8) as pool:
        people = [Person(base) for _ in range(8)]
        tokens = [pool.submit(person.take_part, i, halfway) for i, person in enumerate(people)]
        assert halfway.wait(SECONDS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with server(study, db, httpx.URL(base).port or 0):
            by_token = {
                token.result(): person.confirmed for token, person in zip(tokens, people, strict=True)
            }
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
