"""Frames with people's answers, in every layout: what is read, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError
from probsense.tasks.frames.questions.frames import SLOTS, Frame
from probsense.tasks.frames.questions.prompts import normalise
from probsense.tasks.frames.questions.read import PACKAGED, read_frames

BREAKFAST: dict[str, Any] = {
    "metadata": {"id": "b1", "source": "made up"},
    "question": {"original": "What is on the table?", "normalized": "what is on the table?"},
    "answers": {
        "raw": {"bread": 3, "toast": 1, "tea": 2, "nothing": 1},
        "clusters": {
            "b1.0": {"count": 4, "answers": ["bread", "toast"]},
            "b1.1": {"count": 2, "answers": ["tea"]},
        },
    },
}
CLUSTERS = (Cluster("b1.0", 4, ("bread", "toast")), Cluster("b1.1", 2, ("tea",)))


def write(folder: Path, *records: Any, name: str = "targets.jsonl") -> Path:
    path = folder / name
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)
    path.write_text(text, encoding="utf-8")
    return path


def changed(**answers: Any) -> dict[str, Any]:
    """BREAKFAST with other answers; a key without a value is taken out."""
    body = {**BREAKFAST["answers"], **answers}
    return {**BREAKFAST, "answers": {key: value for key, value in body.items() if value is not None}}


def read(folder: Path, record: Any) -> Question:
    (frame,) = read_frames(write(folder, record))
    return frame.people


def test_as_cfc_and_protoqa_have_it(tmp_path: Path) -> None:
    raw = {"bread": 3, "toast": 1, "tea": 2, "nothing": 1}
    (frame,) = read_frames(write(tmp_path, BREAKFAST))
    assert frame.people == Question("b1", "What is on the table?", raw, CLUSTERS)
    assert (frame.id, frame.text, frame.slot) == ("b1", "What is on the table?", "")


def test_packed_files_and_order(tmp_path: Path) -> None:
    path = tmp_path / "targets.jsonl.gz"
    other = {**BREAKFAST, "metadata": {"id": "a2"}}
    path.write_bytes(gzip.compress(f"{json.dumps(BREAKFAST)}\n\n{json.dumps(other)}".encode()))
    assert [frame.id for frame in read_frames(path)] == ["b1", "a2"]


@pytest.mark.parametrize(
    "question",
    [
        {"question": "What is on the table?", "normalized-question": "what is on the table?"},
        {"question": {"normalized-question": "What is on the table?"}},
        {"normalized-question": "What is on the table?"},
        {"question": {"normalized": "What is on the table?"}},
    ],
)
def test_the_question_in_words(tmp_path: Path, question: dict[str, Any]) -> None:
    record = {key: value for key, value in BREAKFAST.items() if key != "question"}
    assert read(tmp_path, record | question).text == "What is on the table?"


OLD = {"questionid": "b1", "normalized-question": "what is on the table?"}


@pytest.mark.parametrize("raw", ["answerstrings", "raw-answers-cleaned", "raw-original-answers"])
def test_old_files_with_a_list_of_clusters(tmp_path: Path, raw: str) -> None:
    clusters = [{"count": 4, "answers": ["bread", "toast"]}, {"count": 2, "answers": ["tea"]}]
    counts = {"bread": 3, "toast": 1, "tea": 2}
    question = read(tmp_path, {**OLD, raw: counts, "answers-cleaned": clusters})
    assert question == Question("b1", "what is on the table?", counts, CLUSTERS)


def test_old_files_count_answers_as_the_clusters_spell_them(tmp_path: Path) -> None:
    clusters = [{"count": 2, "answers": ["tea"]}]
    raw = {"raw-original-answers": {"tae": 1, "tea": 1}, "raw-answers-cleaned": {"tea": 2}}
    assert read(tmp_path, {**OLD, **raw, "answers-cleaned": clusters}).raw == {"tea": 2}


def test_old_files_with_counts_of_answers(tmp_path: Path) -> None:
    question = read(tmp_path, {**OLD, "answers-cleaned": {"bread": 4, "tea": 2}})
    assert question.raw == {"bread": 4, "tea": 2}
    assert question.clusters == (Cluster("b1.0", 4, ("bread",)), Cluster("b1.1", 2, ("tea",)))


def test_old_files_of_found_questions(tmp_path: Path) -> None:
    record = {
        "metadata": {"id": "b1"},
        "question": {"question": "What Is On The Table", "normalized-question": "what is on the table"},
        "answer-clusters": [{"clusterid": "x", "count": 4, "answers": ["bread", "toast"]}],
    }
    question = read(tmp_path, record)
    assert question == Question(
        "b1", "what is on the table", {"bread": 4}, (Cluster("x", 4, ("bread", "toast")),)
    )


def test_without_counts_of_answers_the_first_of_a_cluster_stands_for_all(tmp_path: Path) -> None:
    assert read(tmp_path, changed(raw=None)).raw == {"bread": 4, "tea": 2}


LISTED = {"count": 3, "answers": ["bread"]}
ROLL = Cluster("b1.0", 4, ("bread", "toast", "roll"))


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        (None, ()),
        ({}, ()),
        # A string that is repeated counts once, and without a count that of all strings does.
        ({"b1.0": {"count": 4, "answers": ["bread", "toast", "bread", "bread"]}}, CLUSTERS[:1]),
        ({"b1.0": {"answers": ["bread", "toast", "bread", "roll"]}}, (ROLL,)),
        (BREAKFAST["answers"]["clusters"] | {"wrong": {"count": 0, "answers": []}}, CLUSTERS),
        ({"a": LISTED, "b": LISTED}, (Cluster("a", 3, ("bread",)), Cluster("b", 3, ("bread",)))),
    ],
)
def test_clusters(tmp_path: Path, clusters: Any, expected: tuple[Cluster, ...]) -> None:
    assert read(tmp_path, changed(clusters=clusters)).clusters == expected


@pytest.mark.parametrize("answer", ["x" * 10_000, "🥐", "👩‍🍳", "خبز", "לחם", "Crème brûlée ", "a\nb"])
def test_answers_are_kept_as_they_are(tmp_path: Path, answer: str) -> None:
    question = read(tmp_path, changed(raw={answer: 1}, clusters={"c": {"count": 1, "answers": [answer]}}))
    assert question.raw == {answer: 1}
    assert question.clusters[0].answers == (answer,)


def one(name: str, body: Any) -> dict[str, Any]:
    return changed(clusters={name: body})


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("[1]", "line 1: list found"),
        ("{", "line 1: not valid JSON"),
        ({**BREAKFAST, "metadata": {}}, "line 1: id is missing"),
        ({**BREAKFAST, "metadata": {"id": " "}}, "id is ' ' (expected some text)"),
        ({**BREAKFAST, "question": {}}, "question is missing"),
        ({**BREAKFAST, "question": ["a"]}, "question is ['a'] (expected text)"),
        ({**BREAKFAST, "question": ""}, "question is '' (expected some text)"),
        ({"id": "x", "question": "?"}, "answers is missing"),
        ({**BREAKFAST, "answers": []}, "answers is [] (expected an object)"),
        (changed(raw=None, clusters=None), "question 'b1' has no answers"),
        (changed(raw={}, clusters=None), "answers.raw is {} (expected at least one answer and its count)"),
        (changed(raw={"": 1}), "a key of answers.raw is '' (expected some text)"),
        (changed(raw={"tea": 0}), "answers.raw.tea is 0 (expected a whole number from 1)"),
        (changed(raw={"tea": 10**30}), "(expected a whole number from 1)"),
        (changed(raw=["tea"]), "answers.raw is ['tea'] (expected at least one answer"),
        (changed(clusters=[]), "answers.clusters is [] (expected an object)"),
        (one("c", []), "answers.clusters.c is [] (expected an object)"),
        (one("c", {"count": 1}), "answers.clusters.c.answers is missing"),
        (one("c", {"count": 1, "answers": []}), "answers.clusters.c.answers is []"),
        (one("c", {"count": 1, "answers": "tea"}), "answers.clusters.c.answers is 'tea' (expected a list"),
        (one("c", {"count": 1, "answers": ["tea", 1]}), "answers.clusters.c.answers[1] is 1 (expected text)"),
        (one("c", {"count": 1, "answers": ["tea", " "]}), "answers.clusters.c.answers[1] is ' '"),
        (one("c", {"count": -1, "answers": ["tea"]}), "answers.clusters.c.count is -1"),
        (
            one("c", {"answers": ["milk"]}),
            "answers.clusters.c.count is nothing (expected a whole number from 1, or answers that are in answers.raw)",
        ),
        (one(" ", {"count": 1, "answers": ["tea"]}), "a key of answers.clusters is ' ' (expected some text)"),
        (one("wrong", {"count": 1, "answers": ["tea"]}), "answers.clusters.wrong.answers is ['tea']"),
        ({**OLD, "answers-cleaned": "tea"}, "answers is 'tea'"),
        ({**OLD, "answers-cleaned": []}, "question 'b1' has no answers"),
        ({**OLD, "answers-cleaned": {}}, "answers.raw is {}"),
        ({**OLD, "answers-cleaned": [{"answers": ["tea"]}]}, "answers.clusters['b1.0'].count is nothing"),
        (
            {**OLD, "answers-cleaned": [{"clusterid": 1, "count": 1, "answers": ["tea"]}] * 2},
            "the clusterid '1' stands twice",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, record: Any, message: str) -> None:
    path = write(tmp_path, record)
    with pytest.raises(InputError) as caught:
        read_frames(path)
    assert str(caught.value).startswith(f"{path}, line 1: ")
    assert message in str(caught.value)


def test_a_question_comes_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: the id is 'b1' again, first on line 1"):
        read_frames(write(tmp_path, BREAKFAST, BREAKFAST))


def test_a_file_without_frames(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no frames"):
        read_frames(write(tmp_path, ""))


BALLOON = {"id": "b", "context": "A balloon is tied to a chair.", "slot": "instrument"}
WHEN = {"id": "x", "context": "x", "slot": "time"}


def test_the_frames_of_the_package() -> None:
    frames = read_frames(PACKAGED)
    assert len(frames) >= 36
    assert set(Counter(frame.slot for frame in frames)) == set(SLOTS)
    for frame in frames:
        assert sum(cluster.count for cluster in frame.people.clusters) == 100
        assert len(frame.people.clusters) >= 4
        assert all(normalise(answer) == answer for answer in frame.people.raw)


def test_a_frame_of_ones_own(tmp_path: Path) -> None:
    clusters = {"string": {"string": 5, "ribbon": 3}, "tape": {"tape": 2, "string": 1}}
    path = write(tmp_path, BALLOON | {"clusters": clusters}, BALLOON | {"id": "c", "question": "With what?"})
    first, second = read_frames(path)
    raw = {"string": 6, "ribbon": 3, "tape": 2}
    text = "A balloon is tied to a chair. What would be used to do this?"
    groups = (Cluster("string", 8, ("string", "ribbon")), Cluster("tape", 3, ("tape", "string")))
    assert first == Frame(BALLOON["context"], "instrument", SLOTS["instrument"], first.people)
    assert first.people == Question("b", text, raw, groups)
    assert (second.question, second.people.raw, second.people.clusters) == ("With what?", {}, ())


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (BALLOON, "again, first on line 1"),
        ({"context": "x", "slot": "time"}, "id is"),
        ({"id": "x", "context": " ", "slot": "time"}, "context is"),
        ({"id": "x", "context": "x", "slot": "tmie"}, "did you mean 'time'"),
        ({"id": "x", "context": "x"}, "no question"),
        (WHEN | {"cluster": {}}, "did you mean 'clusters'"),
        (WHEN | {"clusters": []}, "clusters is"),
        (WHEN | {"clusters": {"a": {"b": 0}}}, "whole number from 1"),
        (WHEN | {"clusters": {"a": {}}}, "clusters.a is {}"),
        (WHEN | {"answers": {"a": 1.5}}, "whole number from 1"),
        (WHEN | {"answers": {" ": 1}}, "some text"),
        (
            WHEN | {"answers": {"a": 6_000_000, "b": 6_000_000}},
            r"the answers to 'x': 12,000,000 in all \(expected at most 10,000,000\)",
        ),
    ],
)
def test_faulty_frames(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    path = write(tmp_path, BALLOON, record)
    with pytest.raises(InputError, match=rf"targets\.jsonl, line 2: .*{message}"):
        read_frames(path)


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
