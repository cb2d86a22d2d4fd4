"""Frames with people's answers, in every layout: what is read, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError
from probsense.tasks.frames.questions.frames import SLOTS, Frame
from probsense.tasks.frames.questions.prompts import normalise
from probsense.tasks.frames.questions.read import PACKAGED, frames_of, read_frames

CORPUS = Path(__file__).parents[3] / "fuzz" / "corpus" / "frames"
RAW = {"bread": 3, "toast": 1, "tea": 2, "nothing": 1}
BREAKFAST = {
    "metadata": {"id": "b1", "source": "made up"},
    "question": {"original": "What is on the table?", "normalized": "what is on the table?"},
    "answers": {
        "raw": RAW,
        "clusters": {
            "b1.0": {"count": 4, "answers": ["bread", "toast"]},
            "b1.1": {"count": 2, "answers": ["tea"]},
        },
    },
}
CLUSTERS = (Cluster("b1.0", 4, ("bread", "toast")), Cluster("b1.1", 2, ("tea",)))
OLD = {"questionid": "b1", "normalized-question": "what is on the table?"}
BALLOON = {"id": "b", "context": "A balloon is tied to a chair.", "slot": "instrument"}
WHEN = {"id": "x", "context": "x", "slot": "time"}


def write(folder: Path, *records: Any, name: str = "targets.jsonl") -> Path:
    path = folder / name
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), "utf-8")
    return path


def changed(**answers: Any) -> dict[str, Any]:
    """BREAKFAST with other answers; a key without a value is taken out."""
    body = {**BREAKFAST["answers"], **answers}
    return {**BREAKFAST, "answers": {key: value for key, value in body.items() if value is not None}}


def cluster(body: Any, name: str = "c") -> dict[str, Any]:
    return changed(clusters={name: body})


def test_as_cfc_and_protoqa_have_it_packed_and_in_order(tmp_path):
    path = tmp_path / "targets.jsonl.gz"
    other = {**BREAKFAST, "metadata": {"id": "a2"}}
    path.write_bytes(gzip.compress(f"{json.dumps(BREAKFAST)}\n\n{json.dumps(other)}".encode()))
    frame, second = read_frames(path)
    assert frame.people == Question("b1", "What is on the table?", RAW, CLUSTERS)
    assert (frame.text, frame.slot, second.id) == ("What is on the table?", "", "a2")


LISTED = [{"count": 4, "answers": ["bread", "toast"]}, {"count": 2, "answers": ["tea"]}]
COUNTS = {"bread": 3, "toast": 1, "tea": 2}
ONLY_TEA = {"count": 3, "answers": ["tea"]}
FOUND = {"metadata": {"id": "b1"}, "question": {"normalized-question": "what is on the table?"}}


@pytest.mark.parametrize(
    ("record", "raw", "clusters"),
    [
        *(
            ({**OLD, raw: COUNTS, "answers-cleaned": LISTED}, COUNTS, CLUSTERS)
            for raw in ("answerstrings", "raw-answers-cleaned", "raw-original-answers")
        ),
        # Answers are counted as the clusters spell them.
        (
            {**OLD, "raw-original-answers": {"tae": 1}, "raw-answers-cleaned": {"tea": 2}}
            | {"answers-cleaned": LISTED[1:]},
            *({"tea": 2}, (Cluster("b1.0", 2, ("tea",)),)),
        ),
        (
            {**OLD, "answers-cleaned": {"bread": 4, "tea": 2}},
            *({"bread": 4, "tea": 2}, (Cluster("b1.0", 4, ("bread",)), Cluster("b1.1", 2, ("tea",)))),
        ),
        # Without counts of answers, the first of a cluster stands for all.
        (
            {**FOUND, "answer-clusters": [{"clusterid": "x", **LISTED[0]}]},
            *({"bread": 4}, (Cluster("x", 4, ("bread", "toast")),)),
        ),
        (changed(raw=None), {"bread": 4, "tea": 2}, CLUSTERS),
        (changed(clusters=None), RAW, ()),
        # A string that is repeated counts once, and without a count that of all strings does.
        (cluster({"answers": ["bread", "toast", "bread"]}, "b1.0"), RAW, CLUSTERS[:1]),
        (
            changed(clusters=BREAKFAST["answers"]["clusters"] | {"wrong": {"count": 0, "answers": []}}),
            *(RAW, CLUSTERS),
        ),
        (
            changed(clusters={"a": ONLY_TEA, "b": ONLY_TEA}),
            *(RAW, (Cluster("a", 3, ("tea",)), Cluster("b", 3, ("tea",)))),
        ),
        *(
            (
                changed(raw={answer: 1}, clusters={"c": {"count": 1, "answers": [answer]}}),
                *({answer: 1}, (Cluster("c", 1, (answer,)),)),
            )
            for answer in ("x" * 10_000, "👩‍🍳", "خبز", "Crème brûlée ", "a\nb")
        ),
    ],
)
def test_answers_and_clusters(tmp_path, record, raw, clusters):
    (frame,) = read_frames(write(tmp_path, record))
    found = frame.people
    assert (found.id, found.text.lower()) == ("b1", "what is on the table?")
    assert (found.raw, found.clusters) == (raw, clusters)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("[1]", "list found"),
        ({**BREAKFAST, "metadata": {}}, "id is missing"),
        ({**BREAKFAST, "question": {}}, "question is missing"),
        (changed(raw=None, clusters=None), "question 'b1' has no answers"),
        (changed(raw={"tea": 0}), "answers.raw.tea is 0 (expected a whole number from 1)"),
        (cluster({"count": 1, "answers": []}), "answers.clusters.c.answers is []"),
        (cluster({"answers": ["milk"]}), "count is nothing (expected a whole number from 1, or answers that"),
        (cluster(ONLY_TEA, "wrong"), "answers.clusters.wrong.answers is ['tea']"),
        ({**OLD, "answers-cleaned": "tea"}, "answers is 'tea'"),
        ({**OLD, "answers-cleaned": [{"answers": ["tea"]}]}, "answers.clusters['b1.0'].count is nothing"),
        ({**OLD, "answers-cleaned": [{"clusterid": 1, **ONLY_TEA}] * 2}, "the clusterid '1' stands twice"),
        ({"id": "x", "context": "x", "slot": "tmie"}, "did you mean 'time'"),
        ({"id": "x", "context": "x"}, "no question"),
        (WHEN | {"cluster": {}}, "did you mean 'clusters'"),
        (WHEN | {"answers": {"a": 6_000_000, "b": 6_000_000}}, "12,000,000 in all (expected at most 10,000"),
    ],
)
def test_what_is_refused(tmp_path, record, message):
    path = write(tmp_path, BALLOON, record)
    with pytest.raises(InputError) as caught:
        read_frames(path)
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert message in str(caught.value)


def test_a_question_comes_once_and_a_file_has_some(tmp_path):
    with pytest.raises(InputError, match="line 2: the id is 'b1' again, first on line 1"):
        read_frames(write(tmp_path, BREAKFAST, BREAKFAST))
    with pytest.raises(InputError, match="holds no frames"):
        read_frames(write(tmp_path, ""))


def test_the_frames_of_the_package():
    frames = read_frames(PACKAGED)
    assert len(frames) >= 36
    assert set(Counter(frame.slot for frame in frames)) == set(SLOTS)
    for frame in frames:
        assert sum(cluster.count for cluster in frame.people.clusters) == 100
        assert len(frame.people.clusters) >= 4
        assert all(normalise(answer) == answer for answer in frame.people.raw)


def test_a_frame_of_ones_own(tmp_path):
    clusters = {"string": {"string": 5, "ribbon": 3}, "tape": {"tape": 2, "string": 1}}
    path = write(tmp_path, BALLOON | {"clusters": clusters}, BALLOON | {"id": "c", "question": "With what?"})
    first, second = read_frames(path)
    text = "A balloon is tied to a chair. What would be used to do this?"
    groups = (Cluster("string", 8, ("string", "ribbon")), Cluster("tape", 3, ("tape", "string")))
    people = Question("b", text, {"string": 6, "ribbon": 3, "tape": 2}, groups)
    assert first == Frame(BALLOON["context"], "instrument", SLOTS["instrument"], people)
    assert (second.question, second.people.raw, second.people.clusters) == ("With what?", {}, ())


@pytest.mark.parametrize("on_one_line", [False, True])
def test_spellings_of_blend_are_a_cluster(on_one_line, tmp_path):
    """Two that begin alike keep their names apart, and a question without an answer is asked."""
    text = (CORPUS / "blend.json").read_text()
    kites, food = read_frames(
        write(tmp_path, json.dumps(json.loads(text)) if on_one_line else text, name="b.json")
    )
    assert kites.text == "What do people fly on the beach?"
    assert kites.people.clusters == (
        Cluster("kite", 4, ("kite", "kites")),
        Cluster("drone", 1, ("drone",)),
        Cluster("kite (2)", 2, ("kite", "big kite")),
    )
    assert kites.people.raw == {"kite": 6, "drone": 1}
    assert (food.id, dict(food.people.raw)) == ("Ki-02", {})


def test_lines_are_read_as_lines_whatever_the_name_and_other_documents_are_refused(tmp_path):
    assert [frame.id for frame in read_frames(write(tmp_path, BALLOON, name="frames.json"))] == ["b"]
    for body, missing in (({"question": "Why?"}, "annotations"), ({"annotations": []}, "question")):
        with pytest.raises(InputError, match=f"q.{missing} is missing"):
            read_frames(write(tmp_path, "{\n" + json.dumps({"q": body})[1:], name="a.json"))


WORDS = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=4)
ANSWERS = st.dictionaries(
    WORDS, st.dictionaries(WORDS, st.integers(1, 3), min_size=1, max_size=4), min_size=1
)


def table(folder: Path, *rows: str) -> Path:
    return write(folder, *rows, name="frames.csv")


@given(ANSWERS)
def test_counts_rows_and_lines_give_the_same_frames(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("frames")
    lines = write(folder, *({"id": q, "question": q, "answers": {"raw": own}} for q, own in answers.items()))
    rows = [(question, answer, n) for question, own in answers.items() for answer, n in own.items()]
    each = [row[:2] for row in rows for _ in range(row[2])]
    for name, own in (("counts", rows), ("rows", each)):
        names = ["question", "answer", "count"][: len(own[0])]
        pl.DataFrame(own, names, orient="row").write_csv(folder / f"{name}.csv", separator=";")
    assert read_frames(folder / "counts.csv") == read_frames(folder / "rows.csv") == read_frames(lines)


def test_frames_with_events_and_clusters(tmp_path):
    rows = (
        "id,context,slot,answer,count,cluster",
        "kite,A kite is flown.,location,beach,5,sea",
        "kite,,,at the beach,15,sea",
        "kite,,,beach,2,sand",
        "kite,,,park,6,",
        "torn,A kite is torn.,instrument,,,",
    )
    kite, torn = read_frames(table(tmp_path, *rows))
    assert (kite.id, kite.text) == ("kite", "A kite is flown. Where would this be done?")
    assert kite.people.raw == {"beach": 7, "at the beach": 15, "park": 6}
    # An answer in two clusters counts in each as often as it stands there.
    assert kite.people.clusters == (
        Cluster("sea", 20, ("beach", "at the beach")),
        Cluster("sand", 2, ("beach",)),
    )
    assert (torn.question, torn.people.raw) == ("What would be used to do this?", {})


@pytest.mark.parametrize(
    ("rows", "columns", "raw", "said", "dropped"),
    [
        (
            ("context,question,answer", "Rain.,Where?,here", "Snow.,Where?,there", "Rain.,Where?,here"),
            *((), {"Rain. Where?": {"here": 2}, "Snow. Where?": {"there": 1}}, "a row for each answer", []),
        ),
        (
            ("question,answer,count", "Who?,cook,3", "Who?,,2", "Who?,,"),
            *((), {"Who?": {"cook": 3}}, "a row for each answer with its count"),
            ["rows without an answer (2)"],
        ),
        (
            ("question,answer,participant,note,nothing", "A fruit?,apple,1,sure,", "A fruit?,pear,2,,"),
            *((), {"A fruit?": {"apple": 1, "pear": 1}}, "a row for each answer", ["the column note"]),
        ),
        (
            ("question,Q,said", "a,Who?,cook", "b,Who?,chef"),
            *(("question=Q", "answer=said"), {"Who?": {"cook": 1, "chef": 1}}, "a row for each answer"),
            ["the column question"],
        ),
    ],
)
def test_tables(tmp_path, rows, columns, raw, said, dropped):
    path = table(tmp_path, *rows)
    found = frames_of(path, columns)
    assert {frame.text: frame.people.raw for frame in found.found} == raw
    assert (found.said, [*found.dropped]) == (f"{said} (CSV separated by commas)", dropped)
    left = f"; left out: {dropped[0]}" if dropped else ""
    assert found.notes(path) == [f"{path} is read as {found.said}{left}"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("question,count", "Who?,1"), "has no column answer"),
        (("context,slot,answer", ",time,noon"), "line 2: no question.*or a context and one of the slots"),
        (("question,answer,Slot", "Who?,cook,arg0"), r"has a column Slot; did you mean 'slot'\?"),
        (("question,answer,count", "Who?,cook,0"), r"line 2: count is '0' \(expected a whole number from 1"),
        (("question,answer,count", "Who?,cook,1", "Who?,chef,"), "line 3: count is empty"),
        (("question,answer,count", "A,b,1", ",,", "A,b,2"), "line 4: question A, answer b again, first on"),
        (("id,question,answer", "a,Who?,cook", "a,What?,pan"), "line 3: question is 'What.', but 'Who.' on"),
        (("id,question,answer", "a,Who?,cook", ",What?,pan"), "line 3: id is empty"),
        (("question,answer", "Who?,cook", ",pan"), "line 3: no question"),
        (("question,answer", "Who?,"), "line 2: nobody answered 'Who.'"),
        (("context,slot,answer", "Rain.,place,here"), "line 2: no question, and the slot 'place' has none"),
        (("question,answer,n", "A?,a,12", "A?,b,5"), "the column n holds numbers that would not count"),
    ],
)
def test_what_is_wrong_in_a_table_has_its_line(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_frames(table(tmp_path, *rows))


def test_columns_are_those_of_tables(tmp_path):
    with pytest.raises(InputError, match="--columns with a file that is no table"):
        frames_of(write(tmp_path, BALLOON), ["question=Q"])
