"""``probsense run frames`` and ``probsense analyse frames``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from probsense.analysis.open_answers.clustering import Clustering, gmeans, hac, xmeans
from probsense.analysis.open_answers.published.probeval import (
    by_gaussian,
    by_similarity,
    published_automatic_gold,
    published_scores,
)
from probsense.analysis.open_answers.questions import Floats, Question
from probsense.analysis.open_answers.similarity import cosine, exact
from support.command import Probsense, assert_refused

FRAME = {
    "id": "bell",
    "context": "A bell is rung.",
    "slot": "purpose",
    "clusters": {"call": {"to call someone": 6, "to call people": 2}, "start": {"to start": 4}},
}


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    lines = [
        FRAME,
        FRAME | {"id": "horn", "context": "A horn is blown.", "clusters": {"warn": {"to warn": 9}}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "some_answers.jsonl"
    path.write_text(
        '{"id": "bell", "answers": {"to call someone": 3, "to wake the town": 2}}\n'
        '{"id": "horn", "answers": {"to warn": 5}}\n'
    )
    return path


@pytest.mark.usefixtures("undrawn")
def test_the_frames_of_the_package(probsense: Probsense, tmp_path: Path) -> None:
    done = probsense("run", "frames", "-m", "random:1", "-q", "--report", "page.html")
    assert done.code == 0, done.err
    assert "KL" in done.out
    assert "made up for illustration" in done.out
    page = (tmp_path / "page.html").read_text()
    assert "What models answer, beside the illustrative answers" in page
    assert "Frame by frame" in page
    assert page.count("<figure>") == 2


@pytest.mark.usefixtures("undrawn")
def test_both_ways_of_asking_are_in_one_table_and_one_page(
    probsense: Probsense, frames: Path, tmp_path: Path
) -> None:
    words = ("run", "frames", "-m", "builtin:tiny", "-q", "--data", frames, "--answers", "12")
    done = probsense(*words, "--method", "both", "--report", "page.html", "--write-results", "out", "--full")
    assert done.code == 0, done.err
    assert "builtin:tiny · sample" in done.out
    assert "builtin:tiny · options" in done.out
    page = (tmp_path / "page.html").read_text()
    # The built-in model hardly knows people's answers.
    assert "builtin:tiny (exact)" not in page
    assert "Warning: builtin:tiny: nothing is compared, because the known answers have" in done.out
    assert "How much a number of answers can tell" in page
    written = (tmp_path / "out" / "builtin-tiny_answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in written] == ["bell", "horn"]
    assert all(sum(json.loads(line)["answers"].values()) == 12 for line in written)
    again = probsense(*words, "--method", "both", "--json")
    documents = json.loads(again.out)["runs"]
    assert [document["run"]["method"] for document in documents] == ["sample", "options"]
    assert [document["run"]["asked"] for document in documents] == [0, 0]
    analysed = probsense(
        "analyse", "frames", "--data", frames, "--predictions", "out/builtin-tiny_answers.jsonl", "--json"
    )
    ours, theirs = (
        {
            e["measure"]: e["value"]
            for e in json.loads(text)["estimates"]
            if "frame" not in e["by"] and e["by"]["model"].startswith("builtin")
        }
        for text in (analysed.out, json.dumps(documents[0]))
    )
    assert ours == theirs


def test_a_run_says_exact_or_options(probsense: Probsense, frames: Path) -> None:
    words = ("run", "frames", "-m", "random:1", "-q", "--data", frames, "--json")
    exact, options = (json.loads(probsense(*words, "--method", way).out) for way in ("exact", "options"))
    assert exact["estimates"] == options["estimates"]
    assert exact["run"]["options"]["data"] == str(frames)


def test_data_of_two_tasks_have_the_name_of_the_task_in_their_flags(
    probsense: Probsense, frames: Path
) -> None:
    words = ("run", "judgments", "frames", "-m", "random:1", "-q", "--limit", "6", "--json")
    done = probsense(*words, "--data", frames)
    assert (done.code, done.out) == (2, "")
    assert "(expected --judgments.data or --frames.data)" in done.err
    done = probsense(*words, "--frames.data", frames, "--questions", "q1")
    options = {one["task"]: one["run"]["options"] for one in json.loads(done.out)["runs"]}
    assert options["frames"]["data"] == str(frames)
    assert options["judgments"]["data"] is None
    assert options["judgments"]["questions"] == ["q1"]


@pytest.mark.usefixtures("undrawn")
def test_recorded_answers(probsense: Probsense, frames: Path, answers: Path, tmp_path: Path) -> None:
    words = ("analyse", "frames", "--data", frames, "--predictions", answers)
    done = probsense(*words, "--report", "page.html", "--figures", "figures", "--answers", "3", "--full")
    assert done.code == 0, done.err
    assert "Normalised" in done.out
    assert "False matches" in done.out
    assert "“to wake the town” (2, bell)" in done.err
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"distributions.svg", "forest.svg", "bound.svg", "unmatched.csv", "distributions.csv"} <= names
    assert "some" in (tmp_path / "page.html").read_text()
    document = json.loads(probsense(*words, "--method", "published", "--similarity", "exact", "--json").out)
    assert document["run"]["method"] == "published"
    assert {e["method"] for e in document["estimates"]} == {"published"}


@pytest.mark.parametrize(
    ("similarity", "clusters", "clustering"),
    [
        ("exact", "hac", lambda vectors: hac(vectors, 0.4123)),
        ("cosine", "hac", lambda vectors: hac(vectors, 0.215)),
        ("gaussian", "hac", lambda vectors: hac(vectors, 0.298)),
        ("exact", "gmeans", lambda vectors: gmeans(vectors, start=4)),
        ("cosine", "gmeans", lambda vectors: gmeans(vectors, start=7)),
        ("gaussian", "gmeans", lambda vectors: gmeans(vectors, start=7)),
        ("exact", "xmeans", lambda vectors: xmeans(vectors, start=14, most=20)),
        ("gaussian", "xmeans", lambda vectors: xmeans(vectors, start=14, most=20)),
    ],
)
def test_published_clusters_have_the_settings_of_their_matching(
    probsense: Probsense, tmp_path: Path, similarity: str, clusters: str, clustering: Clustering
) -> None:
    words = [f"{first}{second}" for first in "bdfghkm" for second in ("ag", "en", "ip", "ot", "ug")]
    rng = np.random.default_rng(3)
    vectors = dict(zip(words, (1 + 0.5 * rng.normal(size=(len(words), 2))).tolist(), strict=True))
    given, said = {word: 1 + i % 3 for i, word in enumerate(words)}, dict.fromkeys(words[::3], 1)
    question = {"id": "q", "context": "A word.", "question": "Which?", "answers": given}
    (tmp_path / "targets.jsonl").write_text(json.dumps(question) + "\n")
    (tmp_path / "m.jsonl").write_text(json.dumps({"id": "q", "answers": said}) + "\n")
    (tmp_path / "vectors.json").write_text(json.dumps({"q": {"true_answer_vectors": vectors}}))
    asked = ("analyse", "frames", "--data", "targets.jsonl", "--predictions", "m.jsonl", "--json")
    chosen = ("--method", "published", "--similarity", similarity, "--clusters", clusters)
    done = probsense(*asked, *chosen, "--embeddings", "vectors.json")
    assert done.code == 0, done.err
    found = {e["measure"]: e["value"] for e in json.loads(done.out)["estimates"] if "frame" not in e["by"]}

    def embed(strings: Sequence[str]) -> Floats:
        return np.array([vectors[string] for string in strings])

    gold = published_automatic_gold(Question("q", "", given), embed, clustering)
    match = by_gaussian(embed) if similarity == "gaussian" else by_similarity(exact)
    if similarity == "cosine":
        match = by_similarity(cosine(embed))
    (expected,) = published_scores(gold, [said], match)
    assert found["kl"] == pytest.approx(expected, abs=1e-12)
    numbers = {len(set(hac(embed(words), t).tolist())) for t in (0.4123, 0.298, 0.215)}
    assert len(numbers) == 3  # the settings can be told apart


def test_without_wordnet_a_line_says_how_to_get_it(
    probsense: Probsense, frames: Path, answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBSENSE_WORDNET", str(tmp_path))
    words = ("--data", frames, "--predictions", answers, "--method", "published")
    assert_refused(probsense("analyse", "frames", *words), "wordnet-base")
