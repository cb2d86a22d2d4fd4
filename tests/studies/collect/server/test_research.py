"""The researcher's page: what it counts, who may see it, pause, and download."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pytest

from probsense.studies.collect.answers import gather
from probsense.studies.collect.export import export
from probsense.studies.collect.overview import minutes_left, overview
from probsense.studies.collect.server.research import research_token
from support.studies.taking import HOME, START, form_of

MINUTE = 60_000
IDS = {"participant": "pid"}
SCREEN = [{**HOME, "screen_out": ["land"]}]


def address(here: Any) -> str:
    return f"/research/{research_token(here.storage)}/"


def text_of(page: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.text).split())


def test_what_became_of_people_and_items(served):
    here = served(per_item=4, per_person=2, demographics=SCREEN, abandon_after=10, ids=IDS)
    stopped = here.participant("/?pid=stopped").agree()
    here.clock.pass_(minutes=11)
    here.participant("/?pid=out").agree().send().send(home="land")
    for name in ("ann", "bob"):
        one = here.participant(f"/?pid={name}").agree().send().send(home="sea")
        here.clock.pass_(minutes=6)
        one.finish()
    here.participant("/?pid=now").agree()
    found = overview(here.study, gather(here.storage), here.clock())
    ends = ("finished", "in_progress", "dropped_out", "screened_out", "timed_out")
    assert found.people == dict(zip(ends, (2, 1, 1, 1, 0), strict=True))
    [block] = found.blocks
    assert sum(item.finished for item in block.items) == block.done == 4
    assert sum(item.in_progress for item in block.items) == 2
    assert found.needed == 4
    assert found.minutes_left == 6 * 4  # One finished 6 minutes after the other.
    page = here.browser().get(address(here))
    text = text_of(page)
    assert "4 more people must finish, at least. At the recent pace, that takes 24 min." in text
    assert "Block 1, statement: 4 of 12 answers" in text
    stopped.send().send(home="sea").finish()
    assert "Finished 3" in text_of(here.browser().get(address(here)))


def test_only_the_secret_leads_there(served):
    here, other = served(), served()
    browser = here.browser()
    one = here.participant().agree()
    right = research_token(here.storage)
    assert browser.get(address(here)).status_code == 200
    person = here.storage.people()[0].token
    for token in ("a" * 32, "x", right[:-1], right + "a", "ä" * 32, person, research_token(other.storage)):
        for what in ("", "answers.zip"):
            assert browser.get(f"/research/{token}/{what}").status_code == 404, token
        assert browser.post(f"/research/{token}/pause", data={"paused": "yes"}).status_code == 404
    assert browser.get(f"/p/{right}/end").status_code == 404
    assert right not in one.page.text
    form = form_of(browser.get(address(here)).text).hidden
    for sent in ({"paused": "yes"}, {**form, "paused": "maybe"}, {"form": "0" * 64, "paused": "yes"}):
        assert here.browser().post(f"{address(here)}pause", data=sent).status_code == 403
    assert not here.storage.paused


def test_the_page_keeps_to_itself(served):
    here = served(embed=["https://platform.example"], title="<script>alert(1)</script>", ids=IDS)
    here.participant("/?pid=<b>x</b>").agree().finish()
    page = here.browser().get(address(here))
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    assert "<script" not in page.text
    assert "<b>x" not in page.text


def test_pause_and_resume(served):
    here = served(ids=IDS, paused={"text": "Back on Monday.", "code": "P1"})
    browser = here.browser()
    going, waiting = here.participant("/?pid=a").agree(), here.participant("/?pid=b").open()
    page = browser.get(address(here))
    page = browser.post(f"{address(here)}pause", data={**form_of(page.text).hidden, "paused": "yes"})
    assert str(page.url.path) == address(here)
    assert "The study is paused." in text_of(page)
    waiting.send(consent="yes")  # It had opened the page before.
    new = here.participant("/?pid=c").open()
    for one in (waiting, new):
        assert one.heading == "This study is paused"
        assert "Back on Monday." in one.text
        assert "P1" in one.text
    assert going.finish().heading == "Thank you"
    assert len(here.storage.people()) == 1
    page = browser.get(address(here))
    assert "<title>Paused, 1 finished" in page.text
    page = browser.post(f"{address(here)}pause", data={**form_of(page.text).hidden, "paused": "no"})
    assert "The study is paused." not in text_of(page)
    assert here.participant("/?pid=c").agree().at == "instructions"


def test_the_download_is_what_the_command_writes(served, tmp_path):
    here = served()
    here.participant().agree().finish()
    page = here.browser().get(f"{address(here)}answers.zip")
    assert page.headers["content-disposition"] == 'attachment; filename="answers.zip"'
    export(here.storage, tmp_path / "out")
    with zipfile.ZipFile(io.BytesIO(page.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()
        }


@pytest.mark.parametrize(
    ("ended", "needed", "minutes"),
    [
        ([], 3, None),
        ([0], 3, None),
        ([0, 2], 3, 30.0),  # One in ten minutes, since nobody has come after.
        ([0, 2], 0, 0.0),
        ([-500, *[0] * 10, *[5] * 10], 19, 10.0),  # The one that was long ago says nothing of the pace now.
    ],
)
def test_the_time_left_follows_the_recent_pace(ended, needed, minutes):
    assert minutes_left([START + one * MINUTE for one in ended], needed, START + 10 * MINUTE) == minutes
