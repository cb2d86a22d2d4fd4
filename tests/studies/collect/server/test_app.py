"""A participant's whole way, for each kind of item, and what else can happen on it."""

from __future__ import annotations

import re
from typing import Any

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient

from probsense.core.errors import InputError, ProbSenseError
from probsense.studies.collect.answers import gather
from probsense.studies.collect.server import requests
from probsense.studies.collect.server.app import build_app
from probsense.studies.collect.server.requests import BODY, BURST
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from support.studies.taking import CHECK, FRAME, HOME, SCHEMA, block_of, form_of, make_study

IDS = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
CODE = {"code": "C1A2", "address": "https://platform.example/done?cc=C1A2"}


def address(person: str, session: str = "s1") -> str:
    return f"/?PROLIFIC_PID={person}&STUDY_ID=st&SESSION_ID={session}"


def test_the_whole_way_with_statements(served):
    here = served(completion=CODE)
    one = here.participant().open()
    assert one.heading == "About this study"
    assert "<li>You may stop.</li>" in one.page.text
    one.send(consent="yes")
    assert (one.at, one.heading) == ("instructions", "What you will do")
    one.send()
    seen = []
    for number in (1, 2, 3):
        assert one.heading == f"Question {number} of 3"
        seen += re.findall(r"<blockquote[^>]*>.*</span>(.*?)</blockquote>", one.page.text)
        assert one.fields() == {"q1": ["yes", "no"], "q2": ["yes", "no"]}
        here.clock.pass_(ms=1500)
        one.send(q1="yes", q2="no")
    assert sorted(seen) == ["Dogs bark.", "Fire is cold.", "Water is wet."]
    assert (one.at, one.heading) == ("finish", "That was the last question")
    assert "C1A2" not in one.page.text
    one.send()
    assert (one.at, one.heading) == ("end", "Thank you")
    assert "C1A2" in one.text
    assert f'href="{CODE["address"]}"' in one.page.text
    [person] = here.storage.people()
    assert person.end == "completion"
    given = [(g.page, g.values, g.ms) for g in here.storage.all_answers()]
    own = [(str(n), {"q1": "yes", "q2": "no"}, 1500) for n in (1, 2, 3)]
    assert given == [("instructions", {}, 0), *own]


def test_the_whole_way_with_every_other_kind(served, tmp_path):
    write_testset(tmp_path / "set", Design(seed=5, sizes=(3,)))
    here = served(
        items=[
            block_of("frame", tmp_path, FRAME, answers=3),
            block_of("choice", tmp_path, SCHEMA),
            {"kind": "worldsense", "data": "../set", "per_person": 2},
        ]
    )
    one = here.participant().agree().send()
    assert "A kite is torn.\n\nBy what?" in one.text
    assert "Give up to 3 answers" in one.text
    one.send(answer_2=" the  wind ", answer_3="the wind")
    assert "The ______ was large." in one.text
    one.send(choice="1")
    for _ in range(2):
        [shown] = [question for question in here.study.blocks[2].questions if question.text in one.text]
        assert re.findall(r"<span>(.*?)</span></label>", one.page.text) == [*shown.options]
        one.send(choice="0")
    one.send()
    assert one.heading == "Thank you"
    values = [dict(g.values) for g in here.storage.all_answers()][1:]
    assert values == [{"answer_1": "the wind"}, {"choice": "1"}, {"choice": "0"}, {"choice": "0"}]


def test_a_missing_answer_is_said_and_the_rest_is_kept(served):
    one = served().participant().agree().send().send(q2="no")
    assert one.page.status_code == 200
    assert one.at == "1"
    assert "<title>Error: Question 1 of 3" in one.page.text
    assert '<a href="#q1-1">Do you agree? – Please answer this question.</a>' in one.page.text
    assert 'id="q1-1"' in one.page.text
    assert one.given() == {"q2": "no"}
    one.send(q1="maybe", q2="no")
    assert "Error:" in one.page.text
    one.send(q1="yes", q2="no")
    assert one.at == "2"
    assert "Error" not in one.page.text


def test_nobody_gets_ahead(served):
    one = served().participant().agree()
    base = str(one.page.url).rsplit("/", 1)[0]
    for page in ("3", "finish", "about", "nowhere"):
        assert one.open(f"{base}/{page}").at == "instructions"
    form = form_of(one.page.text)
    assert one.browser.post(f"{base}/finish", data=form.hidden).status_code == 403
    one.send()
    one.page = one.browser.get(f"{base}/end")
    assert one.at == "1"


