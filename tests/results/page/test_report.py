"""Pages about runs and recorded results, and their charts as files; what pages say and how they are written."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.results.page.report import render_page, write_charts, write_page
from probsense.results.part import Part
from probsense.show.measure import ACCURACY
from probsense.show.words import Words, plain_words
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results, voiding
from probsense.tasks.worldsense.words import WORDS
from results.elements import Html

QUIZ = Words(title="Quiz", measures={"accuracy": ACCURACY})


def analysis(**tables: pl.DataFrame) -> Analysis:
    found = Estimate("accuracy", {"model": "m"}, 0.5, 0.1, 0.4, 0.6, 0.95, 9, 9, "clustered")
    return Analysis("quiz", "Quiz & answer", {"data": "old"}, Results([found], tables=tables), QUIZ)


TITLES = re.compile(r"<option value=\"\d\" data-task=\"\w+\">(\w+)</option>")


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_a_store_has_its_title_and_gives_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ps.evaluate("winogrande", "random", limit=4, quiet=True, name="first")
    ps.evaluate("suite", "random", limit=4, quiet=True)
    written = ps.report("report.html", title="Two <tasks>")
    assert (written, isinstance(written, Path)) == (Path("report.html"), True)
    page = written.read_text()
    assert "<title>Two &lt;tasks&gt;</title>" in page
    assert TITLES.findall(page) == ["Winogrande", "Suite"]
    assert "<title>ProbSense: Winogrande</title>" in ps.report("a.html", "first").read_text()
    with pytest.raises(InputError, match="probsense runs"):
        ps.report("a.html", "second")
    with pytest.raises(InputError, match="no such"):
        ps.report("a.html", store="none.db")


def test_charts_are_written_beside_their_tables_and_other_tables_alone(tmp_path):
    other = pl.DataFrame({"a": [1]})
    written = write_charts(tmp_path / "new", analysis(other=other))
    assert {path.name for path in written} == {"accuracy.csv", "accuracy.svg", "accuracy.pdf", "other.csv"}
    assert all(path.is_file() for path in written)
    assert pl.read_csv(tmp_path / "new" / "other.csv").equals(other)
    assert pl.read_csv(tmp_path / "new" / "accuracy.csv")["value"].to_list() == [0.5]


HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{ 7 * 7 }}'


def estimate(
    value: float,
    half: float = 0.01,
    measure: str = "accuracy",
    method: str = "published",
    chance: float = 0.5,
    **by: str,
) -> Estimate:
    return Estimate(measure, by, value, half / 1.96, value - half, value + half, 0.95, 9, 9, method, chance)


def results(*models: str) -> list[Estimate]:
    return [
        estimate(value + 0.1 * i, measure=measure, method=method, model=model, prompting="basic", **problem)
        for method in ("published", "stratified")
        for measure in ("accuracy", "bias", "strict_accuracy")
        for i, model in enumerate(models)
        for value, problem in ((0.5, {}), (0.4, {"problem": "p.one"}), (0.6, {"problem": "p.two"}))
    ]


@cache
def full(*models: str, extra: str = "") -> str:
    """Make a page of all parts; drawing takes long, so tests share it."""
    measured = Results(
        results(*models),
        coverage=[{"model": models[0] + extra, "asked": 87048, "answered": 87000, "complete": False}],
        notes=[f"A note {extra}"],
    )
    facts = [
        {"model": {"name": model, f"k{extra}": [1, None]}, "seed": 20231, "x": extra} for model in models
    ]
    return render_page(
        f"A title {extra}", [Part("worldsense", WORDS, measured, facts)], byline=[f"An author {extra}"]
    )


def hostile() -> str:
    """Make a page of which every name and value is hostile."""
    return full("tiny" + HOSTILE, "other", extra=HOSTILE)


def page_of(made: list[Estimate]) -> Html:
    return Html(render_page("t", [Part("worldsense", WORDS, Results(made))]))


def test_the_page_loads_nothing():
    source = full("tiny", "other")
    page = Html(source)
    assert page.text.count("20231") == 1  # what all runs share is told once
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    assert not [attrs for _, attrs in page.elements if "src" in attrs]
    assert all(str(attrs["href"]).startswith("#") for _, attrs in page.elements if "href" in attrs)
    running = [attrs for tag, attrs in page.elements if tag == "script" and attrs.get("type") != "text/plain"]
    assert running == [{}]
    assert "url(" not in source
    assert "@import" not in source


def test_every_section_has_an_id_made_of_names_and_a_link_to_it():
    page = Html(full("tiny", "other"))
    own = [str(attrs["id"]) for tag, attrs in page.elements if tag == "section" and attrs["id"] != "warnings"]
    assert {"task-worldsense-accuracy", "task-worldsense-bias", "task-worldsense-notes", "how", "words"} <= {
        *own
    }
    links = [str(attrs["href"]) for tag, attrs in page.elements if tag == "a"]
    assert all(links.count(f"#{name}") == (1 if name.endswith("-notes") else 2) for name in own)
    assert {link.removeprefix("#") for link in links} <= {*own, "main"}


@pytest.mark.usefixtures("undrawn")
def test_cautions_are_marks_at_what_they_concern_and_a_list_at_the_end():
    warnings = ["tiny: somebody hurried", voiding("nobody was asked")]
    measured = Results(results("tiny"), warnings=warnings, notes=["tiny: by the way"])
    parts = [
        Part("worldsense", WORDS, measured),
        Part("mine", plain_words("mine"), Results(results("tiny"))),
    ]
    for given, marks in ((parts, 2), (parts[:1], 1)):
        page = Html(render_page("t", given))
        found = [
            attrs for tag, attrs in page.elements if tag == "details" and attrs.get("class") == "caution"
        ]
        assert len(found) == marks
        assert not any("open" in attrs for attrs in found)
        assert page.text.count("2 cautions") == marks
        assert page.text.count("somebody hurried") == marks + 1
        assert page.text.index("guess") < page.text.index("somebody hurried")
        # What voids a result stands open, too.
        assert page.text.count("nobody was asked") == marks + 2
        assert page.text.index("nobody was asked") < page.text.index("somebody hurried")
        ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
        links = [str(attrs["href"]) for tag, attrs in page.elements if tag == "a"]
        assert {link.removeprefix("#") for link in links} <= {*ids}
        assert (len({*ids}), page.tags.count("h1")) == (len(ids), 1)
        (last,) = [attrs for tag, attrs in page.elements if attrs.get("id") == "warnings"]
        assert last["class"] == "fold"
    assert "caution" not in [attrs.get("class") for _, attrs in Html(full("tiny")).elements]


def test_hostile_names_stay_text_everywhere():
    clean, page = Html(full("tiny", "other")), Html(hostile())
    assert {*page.tags} == {*clean.tags}
    assert {name for _, attrs in page.elements for name in attrs} == {
        name for _, attrs in clean.elements for name in attrs
    }
    assert page.text.count(HOSTILE) > 10
    assert "A title " + HOSTILE in page.text


def test_only_the_pages_own_script_may_run():
    source = hostile()
    (policy,) = [attrs["content"] for _, attrs in Html(source).elements if "http-equiv" in attrs]
    script = source[source.index("<script>") + 8 : source.rindex("</script>")]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_every_estimate_and_the_numbers_of_charts_are_in_the_page():
    source = full("tiny")
    (held,) = re.findall(r'<script type="text/plain" id="packed">(.*?)</script>', source)
    names = {*json.loads(zlib.decompress(b64decode(held)))["files"]}
    assert names >= {"worldsense.csv", "worldsense-accuracy.csv", "worldsense-bias.csv"}
    wanted = {attrs["data-file"] for tag, attrs in Html(source).elements if "data-file" in attrs}
    assert wanted <= names


@pytest.mark.usefixtures("undrawn")
def test_the_page_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "report.html"
    write_page(path, render_page("t\ud800", [Part("worldsense", WORDS, Results(results("m")))]))
    before = path.read_bytes()
    assert before.startswith(b"<!doctype html>")
    with pytest.raises(AttributeError):
        write_page(path, render_page("t", [Part("worldsense", WORDS, Results([None]))]))
    assert path.read_bytes() == before
    with pytest.raises(InputError, match="cannot be written"):
        write_page(path / "below.html", render_page("t", [Part("worldsense", WORDS, Results(results("m")))]))
