"""Questions one by one as a reader meets them: nothing contradicts itself, and every view has an address."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from probsense.core.names import short_ids
from probsense.core.records import Item, OptionScore, ScoreRequest, TokenLogprobs
from probsense.results.page.items import ItemViews, reply_view, rounded
from probsense.results.page.report import render_page, write_page
from probsense.results.part import Part
from probsense.runs.transcripts import Reply, Transcript
from probsense.show.words import plain_words
from probsense.tasks.results import Results

pytestmark = pytest.mark.slow

N = 120
EDGES = (0.0, 1e-12, 1e-5, 0.0004, 0.0005, 0.1, 0.4999, 0.5, 0.9996, 1.0)
SUMMARIES = "#list > li > details > summary"


def judged(number: random.Random, tie: bool) -> Reply:
    """Make an arbitrary answer by label mass, as a transcript reads it."""
    yes, no, other = (number.choice([number.random(), number.choice(EDGES)]) for _ in range(3))
    no = yes if tie else no
    total = (yes + no + other) or 1.0
    yes, no = yes / total, no / total
    rest = max(0.0, 1.0 - yes - no) if other else 0.0 if yes + no else 1.0
    first = "yes" if yes >= no else "no"
    given = first if max(yes, no) >= rest and max(yes, no) > 0 else ""
    tied = ("yes", "no") if yes == no > 0 else ()
    return Reply(given, (("yes", yes), ("no", no)), rest=rest, tied=tied)


def shown(reply: Reply | None) -> dict[str, Any]:
    return reply_view(Transcript(Item("", "", "", {}), {}, "", "", reply), "")


PEOPLE = {"shares": [["yes", 750], ["no", 250]], "others": 0, "n": 8, "most": "", "illustrative": True}


def scored(word: str, logprob: float) -> OptionScore:
    return OptionScore(TokenLogprobs((logprob,), (word,), 1, 1), TokenLogprobs((-0.5,), ("\n",), 1, 1))


def run(name: str, method: str) -> dict[str, str]:
    return {"name": name, "method": method, "view": ""}


def question(name: str, prompt: str, replies: Sequence[Any], **more: Any) -> dict[str, Any]:
    plain = {"id": name, "short": "", "group": "", "prompt": prompt, "gold": "", "about": ""}
    return {**plain, "difference": None, "people": None, "replies": replies, **more}


@pytest.fixture(scope="module")
def views():
    number = random.Random(0)
    prompts = [f"Is the {k // 3}th cup red for {('me', 'you', 'them')[k % 3]}?" for k in range(N)]
    names = [f"{k * 7919 + 10**15}" for k in range(N)]
    apart = [rounded(number.random()) for _ in range(N)]
    replies = [[shown(judged(number, tie=k % 9 == run)) for k in range(N)] for run in range(2)]
    asked = [
        question(
            name,
            prompt,
            own,
            short=short,
            group=f"q{k % 3}",
            difference=apart[k],
            people=(None, PEOPLE)[k % 2],
        )
        for k, (name, prompt, short, *own) in enumerate(
            zip(names, prompts, short_ids(names), *replies, strict=True)
        )
    ]
    shares, scores = (("cup", 0.7), ("a vase", 0.3)), (scored("the cup", -1.0), scored("a", -2.0))
    request = ScoreRequest("", ("the cup", "a"), "\n")
    options = Reply("cup", shares, outside=0.96, request=request, scores=scores)
    written = Reply("", (), rest=1.0, texts=("Hm?", "Hm?"))
    odd = [shown(options), shown(None), None, shown(written)]
    few = [question(f"w/{k}", f"What falls? {k}", [reply], gold="cup") for k, reply in enumerate(odd)]
    return [
        ItemViews("Judged", "judged", [run("a", "labels"), run("b", "labels")], asked),
        ItemViews("Scored", "scored", [run("a", "options")], few),
    ]


@pytest.fixture(scope="module")
def path(views, tmp_path_factory):
    found = tmp_path_factory.mktemp("items") / "page.html"
    write_page(
        found, render_page("t", [Part(own.task, plain_words(own.name), Results([])) for own in views], views)
    )
    return found


def go(show: Any, path: Path, address: str = "", **how: Any) -> Any:
    page = show(path, **how).page
    if address:
        page.goto(f"{path.as_uri()}{address}")
        page.reload()
    else:
        page.locator("#items > details > summary").click()
    page.wait_for_selector("#list li")
    return page


def opened(page: Any, count: int = 1) -> None:
    page.wait_for_function("(n) => document.querySelectorAll('.item .tools').length === n", arg=count)


def number(text: str) -> float:
    """Read a share that a reader sees, at the middle of what it may be."""
    value = float(re.sub(r"[^\d.]", "", text))
    return value - 0.05 if "<" in text else value + 0.05 if ">" in text else value


def test_what_a_reader_sees_of_an_answer_never_contradicts_it(show, path):
    page = go(show, path, "#order=asked")
    seen = {"given": 0, "tie": 0, "neither": 0}
    for turn in range(3):
        if turn:
            page.click("#next")
        for summary in page.locator(SUMMARIES).all():
            summary.click()
        opened(page, page.locator(SUMMARIES).count())
        for item in page.locator("#list > li").all():
            line = item.locator("summary .given").first.text_content()
            cards = item.locator(".answer:not(.people)").all()
            assert len(cards) == 2
            for k, card in enumerate(cards):
                said = card.locator(".said strong").text_content()
                rows = {
                    row.locator("th").text_content(): number(row.locator("td").first.text_content())
                    for row in card.locator("tbody tr").all()
                }
                rest = rows.pop("neither yes nor no", 0.0)
                if not k:
                    assert line == said
                if said.startswith("neither"):
                    assert rest >= max(rows.values())
                    assert number(said) == rest
                    seen["neither"] += 1
                elif said.startswith("tie"):
                    assert rows["yes"] == rows["no"]
                    seen["tie"] += 1
                else:
                    assert rows[said] == max(*rows.values(), rest)
                    seen["given"] += 1
                for remark in card.locator(".remark").all_text_contents():
                    ahead = re.search(r"together, (\w+) has (.+? %)", remark.replace("\xa0", " "))
                    if ahead:
                        assert rows[ahead[1]] == max(rows.values())
                        assert number(ahead[2]) >= 49.9
    assert min(seen.values()) > 5


def view(page: Any) -> tuple[Any, ...]:
    """What a reader sees: the state of all controls, the list and what is open in it."""
    return (
        *(
            page.input_value(f"#{name}")
            for name in ("set", "run", "search", "result", "group", "lead", "order")
        ),
        page.text_content("#page"),
        page.locator("#list .words").all_text_contents(),
        page.locator("#list > li > details[open] .id").all_text_contents(),
    )


def test_reload_link_and_back_give_the_same_view(show, path):
    page = go(show, path)
    first = view(page)
    page.select_option("#run", "1")
    page.select_option("#order", "sure")
    page.click("#next")
    paged = view(page)
    page.locator(SUMMARIES).nth(3).click()
    opened(page)
    whole = view(page)
    assert whole[-1]
    page.reload()
    opened(page)
    assert view(page) == whole
    other = go(show, path, page.evaluate("location.hash"))
    opened(other)
    assert view(other) == whole
    page.go_back()
    page.wait_for_function("() => !document.querySelector('#list details[open]')")
    assert view(page) == paged
    page.go_forward()
    opened(page)
    assert view(page) == whole
    for _ in range(4):
        page.go_back()
    page.wait_for_function("() => document.getElementById('run').value === '0'")
    assert view(page) == first
    page.fill("#search", "12th cup")
    page.wait_for_function("() => document.getElementById('found').textContent.startsWith('3 of')")
    page.select_option("#group", label="q1")
    filtered = view(page)
    page.reload()
    page.wait_for_selector("#list li")
    assert view(page) == filtered


def test_failed_unasked_and_odd_answers_are_told_apart(show, path):
    page = go(show, path, "#task=scored")
    for summary in page.locator(SUMMARIES).all():
        summary.click()
    opened(page, 4)
    scored, failed, unasked, odd = (
        card.text_content().replace("\xa0", " ") for card in page.locator(".answer").all()
    )
    assert "The options have 4 % of the probability together" in scored
    assert "the␣cup" in scored
    assert "No answer: the request failed." in failed
    assert "This question was not asked." in unasked
    assert "no answer that counts: 100.0 %" in odd
    assert "Hm?" in odd
