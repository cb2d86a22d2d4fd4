"""The site as a whole: every link leads somewhere, nothing hostile gets through, only what changed is written."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urldefrag

import polars as pl
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.names import short_names
from probsense.models.base import prompts_notes
from probsense.runs.recipes.recipe import recipe, recipes_in
from support.elements import Html

Ask = Callable[..., ps.Run]
HOSTILE = (
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "</title><img src=x onerror=alert(2)>",
    "\"'><svg onload=alert(3)>",
    "{{ 7 * 7 }}\x07\u2028",
    "A b",
    "a B",
    "",
)


def pages(folder: Path) -> dict[Path, Html]:
    return {path: Html(path.read_text()) for path in folder.rglob("*.html")}


def test_every_link_leads_somewhere_and_nothing_is_loaded(ask: Ask, tmp_path: Path) -> None:
    for seed in (1, 2):
        for task in ("worldsense", "judgments", "frames", "suite", "winogrande"):
            ask(
                f"random:{seed}",
                seed,
                task,
                **({"input_dir": "inputs", "limit": 6} if task == "suite" else {}),
            )
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    found = pages(tmp_path / "site")
    assert len(found) == 3 + 2 + 2 * 5
    for path, page in found.items():
        assert len(page.every("id")) == len({*page.every("id")}), path
        assert not {"img", "link", "iframe", "object", "base"} & {*page.tags}
        assert page.tags.count("h1") == 1
        assert not [name for _, own in page.elements for name in own if name.startswith("on")]
        for link in page.every("href"):
            if re.match(r"https://(doi\.org|arxiv\.org|github\.com)/", link):
                continue
            assert not re.match(r"[a-z]+:|/", link), link
            where, place = urldefrag(link)
            target = (path.parent / unquote(where)).resolve() if where else path
            assert target.is_file(), (path, link)
            if place:
                assert place in found[target].every("id"), (path, link)


def test_hostile_names_are_text(ask: Ask, tmp_path: Path) -> None:
    for seed, name in enumerate(HOSTILE):
        ask(name, seed)
    done = ps.site(
        tmp_path / "a.db", out=tmp_path / "site", title=HOSTILE[0], author=HOSTILE[2], description=HOSTILE[3]
    )
    assert done.models == len(HOSTILE)
    found = pages(tmp_path / "site")
    names = [path.name for path in (tmp_path / "site" / "models").iterdir()]
    assert len({name.lower() for name in names}) == len(HOSTILE)
    assert all(re.fullmatch(r"[a-z0-9-]+\.html", name) for name in names)
    for path, page in found.items():
        assert page.tags.count("script") == 1, path
        assert not [name for _, own in page.elements for name in own if name.startswith("on")]
        assert not {"img", "iframe"} & {*page.tags}
        assert "\x07" not in path.read_text()
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    assert {model["name"] for model in index["models"]} == {*short_names(HOSTILE).values()}


def test_only_what_changed_is_written(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1)
    ask("two", 2)
    ask("one", 1, "suite", limit=6)
    ask("two", 2, "suite", limit=6)
    out = tmp_path / "site"

    def build(*stores: str) -> ps.website.build.Built:
        for path in out.rglob("*"):
            os.utime(path, (1, 1))
        return ps.site(*(tmp_path / store for store in stores), out=out)

    def touched() -> set[str]:
        return {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file() and p.stat().st_mtime != 1}

    everything = build("a.db").written
    again = build("a.db")
    assert (again.written, again.kept, again.removed) == (0, everything, 0)
    assert touched() == set()
    third = ask("three", 3, store="b.db")
    more = build("a.db", "b.db")
    assert touched() == {
        *("index.html", "index.json", "manifest.json", "models/three.html"),
        f"recipes/recipe-{third.id[:8]}.json",
        *("tasks/winogrande.html", "tasks/winogrande-items.html"),
        *(
            f"data/{name}.{kind}"
            for name in ("runs", "leaderboards", "comparisons", "estimates", "differing")
            for kind in ("csv", "parquet")
        ),
    }
    assert more.removed == 0
    less = build("a.db")
    assert less.removed == 2
    assert not (out / "models" / "three.html").exists()
    assert "models/three" not in "".join(path.read_text() for path in out.rglob("*.html"))


def test_a_page_offers_the_recipe_of_each_run_under_the_name_that_can_be_loaded(
    ask: Ask, tmp_path: Path
) -> None:
    runs = [ask("random:1", 1), ask("hf:/data/models/small", 2)]
    for _ in range(2):  # the second one takes them from the cache
        shutil.rmtree(tmp_path / "site", ignore_errors=True)
        ps.site(tmp_path / "a.db", out=tmp_path / "site")
        for run in runs:
            file = tmp_path / "site" / "recipes" / recipe(run).file
            assert recipes_in(file) == [recipe(run)]
            page = tmp_path / "site" / "models" / ("random-1.html" if run is runs[0] else "hf-small.html")
            assert f'href="../recipes/{file.name}"' in page.read_text()


def test_the_tables_and_the_index_say_the_same(ask: Ask, tmp_path: Path) -> None:
    runs = [ask(f"random:{i}", i, "worldsense", limit=24) for i in range(3)]
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    data = tmp_path / "site" / "data"
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    for stem, names in index["tables"].items():
        assert [(tmp_path / "site" / name).is_file() for name in names] == [True, True]
        with (data / f"{stem}.csv").open(newline="") as stream:
            rows = [*csv.DictReader(stream)]
        frame = pl.read_parquet(data / f"{stem}.parquet")
        assert [*rows[0]] == frame.columns
        assert len(rows) == frame.height > 0
    estimates = pl.read_parquet(data / "estimates.parquet")
    assert estimates.height == sum(len(run.summary()) for run in runs)
    (board,) = index["leaderboards"]
    whole = {run.id: run.summary()[0] for run in runs}
    for row in board["rows"]:
        assert row["estimate"]["value"] == whole[row["run"]].value
    assert index["schema"] == 1
    assert {run["id"] for run in index["runs"]} == {run.id for run in runs}
    assert pl.read_parquet(data / "comparisons.parquet").height == 3
    shown = pl.read_parquet(data / "leaderboards.parquet").filter("main")
    assert shown["run"].to_list() == [row["run"] for row in board["rows"]]


def test_a_site_of_one_unfinished_run(ask: Ask, change: Callable[..., None], tmp_path: Path) -> None:
    ask("one", 1)
    change("a.db", "DELETE FROM responses WHERE rowid % 2 = 0", "UPDATE runs SET finished = NULL")
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    page = (tmp_path / "site" / "models" / "one.html").read_text()
    assert "is not finished" in page
    assert "of 20 questions are answered" in page
    assert "unfinished" in (tmp_path / "site" / "tasks" / "winogrande.html").read_text()


def test_descriptions_reach_pages_tables_and_index(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1)
    ask("two", 2)
    models = tmp_path / "models.yaml"
    models.write_text(
        "one: {family: Llama & Co, size: 1.5B, label: The One, link: 'https://example.org'}\nabsent: {size: 1}\n"
    )
    done = ps.site(tmp_path / "a.db", out=tmp_path / "site", models=models)
    assert len(done.notes) == 1
    assert "'absent'" in done.notes[0]
    board = (tmp_path / "site" / "tasks" / "winogrande.html").read_text()
    assert 'data-family="Llama &amp; Co" data-size="1 to 3 B"' in board
    assert "The One" in board
    assert 'data-family="unknown" data-size="unknown"' in board
    runs = pl.read_parquet(tmp_path / "site" / "data" / "runs.parquet")
    assert runs.filter(pl.col("model") == "one")["parameters"].to_list() == [1_500_000_000]
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    assert {model["name"]: model["family"] for model in index["models"]} == {"one": "Llama & Co", "two": None}


def test_what_a_model_says_of_itself_reaches_the_site_and_no_warning(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1, limit=4)
    run = ps.evaluate("winogrande", "builtin:tiny", limit=4, store=tmp_path / "a.db", quiet=True)
    parameters = run.findings[0].data["parameters"]
    said = [*run.results.warnings, *run.results.notes, *prompts_notes(run.findings)]
    assert not [words for words in said if "parameters" in words]
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    board = (tmp_path / "site" / "tasks" / "winogrande.html").read_text()
    assert 'data-family="llama" data-size="under 1 B"' in board
    assert 'data-family="unknown" data-size="unknown"' in board
    index = json.loads((tmp_path / "site" / "index.json").read_text())
    known = {model["name"]: (model["family"], model["parameters"]) for model in index["models"]}
    assert known == {"builtin:tiny": ("llama", parameters), "one": (None, None)}


def test_warnings_are_marks_as_on_a_page_and_those_that_void_are_said(ask: Ask, tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        ask(f"random:{seed}", seed, "frames", limit=6)
    ask("random:1", 1)
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    board = (tmp_path / "site" / "tasks" / "frames.html").read_text()
    said = "random:3, random:1: the answers of people are made up"
    assert board.count('<details class="caution">') == 1
    assert f"<li>{said}" in board
    assert f'<p class="void">{said}' in board
    assert board.index(said) < board.index("<table")
    assert 'class="caution"' not in (tmp_path / "site" / "tasks" / "winogrande.html").read_text()
    model = (tmp_path / "site" / "models" / "random-1.html").read_text()
    assert re.search(r"<summary>Frames: \d cautions?</summary>\s*<ul>\s*<li>random:1: the answers", model)
    assert model.index("made up") < model.index("<table")
    assert '<p class="void">' in model


def test_charts_of_the_report_are_drawn_on_request(ask: Ask, tmp_path: Path) -> None:
    ask("one", 1)
    ps.site(tmp_path / "a.db", out=tmp_path / "site")
    page = tmp_path / "site" / "models" / "one.html"
    assert 'svg class="chart' not in page.read_text()
    assert ps.site(tmp_path / "a.db", out=tmp_path / "site", charts=True).written == 1
    assert 'class="chart wide"' in page.read_text()


def test_a_folder_that_is_no_site_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        ps.site(tmp_path / "nothing.db", out=tmp_path)
    with pytest.raises(InputError, match=r"nothing\.db"):
        ps.site(tmp_path / "nothing.db", out=tmp_path / "new")
    assert not (tmp_path / "new").exists()
