"""The rows behind the chart of distributions: one for each cluster, and one for answers in none."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.tasks.frames.charts.tables import NO_CLUSTER, compared_shares


def rows(*clusters: Cluster, raw: dict[str, int]) -> list[tuple[str, float]]:
    question = Question("q", "q", raw, clusters)
    people = np.array([*(cluster.count for cluster in clusters), 0]) / sum(raw.values())
    names = (*(cluster.id for cluster in clusters), "wrong")
    result = SimpleNamespace(id="q", clusters=names, people_shares=people, model_shares=0 * people)
    found = compared_shares("m", [question], SimpleNamespace(questions=[result]))  # type: ignore[arg-type]
    return [(one.cluster, round(one.share, 2)) for one in found if one.model == "people"]


def test_a_cluster_of_people_may_be_called_wrong() -> None:
    raw = {"never": 3, "at no time": 2, "noon": 5}
    found = rows(Cluster("wrong", 5, ("never", "at no time")), Cluster("noon", 5, ("noon",)), raw=raw)
    assert found == [("never", 0.5), ("noon", 0.5), (NO_CLUSTER, 0)]


def test_clusters_that_share_their_most_frequent_answer_keep_rows_of_their_own() -> None:
    raw = {"party time": 6, "dance": 4}
    first, second, third = (
        Cluster(str(i), 5, own) for i, own in enumerate([("party time",), (*raw,), (*raw,)])
    )
    assert [name for name, _ in rows(first, second, third, raw=raw)] == [
        *("party time", "dance", "party time (2)", NO_CLUSTER)
    ]
