"""Personas: their table, their questions, and a run that asks as each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.records import Item, LabelRequest, SampleRequest
from probsense.results.items.views import item_views
from probsense.tasks.base import Answered
from probsense.tasks.judgments.personas.descriptions import (
    Persona,
    as_personas,
    personas_of,
    population_table,
    read_personas,
)
from probsense.tasks.judgments.task import Judgments

Acting = Callable[..., Any]

PERSONAS = """persona,description,gender,weight
Ann,You are Ann. You like rain.,woman,3
Bob,You are Bob. You like sun.,man,1
"""
STATEMENTS = ("Rain is good.", "The sun is good.", "Snow is cold.")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    statements, personas = tmp_path / "statements.csv", tmp_path / "personas.csv"
    pl.DataFrame({"statement": STATEMENTS}).write_csv(statements)
    personas.write_text(PERSONAS)
    return statements, personas


def test_a_table_of_personas(tmp_path: Path) -> None:
    path = tmp_path / "personas.csv"
    path.write_text("age,persona , description, n\n34, a ,You are old.,2.5\nNA,b,You are new.,1\n")
    assert read_personas(path) == (
        Persona("a", "You are old.", 2.5, {"age": "34"}),
        Persona("b", "You are new.", 1.0, {"age": "NA"}),
    )
    path = tmp_path / "personas.parquet"
    pl.DataFrame({"persona": ["a"], "description": ["You."], "age": [34]}).write_parquet(path)
    assert read_personas(path) == (Persona("a", "You.", 1.0, {"age": "34"}),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("persona,descripton\na,You\n", "has no column description; did you mean 'descripton'"),
        ("description\nYou\n", "has no column persona"),
        ("persona,description\na,You\nb,\n", "line 3: description is empty"),
        ("persona,description\n,You\n", "line 2: persona is empty"),
        ("persona,description,Weight\na,You,2\n", "has a column Weight; did you mean 'weight'?"),
        ("persona,description,N\na,You,2\n", "has a column N; did you mean 'n'? (expected the columns"),
        ("persona,description, \na,You,2\n", "a column without a name"),
        ("persona,description\na,You\na,Me\n", "line 3: persona a again, first on line 2"),
        ("persona,description,weight,n\na,You,1,1\n", "has the columns weight and n"),
        ("persona,description,weight\na,You,0\n", "line 2: weight is '0' (expected a number above 0)"),
        ("persona,description,weight\na,You,\n", "line 2: weight is empty"),
        ("persona,description,n\na,You,inf\n", "line 2: n is 'inf'"),
        ("persona,description,n\na,You,many\n", "line 2: n is 'many'"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "personas.csv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_personas(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1)


@given(
    st.lists(
        st.tuples(words, words, st.floats(0.01, 1e6), words), min_size=1, max_size=5, unique_by=lambda r: r[0]
    )
)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = tmp_path_factory.mktemp("personas") / "personas.parquet"
    columns = dict(zip(("persona", "description", "weight", "group"), zip(*rows, strict=True), strict=True))
    pl.DataFrame({name: list(values) for name, values in columns.items()}).write_parquet(path)
    found = read_personas(path)
    assert [(p.name, p.description, p.weight) for p in found] == [row[:3] for row in rows]
    assert [p.groups for p in found] == [{"group": row[3]} for row in rows]
    asked = as_personas([Item("1-q1", "1", "", {"statement": "So."})], found)
    assert len({item.id for item in asked}) == len(rows)
    assert personas_of(asked) == tuple(sorted(found, key=lambda p: p.name))


def test_every_question_comes_from_every_persona(files: tuple[Path, Path]) -> None:
    statements, personas = files
    task = Judgments(statements, questions=["q1"], persona=personas)
    items = task.items()
    assert [item.id for item in items] == [f"{i}-q1@{name}" for i in range(3) for name in ("Ann", "Bob")]
    assert items[0].cluster == "0"
    assert items[1].data == {
        "statement_id": 0,
        "statement": "Rain is good.",
        "question": "q1",
        "persona": "Bob",
        "description": "You are Bob. You like sun.",
        "weight": 1.0,
        "groups": {"gender": "man"},
    }
    unasked = Judgments(statements, questions=["q1"])
    for method in ("labels", "sample"):
        (request,) = task.requests(items[0], method, {})  # type: ignore[arg-type]
        assert isinstance(request, LabelRequest | SampleRequest)
        assert (request.system, request.item) == ("You are Ann. You like rain.", "0-q1@Ann")
        (plain,) = unasked.requests(unasked.items()[0], method, {})  # type: ignore[arg-type]
        assert isinstance(plain, LabelRequest | SampleRequest)
        assert (plain.system, plain.prompt) == ("", request.prompt)
    # A limit keeps the personas of a statement together.
    few = Judgments(statements, questions=["q1"], persona=personas, limit=3).items()
    assert len(few) == 2
    assert few[0].cluster == few[1].cluster
    with pytest.raises(InputError, match="at least 2"):
        Judgments(statements, questions=["q1"], persona=personas, limit=1).items()


def test_the_population_answers_by_weights(
    files: tuple[Path, Path], ask: Callable[..., Answered], acting: Acting
) -> None:
    statements, personas = files
    actor = acting({"Ann": {"Rain": 0.9}, "Bob": {"Rain": 0.1}})
    task = Judgments(statements, persona=personas)
    answered = ask(task, actor)
    table = answered.results.table
    assert table is not None
    assert table["persona"].to_list()[:2] == ["Ann", "Bob"]
    population = population_table(table, personas_of(answered.items))
    rain = population.filter((pl.col("statement_id") == 0) & (pl.col("question") == "q1")).row(0, named=True)
    assert rain["p_yes"] == pytest.approx((3 * 0.9 + 0.1) / 4)
    yes = next(e for e in answered.results.estimates if e.measure == "yes_mass" and e.by["question"] == "q1")
    assert yes.value == pytest.approx((0.7 + 0.5 + 0.5) / 3)
    scores = task.item_scores(answered)
    assert scores.scores["yes_mass"].to_list()[:2] == [0.9, 0.1]


def test_each_persona_is_a_rater_of_written_results(
    files: tuple[Path, Path], tmp_path: Path, ask: Callable[..., Answered], acting: Acting
) -> None:
    statements, personas = files
    task = Judgments(statements, persona=personas)
    (path,) = task.write_results(tmp_path / "out", ask(task, acting({"Ann": {"Rain": 0.9}})))
    majority = tmp_path / "majority.csv"
    majority.write_text("statement_id,majority\n0,1\n1,0\n2,1\n")
    found = task.analyse(ratings=[path], majority=majority, draws=2).results
    assert {row["model"] for row in found.coverage} == {"actor: as Ann", "actor: as Bob"}


def test_a_run_is_stored_loaded_and_merged_without_the_file_of_personas(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    statements, personas = files
    options: dict[str, Any] = {"data": statements, "persona": personas, "questions": ["q1", "q2"]}
    run = ps.evaluate("judgments", "random:1", store=tmp_path / "a.db", **options)
    again = ps.evaluate("judgments", "random:1", store=tmp_path / "a.db", **options)
    assert again.id == run.id
    personas.unlink()
    loaded = ps.load_run(run.id, store=tmp_path / "a.db")
    assert [e.to_json() for e in loaded.results.estimates] == [e.to_json() for e in run.results.estimates]
    shown = loaded.table()
    assert set(shown["persona"]) == {"Ann", "Bob"}
    assert shown["prompt"][0].startswith("You are Ann. You like rain.\n\nConsider the statement")


def test_another_description_is_another_run_and_other_questions(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    statements, personas = files
    options: dict[str, Any] = {"data": statements, "persona": personas, "questions": ["q1"]}
    first = ps.evaluate("judgments", "random:1", store=tmp_path / "a.db", **options)
    personas.write_text(PERSONAS.replace("sun", "snow"))
    second = ps.evaluate("judgments", "random:1", store=tmp_path / "a.db", **options)
    assert first.id != second.id
    assert first.results.table is not None
    assert second.results.table is not None
    same = first.results.table["p_yes"] == second.results.table["p_yes"]
    assert same.to_list() == [True, False] * 3


def test_the_page_shows_who_was_asked(files: tuple[Path, Path], tmp_path: Path) -> None:
    statements, personas = files
    options: dict[str, Any] = {"data": statements, "persona": personas, "questions": ["q1", "q2"]}
    runs = [ps.evaluate("judgments", f"random:{k}", store=tmp_path / "a.db", **options) for k in (1, 2)]
    views = item_views(runs)
    assert len(views.asked) == 12
    assert views.asked[0].prompt.startswith("You are Ann. You like rain.\n\nConsider the statement")
    assert "persona: Ann" in views.asked[0].about
    assert all(reply is not None for row in views.replies for reply in row)
    found = ps.compare(*runs)
    assert {one.estimate.n for one in found.differences} == {12}
    page = tmp_path / "page.html"
    ps.report(page, *runs)
    text = page.read_text()
    assert "fewer than 5 personas of a group" in text
