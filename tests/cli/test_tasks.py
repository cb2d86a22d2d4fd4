"""``probsense run`` and ``probsense analyse`` with judgments, frames and the suite, as a user calls them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from probsense.analysis.open_answers.clusters import hac
from probsense.analysis.open_answers.probeval import (
    by_gaussian,
    by_similarity,
    published_automatic_gold,
    published_scores,
)
from probsense.analysis.open_answers.questions import Floats, Question
from probsense.analysis.open_answers.similarity import cosine, exact
from support.command import Probsense


@pytest.mark.parametrize(
    ("similarity", "threshold"), [("exact", 0.4123), ("cosine", 0.215), ("gaussian", 0.298)]
)
def test_published_clusters_have_the_settings_of_their_matching(
    probsense: Probsense, monkeypatch: pytest.MonkeyPatch, similarity: str, threshold: float
) -> None:
    words = [f"{first}{second}" for first in "bdfghkm" for second in ("ag", "en", "ip", "ot", "ug")]
    rng = np.random.default_rng(3)
    vectors = dict(zip(words, (1 + 0.5 * rng.normal(size=(len(words), 2))).tolist(), strict=True))
    given, said = {word: 1 + i % 3 for i, word in enumerate(words)}, dict.fromkeys(words[::3], 1)
    question = {"id": "q", "context": "A word.", "question": "Which?", "answers": given}
    Path("targets.jsonl").write_text(json.dumps(question) + "\n")
    Path("m.jsonl").write_text(json.dumps({"id": "q", "answers": said}) + "\n")

    def embed(strings: Sequence[str]) -> Floats:
        return np.array([vectors[string] for string in strings])

    module = "probsense.tasks.frames.measures.similarities._sentence_transformer"
    monkeypatch.setattr(module, lambda _: embed)
    asked = "analyse frames targets.jsonl --predictions m.jsonl --json --method published --clusters hac"
    chosen = ("--similarity", similarity, "--embeddings", f"st:{similarity}")
    done = probsense(*asked.split(), *chosen)
    assert done.code == 0, done.err
    found = {e["measure"]: e["value"] for e in json.loads(done.out)["estimates"] if "frame" not in e["by"]}
    gold = published_automatic_gold(Question("q", "", given), embed, threshold)
    alike = {
        "exact": by_similarity(exact),
        "cosine": by_similarity(cosine(embed)),
        "gaussian": by_gaussian(embed),
    }
    (expected,) = published_scores(gold, [said], alike[similarity])
    assert found["kl"] == pytest.approx(expected, abs=1e-12)
    numbers = {len(set(hac(embed(words), t).tolist())) for t in (0.4123, 0.298, 0.215)}
    assert len(numbers) == 3  # the settings can be told apart
