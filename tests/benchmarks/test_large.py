"""The benchmark of large runs asks what it says; it times and kills nothing here."""

import time

import large


def test_every_question_is_asked_once(tmp_path):
    store = tmp_path / "a.db"
    first = large.ask(3_000, store, time.time())
    again = large.ask(3_000, store, time.time())
    assert (first["asked"], again["asked"]) == (3_000, 0)
    assert first["accuracy"] == again["accuracy"]
    assert abs(first["accuracy"] - 0.25) < 0.05
    assert large.answers(store) == 3_000
    assert large.answers(tmp_path / "none.db") == 0