def test_numbers_and_choices_about_people(served):
    fields = [
        {"name": "age", "label": "Your age?", "kind": "number", "low": 18, "high": 99, "required": True},
        {**HOME, "options": [f"h{i}" for i in range(12)]},
        {"name": "work", "label": "Your work?", "kind": "text"},
    ]
    here = served(demographics=fields)
    one = here.participant().agree().send()
    assert one.at == "about"
    for age in ("", "x", "17", "100", "nan", "inf", "1e999"):
        one.send(age=age, work="<b>ä</b>")
        assert "Please give a number from 18 to 99." in one.text
        assert one.given().get("work") == "<b>ä</b>"
    assert '<option value="h3">' in one.page.text
    one.send(age="34,5", home="h3")
    assert one.at == "1"
    one.send(go="back")
    assert '<option value="h3" selected>' in one.page.text
    assert one.given() == {"age": "34,5"}


def test_screening_by_what_people_say(served):
    home, end = {**HOME, "screen_out": ["land"]}, {"code": "SCR", "text": "Only the sea."}
    here = served(demographics=[home], screened_out=end, per_item=1)
    one = here.participant().agree().send().send(home="land")
    assert one.at == "end"
    assert "Only the sea." in one.text
    assert "SCR" in one.text
    assert [p.end for p in here.storage.people()] == ["screened_out"]
    other = here.participant().agree().send().send(home="sea")  # The places went back at once.
    assert other.at == "1"


@pytest.mark.parametrize(("most", "out"), [(0, False), (1, True), (2, False)])
def test_failed_attention_checks(served, most, out):
    here = served(checks=[CHECK, {**CHECK, "text": "Blue again."}], failed_checks=most)
    one = here.participant().agree().send()
    failed = 0
    while one.at not in ("end", "finish"):
        if "choice" in one.fields():
            one.send(choice="0" if failed == 0 else "1")
            failed += 1
        else:
            one.answer()
    assert (one.at == "end") == out
    one.finish()
    assert [p.end for p in here.storage.people()] == ["screened_out" if out else "completion"]


def test_who_declines_leaves_nothing(served):
    here = served(declined={"code": "NO"})
    one = here.participant(address("ann")).open().send(consent="no")
    assert one.heading == "You do not take part"
    assert "NO" in one.text
    assert here.storage.people() == []
    assert b"ann" not in here.db.read_bytes()


def test_no_places_left(served):
    here = served(per_item=1, full={"code": "FULL"}, abandon_after=10)
    first, second = here.participant().open(), here.participant().open()
    first.send(consent="yes")
    second.send(consent="yes")  # It opened the page while there was a place.
    assert (second.heading, "FULL" in second.text) == ("There are no places left", True)
    assert here.participant().open().heading == "There are no places left"
    here.clock.pass_(minutes=11)
    third = here.participant().agree()
    assert third.at == "instructions"
    first.send().finish()  # Who comes back may go on.
    assert len(here.storage.people()) == 2


def test_looking_is_a_sign_of_life_and_time_counts_from_the_first_sight(served):
    here = served(per_item=1, abandon_after=10)
    one = here.participant().agree().send()
    page = str(one.page.url)
    for _ in range(4):
        here.clock.pass_(minutes=6)
        one.open(page)
        assert here.participant().open().heading == "There are no places left"
    one.send(q1="yes", q2="no")
    assert here.storage.all_answers()[-1].ms == 24 * 60_000
    here.clock.pass_(minutes=11)
    assert here.participant().open().heading == "About this study"


def test_time_is_limited(served):
    here = served(time_limit=20)
    one = here.participant().agree()
    assert "About 20 minutes left" in one.text
    here.clock.pass_(minutes=19.5)
    one.send()
    assert "Less than a minute left" in one.text
    here.clock.pass_(minutes=0.6)
    one.answer()
    assert one.heading == "The time is over"
    assert [p.end for p in here.storage.people()] == ["timed_out"]
    assert [g.page for g in here.storage.all_answers()] == ["instructions"]


def test_an_id_alone_opens_nothing(served):
    here = served(ids=IDS, completion=CODE)
    here.participant(address("ann")).agree().finish()
    thief = here.participant(address("ann", "s2")).open()
    assert thief.heading == "You have taken part before"
    assert "C1A2" not in thief.text
    assert "/p/" not in str(thief.page.url)
    assert here.participant(address("ann", "")).open().heading == "You have taken part before"
    own = here.participant(address("ann")).open()  # The session is a secret of platform and participant.
    assert own.heading == "Thank you"
    lone = served(ids={"participant": "PROLIFIC_PID"})
    lone.participant("/?PROLIFIC_PID=ann").agree()
    assert lone.participant("/?PROLIFIC_PID=ann").open().heading == "You have taken part before"


