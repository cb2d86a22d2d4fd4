"""Published collections of open questions: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.analysis.open_answers.questions import Cluster
from probsense.core.errors import InputError
from probsense.tasks.frames.questions.read import read_frames

CORPUS = Path(__file__).parents[3] / "fuzz" / "corpus" / "frames"


@pytest.mark.parametrize("on_one_line", [False, True])
def test_spellings_of_an_answer_are_a_cluster(on_one_line: bool, tmp_path: Path) -> None:
    """Two that begin alike keep their names apart, and a question without an answer is asked."""
    path = tmp_path / "blend.json"
    text = (CORPUS / "blend.json").read_text()
    path.write_text(json.dumps(json.loads(text)) if on_one_line else text)
    kites, food = read_frames(path)
    assert kites.text == "What do people fly on the beach?"
    assert kites.people.clusters == (
        Cluster("kite", 4, ("kite", "kites")),
        Cluster("drone", 1, ("drone",)),
        Cluster("kite (2)", 2, ("kite", "big kite")),
    )
    assert kites.people.raw == {"kite": 6, "drone": 1}
    assert (food.id, dict(food.people.raw)) == ("Ki-02", {})


def test_lines_of_json_are_read_as_lines_whatever_the_name(tmp_path: Path) -> None:
    path = tmp_path / "frames.json"
    path.write_text('{"id": "a", "context": "A kite is flown.", "slot": "location"}\n')
    assert [frame.id for frame in read_frames(path)] == ["a"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{\n"q": {"question": "Why?"}}', "annotations"),
        ("a.json", '{\n"q": {"question": "Why?", "annotations": [{"answers": [], "count": 1}]}}', "answers"),
        (
            "a.json",
            '{\n"q": {"question": "Why?", "annotations": [{"answers": ["x"], "count": 0}]}}',
            "count",
        ),
        ("a.json", '{\n"q": {"annotations": []}}', "question"),
    ],
)
def test_other_layouts_are_refused_with_their_place(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_frames(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("header", ["question\tanswer", '"question"\t"answer"'])
def test_a_table_of_answers_in_any_encoding(tmp_path: Path, encoding: str, header: str) -> None:
    path = tmp_path / "answers.tsv"
    path.write_text(f"{header}\nWhat is on a café's table?\tcup\n", encoding=encoding)
    (frame,) = read_frames(path)
    assert frame.people.raw == {"cup": 1}