def test_two_people_at_one_machine(served):
    here = served(ids=IDS, completion=CODE)
    one = here.participant(address("ann", "")).open()
    two = here.participant(address("bob", ""), one.browser).open()  # in another tab, before anybody agrees
    one.send(consent="yes").finish()
    assert two.send(consent="yes").at == "instructions"
    assert [p.participant for p in here.storage.people()] == ["ann", "bob"]
    assert one.open().heading == "Thank you"
    assert two.open().at == "instructions"


def test_ids_can_be_hashed(served):
    here = served(ids=IDS, hash_ids=True)
    here.participant(address("participant-ann", "session-ann")).agree()
    other = served(ids=IDS, hash_ids=True)
    other.participant(address("participant-ann", "session-ann")).agree()
    [one], [two] = here.storage.people(), other.storage.people()
    assert re.fullmatch("[0-9a-f]{64}", one.participant)
    assert one.participant != two.participant  # Each study has a salt of its own.
    here.storage.close()
    stored = b"".join(path.read_bytes() for path in here.folder.glob("answers.db*"))
    assert b"participant-ann" not in stored
    assert b"session-ann" not in stored


def test_headers_and_content_keep_pages_private(served):
    here = served(ids=IDS)
    one = here.participant(address("ann")).open()
    cookie = one.page.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    private = {"x-frame-options": "DENY", "referrer-policy": "no-referrer", "cache-control": "no-store"}
    pages = [one.page, one.send(consent="yes").page, one.browser.get("/nowhere"), one.browser.post("/start")]
    for page in pages:
        assert private.items() <= {**page.headers}.items()
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; ")
        assert "frame-ancestors 'none'" in policy
        assert "<script" not in page.text
        assert " style=" not in page.text
    assert [page.status_code for page in pages] == [200, 200, 404, 403]
    framed = served(embed=["https://platform.example"]).participant().open().page
    assert "frame-ancestors https://platform.example" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers


def test_secure_cookies_behind_https(served):
    here = served()
    browser = TestClient(here.browser().app, base_url="https://study.example")
    assert "Secure" in browser.get("/").headers["set-cookie"]
    for secure in (True, False):
        app = build_app(here.study, here.storage, secure=secure)
        found = TestClient(app, base_url="http://127.0.0.1").get("/").headers["set-cookie"]
        assert ("Secure" in found) == secure


def test_nobody_else_can_send_a_form(served):
    here = served()
    one = here.participant().agree().send()
    form = form_of(one.page.text)
    own = {**form.hidden, "q1": "yes", "q2": "no", "go": "on"}
    foreign = here.participant().agree().send()
    refused = [
        one.browser.post(str(one.page.url), data={**own, "form": "0" * 64}),
        one.browser.post(str(one.page.url), data={key: own[key] for key in own if key != "form"}),
        one.browser.post(str(foreign.page.url), data=own),
        one.browser.post(str(one.page.url), data=own, headers={"Sec-Fetch-Site": "cross-site"}),
        one.browser.post("/start", data={"token": "a" * 32, "form": "0" * 64, "consent": "yes"}),
    ]
    assert [page.status_code for page in refused] == [403] * 5
    assert "That did not work" in refused[0].text
    assert [g.page for g in here.storage.all_answers()] == ["instructions"] * 2


def test_size_and_pace_are_limited(served):
    here = served()
    one = here.participant().agree().send()
    huge = one.browser.post(str(one.page.url), data={"form": "x" * BODY})
    assert huge.status_code == 413
    many = one.browser.post(str(one.page.url), content="&".join(f"a{i}=1" for i in range(500)))
    assert many.status_code == 400
    assert one.browser.post(str(one.page.url), content=b"a=%ff\xff").status_code == 400
    codes = [one.browser.get(str(one.page.url)).status_code for _ in range(BURST + 5)]
    assert codes[-1] == 429
    assert here.participant().agree().at == "instructions"  # Others go on.
    here.clock.pass_(ms=2000)
    assert one.open(str(one.page.url)).heading == "Question 1 of 3"


def test_slow_and_broken_forms_are_refused(served, monkeypatch):
    async def never() -> Any:
        await anyio.sleep(10)

    async def gone() -> Any:
        return {"type": "http.disconnect"}

    monkeypatch.setattr(requests, "SLOWEST", 0.05)
    for receive, code in ((never, 408), (gone, 400)):
        with pytest.raises(HTTPException) as caught:
            anyio.run(requests.read_form, Request({"type": "http", "method": "POST", "headers": []}, receive))
        assert caught.value.status_code == code


def test_hostile_texts_stay_texts(served):
    hostile = "<script>alert(1)</script>\"'>{{ 7 * 7 }}"
    item = {"kind": "statement", "statements": [hostile], "q1": hostile}
    here = served(items=[item], title=hostile, consent=hostile, ids=IDS)
    one = here.participant(f"/?PROLIFIC_PID={hostile}&SESSION_ID=x").open()
    for _ in range(3):
        assert "<script" not in one.page.text
        assert "49" not in one.text
        one.send(consent="yes")
    assert here.storage.people()[0].participant == hostile


def test_behind_a_prefix_all_addresses_are_relative(served):
    here = served()
    browser = TestClient(here.browser().app, base_url="http://study.example", root_path="/deep/study")
    page = browser.get("/", follow_redirects=False)
    assert "Path=/deep/study" in page.headers["set-cookie"]
    assert 'href="style.css"' in page.text
    form = form_of(page.text)
    done = browser.post("/start", data={**form.hidden, "consent": "yes"}, follow_redirects=False)
    assert done.headers["location"].startswith("p/")
    page = browser.get(f"/{done.headers['location']}")
    assert 'href="../../style.css"' in page.text
    assert browser.get("/style.css").headers["content-type"].startswith("text/css")


def test_answers_are_on_the_disk_before_anybody_is_told(served, monkeypatch):
    here = served()
    one = here.participant().open()
    waited = []
    sync = here.storage.sync
    monkeypatch.setattr(here.storage, "sync", lambda: (waited.append(here.storage._db.total_changes), sync()))
    changes = [here.storage._db.total_changes]
    for step in ({"consent": "yes"}, {}, {"q1": "yes", "q2": "no"}):
        one.browser.follow_redirects = False
        one.send(**step)
        changes.append(here.storage._db.total_changes)
        one.browser.follow_redirects = True
        one.open("/")
    assert waited == changes[1:]
    assert len({*waited}) == 3


def test_a_full_disk_is_said_to_both_sides_and_survived(served, monkeypatch, caplog):
    here = served(per_person=1)
    one = here.participant().agree().send()
    asked, add_answer = str(one.page.url), here.storage.add_answer

    def full(*words: Any) -> None:
        raise ProbSenseError("answers.db: database or disk is full")

    monkeypatch.setattr(here.storage, "add_answer", full)
    one.send(q1="yes", q2="no")
    assert (one.page.status_code, one.heading) == (503, "That did not work")
    assert "send your answer once more" in one.text
    assert caplog.messages == ["answers.db: database or disk is full"]
    monkeypatch.setattr(here.storage, "add_answer", add_answer)
    one.open(asked).send(q1="yes", q2="no")
    assert one.at == "finish"


def test_a_clock_that_is_set_back_stops_nobody_and_makes_no_times_up(served):
    here = served(per_person=2, time_limit=30)
    one = here.participant().agree().send()
    for _ in range(45):
        one.open(str(one.page.url))
        here.clock.pass_(ms=200)
    here.clock.pass_(minutes=-60)
    one.open(str(one.page.url))
    assert one.page.status_code == 200
    one.send(q1="yes", q2="no")
    here.clock.pass_(ms=1500)
    one.send(q1="yes", q2="no").send()
    assert one.heading == "Thank you"
    [person] = gather(here.storage)
    assert [item.ms for item in person.items] == [None, 1500]


def test_another_study_in_the_same_file_is_refused(served, tmp_path):
    here = served()
    here.storage.begin(make_study(tmp_path, per_item=50, completion={"code": "x"}), 1)
    assert here.storage.study().blocks[0].per_item == 50
    with pytest.raises(InputError, match=r"answers to another study, .* before it changed in title \("):
        here.storage.begin(make_study(tmp_path, title="Other"), 1)
    home = {**HOME, "screen_out": ["sea"]}
    other = {"kind": "statement", "statements": ["a"], "q1": "?"}
    with pytest.raises(InputError, match=r"changed in items, demographics, seed \("):
        here.storage.begin(make_study(tmp_path, seed=3, demographics=[home], items=[other]), 1)
    assert here.storage.study().title == "Everyday statements"
